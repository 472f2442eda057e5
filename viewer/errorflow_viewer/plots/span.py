"""Which places are on view, and which the user has brushed over."""

import re
from dataclasses import dataclass

# Fewer places than that are never stretched over the whole width.
LEAST = 4.0
_DEPTHS = re.compile(r"depth:(\d{1,9})\.\.(\d{1,9})")


@dataclass(frozen=True, slots=True)
class Span:
    """From a place to another; a place takes the room from its number to the next one."""

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
    found = _DEPTHS.search(search)
    return None if found is None else (int(found[1]), int(found[2]))


def without_brush(search: str) -> str:
    return " ".join(_DEPTHS.sub(" ", search).split())


def with_brush(search: str, first: int, last: int) -> str:
    """What was searched for before stays."""
    return f"{without_brush(search)} {brush_text(first, last)}".strip()
