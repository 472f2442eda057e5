"""Memory that is freed after a pair is kept for the next: to get it anew takes a fifth of the time of a comparison."""

import ctypes
import sys
from functools import cache

# Of mallopt, as malloc.h has them.
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
# So much may lie idle in a process; arrays up to the second size are taken from it.
KEPT, LARGEST = 128 << 20, 32 << 20


@cache
def keep_memory() -> None:
    """Asks the system's allocator for it, once per process; only that of Linux can be asked."""
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
    if mallopt is not None:
        mallopt(TRIM_THRESHOLD, KEPT)
        mallopt(MMAP_THRESHOLD, LARGEST)
