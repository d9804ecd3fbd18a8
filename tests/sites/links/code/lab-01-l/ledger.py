# ANCHOR: ledger
x = 1
# ANCHOR_END: ledger
def step():
    return x
