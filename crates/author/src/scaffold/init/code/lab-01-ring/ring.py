"""A queue of fixed size, kept in a circle of slots."""


# ANCHOR: state
class Ring:
    """First in, first out, and never more items than slots."""

    def __init__(self, capacity):
        self.slots = [None] * capacity
        self.head = 0   # the slot of the oldest item
        self.count = 0  # how many items there are
    # ANCHOR_END: state

    # ANCHOR: put
    def put(self, item):
        if self.count == len(self.slots):
            return False  # full: what to drop is the caller's affair
        tail = (self.head + self.count) % len(self.slots)
        self.slots[tail] = item
        self.count += 1
        return True
    # ANCHOR_END: put

    def take(self):
        if self.count == 0:
            raise IndexError("take from an empty ring")
        item = self.slots[self.head]
        self.slots[self.head] = None
        self.head = (self.head + 1) % len(self.slots)
        self.count -= 1
        return item


# ANCHOR: demo
def demo():
    ring = Ring(4)
    print("accepted:", [ring.put(n) for n in (1, 2, 3, 4, 5)])
    print("taken:", [ring.take(), ring.take()])
    # ANCHOR: sixth
    print("accepted:", [ring.put(6)])
    print(ring.slots, "head", ring.head, "count", ring.count)
    # ANCHOR_END: sixth
# ANCHOR_END: demo


if __name__ == "__main__":
    demo()
