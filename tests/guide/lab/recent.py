"""The average of the last few values, without adding all of them up each time."""


# ANCHOR: average
class Recent:
    def __init__(self, size):
        self.slots = [0.0] * size
        self.seen = 0
        self.total = 0.0

    def add(self, value):
        slot = self.seen % len(self.slots)
        self.total += value - self.slots[slot]
        self.slots[slot] = value
        self.seen += 1
        return self.total / min(self.seen, len(self.slots))
# ANCHOR_END: average


if __name__ == "__main__":
    recent = Recent(3)
    print([recent.add(value) for value in (3, 6, 9, 12, 0)])
