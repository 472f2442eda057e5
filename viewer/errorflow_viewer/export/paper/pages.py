"""Rows on pages: what belongs together stays together, and a table has its heads on each of its pages."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from errorflow.report.svg import Picture
from errorflow_viewer.export.paper.ink import BOTTOM, HEIGHT, TOP
from errorflow_viewer.export.paper.rows import Row

HIGH = HEIGHT - TOP - BOTTOM


@dataclass
class Page:
    """Rows with their places from the top; or a picture across."""

    rows: list[tuple[float, Row]] = field(default_factory=list)
    sheet: Picture | None = None
    chapters: list[str] = field(default_factory=list)
    used: float = 0.0

    def put(self, row: Row) -> None:
        self.rows.append((self.used, row))
        self.used += row.height
        if row.chapter:
            self.chapters.append(row.chapter)


def pages_of(rows: Iterable[Row]) -> list[Page]:
    """What follows a page across goes on where it left off."""
    pages, across = [Page()], list[Page]()
    for unit in _units(rows):
        sheet = unit[0].sheet
        if sheet is not None:
            across.append(Page(sheet=sheet, chapters=[unit[0].chapter]))
            pages += [across[-1], Page()]
            continue
        if pages[-1].rows and pages[-1].used + sum(row.height for row in unit) > HIGH:
            pages.append(Page())
            head = unit[0].head
            if head is not None:
                pages[-1].put(head)
        for row in unit:
            pages[-1].put(row)
    return [page for page in pages if page.rows or page.sheet is not None]


def _units(rows: Iterable[Row]) -> Iterator[Sequence[Row]]:
    """Rows that must not be parted."""
    unit: list[Row] = []
    for row in rows:
        unit.append(row)
        if not row.sticks:
            yield unit
            unit = []
    if unit:
        yield unit
