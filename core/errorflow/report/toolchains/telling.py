"""Lines on what could not be handed over."""

from collections.abc import Iterator, Sequence

from errorflow.report.toolchains.model import LeftOut

# So many names are told for one reason.
_NAMED = 6
HEAD = "Not as decided, since the target cannot be told of it"


def grouped(left_out: Sequence[LeftOut]) -> dict[tuple[str, str], list[LeftOut]]:
    """Groups by the reason and what is written in its place."""
    found: dict[tuple[str, str], list[LeftOut]] = {}
    for each in left_out:
        found.setdefault((each.why, each.instead), []).append(each)
    return found


def told(left_out: Sequence[LeftOut], most: int | None = _NAMED) -> Iterator[str]:
    """A line for each reason; `most` names of each, None for all."""
    for (why, instead), nodes in grouped(left_out).items():
        names = [each.name for each in nodes][:most]
        more = f" and {len(nodes) - len(names):,} more" if len(nodes) > len(names) else ""
        there = f" There: {instead}." if instead else ""
        yield f"{why}{there} {len(nodes):,}: {', '.join(names)}{more}"


def comments(left_out: Sequence[LeftOut], *first: str) -> tuple[str, ...]:
    """Writes for files that may hold comments all of them by name, behind what comes first."""
    return (*first, *([f"{HEAD} ({len(left_out):,}):", *told(left_out, None)] if left_out else []))
