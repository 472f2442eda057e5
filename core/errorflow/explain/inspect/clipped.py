"""Clipping at the ends of a grid, in words: of the reference beyond it, of the candidate on its rails."""

from collections.abc import Iterator

from errorflow.explain.inspect.figure import number_text
from errorflow.explain.inspect.grid import Grid
from errorflow.explain.inspect.overview import Overview


def grid_text(grid: Grid) -> str:
    """Describes a grid; of one that was read off the values it is unknown how far it would reach."""
    return "the grid" if grid.bits else "the candidate"


def clipped_texts(seen: Overview) -> Iterator[str]:
    """Yields both sides, each by name: one may saturate where the other never went."""
    if seen.clipping is None:
        return
    share = seen.clipping.below + seen.clipping.above
    beyond = "the grid of its channel" if seen.grid is None else grid_text(seen.grid)
    yield f"{share:.2%} of the reference is beyond {beyond}" if share else f"none of the reference is beyond {beyond}"
    yield from _rails(seen)


def _rails(seen: Overview) -> Iterator[str]:
    """Yields the rails. Of a grid that was read off the values, the outermost ones are the ends, so that one alone says
    nothing.
    """
    assert seen.clipping is not None
    lowest, highest = seen.clipping.lowest, seen.clipping.highest
    if seen.candidate is None:
        return
    count = f"{seen.candidate.finite:,}"
    if seen.grid is None:
        if lowest + highest:
            yield f"{lowest:,} + {highest:,} of {count} candidate values are on the rails of their channels"
        return
    few = 0 if seen.grid.bits else 1
    low, high = number_text(seen.grid.low), number_text(seen.grid.high)
    if lowest > few and highest > few:
        yield f"{lowest:,} + {highest:,} of {count} candidate values are on the rails, {low} and {high}"
    elif lowest > few:
        yield f"{lowest:,} of {count} candidate values are on the rail, {low}"
    elif highest > few:
        yield f"{highest:,} of {count} candidate values are on the rail, {high}"
    elif seen.grid.bits:
        yield "none of the candidate is on its rails"
