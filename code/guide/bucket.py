"""A token bucket: a short burst gets through, a long rush is slowed down.

The bucket gains tokens at a steady rate until it is full. A request takes one
or is rejected. Unused tokens are saved, but never more than the bucket holds.
"""
from dataclasses import dataclass


# ANCHOR: bucket
@dataclass
class Bucket:
    # ANCHOR: state
    rate: float        # tokens gained per second
    size: float        # the most that fit in the bucket
    tokens: float = 0  # in the bucket at the time `then`
    then: float = 0    # time of the last refill, in seconds
    # ANCHOR_END: state

    # There is no timer: refill adds what has come in since the last call.
    def refill(self, now):
        gained = (now - self.then) * self.rate
        self.tokens = min(self.size, self.tokens + gained)
        self.then = now

    # ANCHOR: asking
    def take(self, now, count=1):
        """Take `count` tokens, or none of them.

        Returns whether there were enough; a request never gets a part.
        """
        self.refill(now)
        if self.tokens < count:
            return False
        self.tokens -= count
        return True
# ANCHOR_END: bucket


class Open:
    """No limit at all, for comparison."""

    def take(self, now, count=1):
        return True
# ANCHOR_END: asking


# ANCHOR: limits
LIMITS = {
    "open": Open(),
    "strict": Bucket(rate=1, size=1),
    "bursty": Bucket(
        rate=1,
        size=5,
        tokens=5,
    ),
}
# ANCHOR_END: limits


# ANCHOR: replay
def replay(limit, arrivals):
    """One letter per request: `x` for served, `-` for rejected."""
    return "".join("x" if limit.take(now) else "-" for now in arrivals)


if __name__ == "__main__":
    rush = [step / 4 for step in range(24)]  # four per second, for six seconds
    for name, limit in LIMITS.items():
        print(f"{name:8}", replay(limit, rush))
# ANCHOR_END: replay
