"""Curves of errors as an SVG that needs nothing else: along the depth of a model, or along a ranking of its parts."""

from collections.abc import Iterator
from functools import cached_property

from errorflow.base.values import dataclass
from errorflow.draw.shapes import Group, Rect, Shape, Text
from errorflow.draw.svg import page
from errorflow.draw.text import LETTERS, fitted, line
from errorflow.report.colors import ThemeName
from errorflow.report.curve_look import CurveLook, curve_look
from errorflow.report.curve_shapes import ROW, CurveEntry, CurvePlot, ShownCurves, legend_entries, legend_shapes
from errorflow.report.curve_strokes import FOOT, RIM, TITLE_ROW, CurveRoom
from errorflow.report.curve_text import TITLES, measure_title, notes, point_lines
from errorflow.report.frame import LABEL, TEXT_LEFT, TITLE

# In px: the page, the plot in it, and a row of notes.
_WIDTH, _PLOT, _LEFT, _RIGHT, _HEAD, _NOTE = 1200.0, 300.0, 96.0, 1176.0, 44.0, 18.0
# Names stand below their points where these are so far apart, and are no longer than that.
_NAMED, _LONGEST = 13.0, 180.0
_LEGEND_ROWS = 6


def curve_svg(curves: ShownCurves, theme: ThemeName, title: str = "") -> str:
    """Draws one metric of the curves; those of several outputs are told apart by their labels."""
    head = line(title) if title else TITLES[curves.curves.kind]
    made = _Page(curves, curve_look(theme))
    name = fitted(head, TITLE, _RIGHT - TEXT_LEFT)
    top = Text(TEXT_LEFT, 30, name, made.look.text, TITLE, strong=True)
    return page([top, *made.shapes()], (_WIDTH, made.height), made.look.ground, head)


@dataclass(frozen=True)
class _Page:
    shown: ShownCurves
    look: CurveLook

    def shapes(self) -> Iterator[Shape]:
        room = self.room
        yield from legend_shapes(self._legend[:_LEGEND_ROWS], self.look, TEXT_LEFT, _HEAD)
        measure = measure_title(self.shown.curves, self.shown.key)
        yield Text(TEXT_LEFT, room.top - RIM - 6, measure, self.look.muted)
        yield from CurvePlot(self.shown, room, self.look).shapes()
        for place, label in enumerate(self._labels):
            foot = room.bottom + RIM + FOOT + 2
            yield Text(room.x(place) + 4, foot, label, self.look.muted, LABEL, "end", upwards=True)
        yield Group(tuple(self._hovers()), kind="hovers")
        for row, note in enumerate(self._notes):
            text = fitted(line(note), LABEL, _RIGHT - TEXT_LEFT)
            yield Text(TEXT_LEFT, self._foot_top + 12 + _NOTE * row, text, self.look.muted)

    @cached_property
    def room(self) -> CurveRoom:
        top = _HEAD + ROW * (min(len(self._legend), _LEGEND_ROWS) + 1) + RIM
        names = max((LETTERS.width(label) + 8 for label in self._labels), default=0.0)
        foot = FOOT + names + TITLE_ROW
        return CurveRoom(_LEFT, _RIGHT, top, top + _PLOT, 0.0, float(self._count), foot)

    @property
    def height(self) -> float:
        return self._foot_top + _NOTE * len(self._notes) + 16

    @cached_property
    def _legend(self) -> list[list[CurveEntry]]:
        return legend_entries(self.shown, self.look, _RIGHT - TEXT_LEFT, LETTERS)

    @cached_property
    def _labels(self) -> tuple[str, ...]:
        """Names below the points; none where they would overlap."""
        if (_RIGHT - _LEFT) / self._count < _NAMED:
            return ()
        return tuple(LETTERS.shortened(line(point.name), _LONGEST) for point in self.shown.curves.points)

    @property
    def _foot_top(self) -> float:
        return self.room.bottom + RIM + self.room.foot + 8

    @cached_property
    def _notes(self) -> list[str]:
        shown = self.shown
        found = list(notes(shown.curves, shown.key, shown.overs, bands=shown.has_bands))
        hidden = sum(len(row) for row in self._legend[_LEGEND_ROWS:])
        return [*found, f"{hidden:,} more curves are not named here"] if hidden else found

    @property
    def _count(self) -> int:
        return max(len(self.shown), 1)

    def _hovers(self) -> Iterator[Group]:
        """Names and numbers for the pointer, where no name has room."""
        shown, room = self.shown, self.room
        count = min(self._count, round(_RIGHT - _LEFT))
        wide = (_RIGHT - _LEFT) / count
        for column in range(count if len(shown) else 0):
            place = min(int((column + 0.5) * self._count / count), len(shown) - 1)
            text = "\n".join(point_lines(shown.curves, shown.key, place, shown.overs))
            area = Rect(_LEFT + column * wide, room.top - RIM, wide, _PLOT + 2 * RIM, "#FFF", opacity=0.0)
            yield Group((area,), note=text)
