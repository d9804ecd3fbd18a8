"""Each form of selector,
in one file."""
import math

#region setup
d = 4096
#endregion

# region shapes
# ANCHOR: outer
class Cache:
    """Holds keys.

    and values"""

    # ANCHOR: inner
    @property
    def size(self):
        # bytes
        return 2 * d
    # ANCHOR_END: outer

    def grow(self, n):
        #region
        hidden = n
        #endregion
        return hidden
    # ANCHOR_END: inner
# endregion


# A decorated function:
# with comments above it.
@math.lru
def grow(n):
	if n:
		return n


LAST = 1
