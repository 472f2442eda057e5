"""Span of the places on view, and of those that the user has brushed over."""

import re

from errorflow.base.values import dataclass
from errorflow.explain.findings.parse import parse
from errorflow.explain.findings.query import Every, Query, QueryError

# Fewer places than that are never stretched over the whole width.
LEAST = 4.0
_DEPTHS = re.compile(r"(?<!\S)depth:(\d{1,9})\.\.(\d{1,9})(?!\S)")


@dataclass(frozen=True, slots=True)
class Span:
    """Span from a place to another; a place takes the room from its number to the next one."""

    start: float
    end: float

    @property
    def length(self) -> float:
        return self.end - self.start

    def zoomed(self, factor: float, at: float, count: int) -> "Span":
        """Nearer by that factor, while the place `at` stays where it is."""
        length = min(max(self.length / factor, min(LEAST, count)), float(count))
        share = (at - self.start) / self.length if self.length else 0.5
        return Span(at - share * length, at + (1 - share) * length).inside(count)

    def moved(self, by: float, count: int) -> "Span":
        return Span(self.start + by, self.end + by).inside(count)

    def inside(self, count: int) -> "Span":
        """The same length within all places."""
        length = min(self.length, float(count))
        start = min(max(self.start, 0.0), count - length)
        return Span(start, start + length)

    def with_place(self, place: int, count: int) -> "Span":
        """Moved as far as it must be for a place to be on view, with some of its neighbours."""
        room = min(self.length * 0.1, 8.0)
        if self.start + room > place and self.start > 0:
            return self.moved(place - room - self.start, count)
        if self.end - room < place + 1 and self.end < count:
            return self.moved(place + 1 + room - self.end, count)
        return self


def whole(count: int) -> Span:
    return Span(0.0, float(max(count, 1)))


def brush_text(first: int, last: int) -> str:
    """The search that finds these places, in the language of the search field."""
    return f"depth:{min(first, last)}..{max(first, last)}"


def brushed(search: str) -> tuple[int, int] | None:
    """The places that a search is narrowed to."""
    found = _brush_in(search)
    return None if found is None else (int(found[1]), int(found[2]))


def without_brush(search: str) -> str:
    """Finds what was searched for before `with_brush`."""
    found = _brush_in(search)
    if found is None:
        return search.strip()
    before, after = search[: found.start()].strip(), search[found.end() :].strip()
    if not after and _is_closed(before):
        return before[1:-1]
    return f"{before} {after}".strip()


def with_brush(search: str, first: int, last: int) -> str:
    """Adds a brush; what was searched for before stays, in parentheses where it would be read in another way.

    In front of parentheses that are there already: behind them it would be taken for its own by `without_brush`.
    """
    rest, brush = without_brush(search), brush_text(first, last)
    if _is_closed(rest):
        return f"{brush} {rest}"
    plain = f"{rest} {brush}".strip()
    return plain if _narrows(plain, brush) else f"({rest}) {brush}"


def _brush_in(search: str) -> re.Match[str] | None:
    """The last one that all that is found must lie in; one beside an `or` or in parentheses narrows nothing."""
    found = list(_DEPTHS.finditer(search))
    return found[-1] if found and _narrows(search, found[-1][0]) else None


def _narrows(search: str, brush: str) -> bool:
    whole_search, part = _parsed(search), _parsed(brush)
    parts = whole_search.parts if isinstance(whole_search, Every) else (whole_search,)
    return whole_search is None or part in parts


def _is_closed(search: str) -> bool:
    """Whether its first parenthesis is closed by its last one."""
    return search[:1] == "(" and search[-1:] == ")" and _parsed(search) == _parsed(search[1:-1])


def _parsed(search: str) -> Query | None:
    """Parses a search; None: it makes no sense as it is."""
    try:
        return parse(search)
    except QueryError:
        return None
