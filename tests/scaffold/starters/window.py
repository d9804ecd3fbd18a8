"""A moving average."""


# ANCHOR: window
def window(values, width):
    total = sum(values[:width])
    yield total / width
    for new, old in zip(values[width:], values):
        total += new - old
        yield total / width
# ANCHOR_END: window


# ANCHOR: table
WIDTHS = {"short": 3, "long": 12}
# ANCHOR_END: table

# ANCHOR: prose
# Only a comment stands here.
# ANCHOR_END: prose
