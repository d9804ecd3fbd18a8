"""A ledger."""


# ANCHOR: ledger
x = 1
total = x + y
# ANCHOR_END: ledger


def step(batch):
    # the loss
    loss = model(
        batch,
        total,
    )
    return loss
