"""TODO: put the code here that the lab reads, and say what it does.

Any text file will do, in any language: rename this one, and `starter.file` in
the lab with it. Keep it short enough to be read from top to bottom.
"""


# A region is what an excerpt shows: the lines between two comments like these.
# ANCHOR: core
def answer(question):
    # TODO: the lines that are worth a note
    return question
# ANCHOR_END: core
