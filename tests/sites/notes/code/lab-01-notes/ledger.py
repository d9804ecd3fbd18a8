# ANCHOR: setup
d = 4096
heads = 32
# ANCHOR_END: setup


# ANCHOR: ledger
def ledger(layers):
    # heads and d, in a comment
    attention = 4 * d * d
    mlp = sum([
        8 * d,
        d,
    ])
    table = {
        "rows": heads,
    }
    total = layers * (attention + mlp)  # heads do not count
    grad = total
    adam = total * 8
    state = adam + grad
    return state
# ANCHOR_END: ledger
