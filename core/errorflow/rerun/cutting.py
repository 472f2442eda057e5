"""Where a model is cut into segments: about as much work in each, and few bytes alive at the cuts."""

from collections.abc import Sequence
from itertools import accumulate

# How far a cut may be from the place that is best for the work, in shares of a segment's work.
_SLACK = 0.45


def cuts(work: Sequence[float], alive: Sequence[float], count: int) -> tuple[int, ...]:
    """The ends of at most `count` segments of consecutive nodes, the last one included.

    `work` is what each node costs, `alive` how many bytes are read behind each node that were made before or by it.
    """
    done = list(accumulate(work))
    if not done:
        return ()
    size = done[-1] / count
    ends: list[int] = []
    for number in range(1, count):
        low, high = (size * (number + slack) for slack in (-_SLACK, _SLACK))
        first = ends[-1] if ends else 0
        near = [place for place in range(first, len(done) - 1) if low <= done[place] <= high]
        if near:
            ends.append(min(near, key=lambda place: (alive[place], abs(done[place] - size * number))) + 1)
    return (*ends, len(done))


def alive_bytes(makes: Sequence[Sequence[str]], reads: Sequence[Sequence[str]], sizes: dict[str, int]) -> list[int]:
    """By node: bytes that it or one before it made and one behind it reads."""
    last = {name: place for place, names in enumerate(reads) for name in names}
    found: list[int] = []
    now = 0
    ending: dict[int, int] = {}
    for place, names in enumerate(makes):
        now -= ending.pop(place, 0)
        for name in names:
            end = last.get(name, -1)
            if end > place:
                now += sizes.get(name, 0)
                ending[end] = ending.get(end, 0) + sizes.get(name, 0)
        found.append(now)
    return found
