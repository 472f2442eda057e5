"""Draws curves, and joins them with the graph: nodes in, nodes out."""

from collections.abc import Callable, Collection
from functools import partial

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from errorflow.base.values import dataclass
from errorflow.draw.shapes import Text
from errorflow.report.curve_look import CurveLook, curve_look
from errorflow.report.curve_shapes import ROW, CurveEntry, CurvePlot, ShownCurves, legend_entries, legend_shapes
from errorflow.report.curve_strokes import FOOT, RIM, TITLE_ROW, CurveRoom
from errorflow.report.curve_text import kept_word, measure_title, notes, point_lines
from errorflow.study.rank.curves import Curves
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.plots import Plot as GivenPlot
from errorflow_viewer.commands.copy_save.plots import offer_plot
from errorflow_viewer.commands.save_dialog import ask_where
from errorflow_viewer.document.ranking import SIMULATED_FIRST
from errorflow_viewer.document.state import Place
from errorflow_viewer.kit.elided import Elided
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.layouts import pages, spaced
from errorflow_viewer.kit.look import GRID, PADDING, Theme
from errorflow_viewer.panels.curves.files import FILTERS, content, image_of, title_of, write_to
from errorflow_viewer.panels.curves.head import CurvesContext, CurvesHead
from errorflow_viewer.panels.curves.running import Running
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.plots.along import STEPS, PlotAlong
from errorflow_viewer.plots.figures import file_name
from errorflow_viewer.plots.shapes import WindowLetters, paint_shapes
from errorflow_viewer.plots.span import Span, whole

WILL_BE = "How the error grows along the depth, or what is gained with the worst parts kept in float, is drawn here."
MEASURING = "The curves are being measured: they are here as soon as there are numbers."
WAITS_SIMULATION = "The curves begin as soon as the simulation is there."
WAITS_RANKING = "The curves go along the ranking, which is made first."
OLDER = "This is about the plan before."


class CurvesPanel(QWidget):
    """Panel of curves; nothing is drawn before one can see it."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self.running = Running(desk, self)
        self.plot = CurvesPlot(curve_look(desk.appearance.theme.name))
        offer_plot(desk, self.plot, self._given())
        self.head = CurvesHead()
        self.head.look_around = self._around
        right = Qt.TextElideMode.ElideRight
        self.told, self.note = Elided(right), Elided(right)
        self.told.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.note.setProperty("muted", True)
        self.keep = QPushButton()
        self.keep.setToolTip("Put these to float, or to more bits, as one step that can be undone")
        self.export = QToolButton()
        self.export.setText("Export…")
        self.export.setToolTip("Write the curves as a picture, or their numbers as a table")
        self.title_buttons = (self.head.average, self.head.log, self.export)
        self.nothing = Empty(WILL_BE, "Open a model…", desk.ask_for_file)
        self.empty = Empty(WILL_BE, "Draw the curves", self.running.start)
        self.measuring = Empty(MEASURING)
        # What is shown and how, so that nothing is drawn twice.
        self._drawn: tuple[object, ...] = ()
        self._lay_out()
        self._connect()
        self._refresh()

    def _lay_out(self) -> None:
        line = spaced(QHBoxLayout(), PADDING, (PADDING, 0, PADDING, GRID))
        line.addWidget(self.note)
        line.addWidget(self.told, 1)
        line.addWidget(self.keep)
        self.inside = pages(self.empty, self.measuring, self.plot)
        self.page = QWidget()
        box = spaced(QVBoxLayout(self.page))
        box.addWidget(self.head)
        box.addLayout(line)
        box.addWidget(self.inside, 1)
        self.stack = pages(self.nothing, self.page)
        spaced(QVBoxLayout(self)).addWidget(self.stack)

    def _connect(self) -> None:
        document, plot = self._document, self.plot
        follow(self, document.changed, self._on_changed, ("model", "place", "node"))
        document.pointed.connect(self._on_pointed)
        follow(self, self.running.changed, self._refresh)
        self._desk.appearance.changed.connect(self._dress)
        self.head.pressed.connect(self._press)
        self.head.asked.connect(self.running.ask)
        self.head.changed.connect(self._refresh)
        self.export.clicked.connect(lambda: self.save())
        self.keep.clicked.connect(lambda: self.keep_selected())
        plot.pointed.connect(self._point)
        plot.picked.connect(lambda place: self._go(place, document.pick))
        plot.walked.connect(lambda place: self._go(place, document.walk))
        plot.opened.connect(self._open)

    # Showing

    @property
    def curves(self) -> Curves | None:
        """Curves as they are shown: of one output, averaged if that is wished."""
        found = self._of_output
        return found.average() if found is not None and self._is_averaged(found) else found

    @property
    def _in_metric(self) -> Curves | None:
        """The same, with no more averaged than is to be seen."""
        found = self._of_output
        return found.by(self.head.key).average() if found is not None and self._is_averaged(found) else found

    @property
    def _of_output(self) -> Curves | None:
        found, output = self.running.curves, self.head.output.currentText()
        has_several = found is not None and len(found.outputs) > 1 and output in found.outputs
        return found.at(output) if found is not None and has_several else found

    def _is_averaged(self, curves: Curves) -> bool:
        return self.head.average.isChecked() and curves.kind == "cumulative"

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def _on_changed(self, fields: Collection[str]) -> None:
        if {"model", "place"} & set(fields):
            self._refresh()
        elif "node" in fields:
            self._mark()

    def _dress(self, theme: Theme) -> None:
        self.plot.dress(curve_look(theme.name))

    def _refresh(self) -> None:
        self.stack.setCurrentWidget(self.nothing if self._document.model is None else self.page)
        if not self.isVisible():
            if self.running.curves is None:  # nothing of them is left in memory
                self._draw()
            return
        found, running = self.running.curves, self.running
        self.head.show_asked(running.asked, () if found is None else found.outputs, self._around())
        self.head.button.setText(self._button_text)
        done = found is not None and found.complete and running.is_of_plan
        self.head.button.setEnabled(running.busy or running.waits or not done)
        self._draw()
        text = " ".join(self._notes())
        self.note.show_text(text)
        self.note.setToolTip(text)
        self.note.setVisible(bool(text))
        self.export.setVisible(found is not None)
        self.head.log.setVisible(found is not None)
        self.head.average.setVisible(found is not None and found.kind == "cumulative")
        self.head.button.setVisible(found is not None or running.busy or running.waits)
        self._tell()
        self._mark()

    def _draw(self) -> None:
        linear = not self.head.log.isChecked()
        output = self.head.output.currentText()
        going_on = self.running.busy or self.running.waits
        if self.running.curves is None:
            self.inside.setCurrentWidget(self.measuring if going_on else self.empty)
            self.measuring.sentence.setText(self._waits_for)
        drawn = (self.running.curves, self.head.key, linear, self.head.average.isChecked(), output)
        if drawn == self._drawn:
            return
        self._drawn = drawn
        curves = self._in_metric
        shown = None if curves is None or not curves.curves else ShownCurves(curves, self.head.key, linear)
        self.plot.show_curves(shown)
        if shown is not None:
            self.inside.setCurrentWidget(self.plot)

    @property
    def _button_text(self) -> str:
        found, running = self.running.curves, self.running
        if running.busy or running.waits:
            return "Stop"
        if found is None:
            return "Draw the curves"
        return "Draw again" if not running.is_of_plan else "Drawn" if found.complete else "Go on"

    @property
    def _waits_for(self) -> str:
        if not self.running.waits:
            return MEASURING
        return WAITS_RANKING if self._document.state.simulated is not None else SIMULATED_FIRST

    def _notes(self) -> list[str]:
        running, shown = self.running, self.plot.shown
        if running.waits:
            is_there = self._document.state.simulated is not None
            return [WAITS_RANKING if is_there else WAITS_SIMULATION]
        if running.curves is None or shown is None:
            return []
        own = [] if running.is_of_plan or running.busy else [OLDER]
        return [*own, *(f"{label}: {note}" for label, note in shown.curves.notes.items())]

    @property
    def _legend(self) -> str:
        """Legend of what the picture is made of, where nothing is pointed at."""
        shown = self.plot.shown
        if shown is None:
            return ""
        return " ".join(f"{line}." for line in notes(shown.curves, shown.key, shown.overs, bands=shown.lines == 1))

    def _tell(self) -> None:
        """Tells what is pointed at or selected, and what can be kept."""
        plot, curves = self.plot, self.running.curves
        place = plot.hovered if plot.hovered is not None else plot.selected
        told = self._legend if place is None else plot.told(place)
        self.told.show_text(told.replace("\n", "   "))
        self.told.setToolTip(told)
        self.told.setVisible(bool(told))
        along = curves is not None and curves.kind != "cumulative"
        count = plot.selected if along and plot.selected is not None else 0
        self.keep.setVisible(along)
        ready = self.running.along is not None and self._document.state.simulated is not None
        self.keep.setEnabled(count > 0 and ready)
        word = "float" if curves is None else kept_word(curves)
        what = "these" if not count else "this one" if count == 1 else f"these {count:,}"
        self.keep.setText(f"Keep {what} in {word}")

    def _around(self) -> CurvesContext:
        from errorflow.quant.selecting import keys_of

        state = self._document.state
        graph = self._document.graph if state.place == Place() else None
        samples = 0 if state.simulated is None else state.simulated.bench.engine.samples
        parts = 0 if state.ranking is None else len(state.ranking.parts)
        group = [] if state.group is None else self._desk.selection.group_nodes.tolist()
        nodes = group if state.node is None else [state.node]
        if graph is None or not nodes:
            return CurvesContext(samples, parts)
        keys = keys_of(graph)
        return CurvesContext(samples, parts, tuple(dict.fromkeys(map(keys.best, nodes))), self._desk.selection.name)

    # Together with the graph

    def _node(self, place: int | None) -> int | None:
        shown = self.plot.shown
        if place is None or shown is None or self._document.state.place != Place():
            return None
        return next(iter(shown.curves.points[place].nodes), None)

    def _point(self, place: int | None) -> None:
        self._document.pointed.emit(self._node(place))
        self._tell()

    def _on_pointed(self, node: int | None) -> None:
        shown, here = self.plot.shown, self.plot.hovered
        if shown is None or not self.isVisible():
            return
        if here is not None and node is not None and node in shown.curves.points[here].nodes:
            return  # the pointer is here, where several places may have that node
        self.plot.point_at(None if node is None else self._place(node))
        self._tell()

    def _place(self, node: int) -> int | None:
        return None if self.plot.shown is None else self.plot.shown.places.get(node)

    def _go(self, place: int, go: Callable[[int], None]) -> None:
        self.plot.select(place)
        node = self._node(place)
        if node is not None:
            go(node)
        self._tell()

    def _open(self, place: int) -> None:
        node = self._node(place)
        if node is not None:
            self._document.show(node)

    def _mark(self) -> None:
        """The place of what is selected in the graph, unless that is where one is."""
        node, plot = self._document.state.node, self.plot
        if node is None or plot.shown is None or not self.isVisible():
            return
        here = plot.selected
        if here is None or node not in plot.shown.curves.points[here].nodes:
            place = self._place(node)
            if place is not None:
                plot.select(place)
                self._tell()

    # What can be done

    def _press(self) -> None:
        if self.running.busy or self.running.waits:
            self.running.stop()
            self._refresh()
        else:
            self.running.start()

    def keep_selected(self) -> None:
        """The first parts of the ranking, as many as the selected place has.

        What was decided since the curves were drawn stays: only what was kept from their own plan is kept anew.
        """
        curves, ranking, count = self.running.curves, self.running.along, self.plot.selected
        base, plan = self._desk.studies.ranking.base, self._desk.studies.ranking.plan_asked()
        if curves is None or ranking is None or plan is None or not count:
            return
        start = curves.plan if base == curves.plan else plan
        by_name = {part.name: part for part in ranking.parts}
        parts = [by_name[point.name] for point in curves.points[1 : count + 1] if point.name in by_name]
        what = parts[0].name if len(parts) == 1 else f"the top {len(parts):,} of the ranking"
        text = f"Keep {what} in {kept_word(curves)}"
        self._desk.say(self._desk.studies.ranking.keep(text, start, parts, curves.to, exactly=True))

    def _given(self) -> GivenPlot:
        """Makes what the context menu of the plot offers: curves as a report has them."""

        def made(ending: str) -> Callable[[], str | bytes]:
            curves, key, linear = self.curves, self.head.key, not self.head.log.isChecked()
            return str if curves is None else content(ending, self._desk, curves, key, linear)

        def drawn() -> str:
            found = made(".svg")()
            return found if isinstance(found, str) else found.decode()

        return GivenPlot(
            lambda: "curves",
            lambda: image_of(drawn()),
            lambda: drawn().encode(),
            lambda: made(".csv"),
            lambda: self.curves is not None,
        )

    def save(self) -> None:
        """Saves curves as they are shown now, whatever is measured until the user has chosen a file."""
        curves, desk, key, linear = self.curves, self._desk, self.head.key, not self.head.log.isChecked()
        if curves is not None:
            name = file_name(title_of(desk, curves, key)) + ".svg"
            take = partial(write_to, desk=desk, curves=curves, key=key, linear=linear)
            ask_where(self.window(), desk, "Export the curves", name, FILTERS, take)


# The widget: shows the picture with what is selected and pointed at, and listens to the user.

# Logical px, without which nothing is read off curves.
LEAST = 140
# Of the legend.
_ROWS = 3


# Logical px: numbers of the metric at the left; from which height on places have a row for their title.
_LEFT, _RIGHT, _ROOMY = 72, 16, 240
_REACH = 32.0


@dataclass(frozen=True)
class CurvesRoom(CurveRoom):
    """`head`: how high the legend is."""

    head: float = 0.0
    height: float = 0.0

    @classmethod
    def of(cls, width: float, height: float, span: Span, head: float) -> "CurvesRoom":
        foot = FOOT + TITLE_ROW if height >= _ROOMY else FOOT
        top, right = head + RIM, max(width - _RIGHT, _LEFT + 1.0)
        bottom = max(height - foot - RIM, top + 1.0)
        return cls(_LEFT, right, top, bottom, span.start, span.end, foot, head, height)

    def nearest(self, x: float, y: float, count: int) -> int | None:
        """The place that is meant there; None: the pointer is beside the plot."""
        if not (self.left - 4 <= x <= self.right + 4 and self.head <= y <= self.height and count):
            return None
        place = min(max(round(self.place(x)), 0), count - 1)
        return place if abs(self.x(place) - x) <= max(_REACH, self.per_place) else None


class CurvesPlot(PlotAlong):
    """Curves over the points that they were measured at."""

    def __init__(self, look: CurveLook) -> None:
        super().__init__("Curves", LEAST)
        self._look = look
        self.shown: ShownCurves | None = None

    # What is shown

    def show_curves(self, shown: ShownCurves | None) -> None:
        """The view stays where it is as long as there are as many places."""
        before = 0 if self.shown is None else len(self.shown)
        count = 0 if shown is None else len(shown)
        if count != before:
            self.span = whole(count)
            self.selected = self.hovered = None
        self.shown = shown
        self.refresh()

    def dress(self, look: CurveLook) -> None:
        self._look = look
        self.refresh()

    def told(self, place: int) -> str:
        """Writes all that is known of a place, a line each."""
        shown = self.shown
        if shown is None or not 0 <= place < len(shown):
            return ""
        return "\n".join(point_lines(shown.curves, shown.key, place, shown.overs))

    @property
    def count(self) -> int | None:
        return None if self.shown is None else len(self.shown)

    @property
    def room(self) -> CurvesRoom:
        rows = 1 if self.shown is None else len(self._legend(self.shown))
        return CurvesRoom.of(self.width(), self.height(), self.span, rows * ROW)

    def place_at(self, spot: QPointF) -> int | None:
        return None if self.shown is None else self.room.nearest(spot.x(), spot.y(), len(self.shown))

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, shown = QPainter(self), self.shown
        if shown is None:
            painter.fillRect(self.rect(), QColor(self._look.ground))
            return
        room = self.room
        painter.drawPixmap(0, 0, self._picture(lambda over, _: self._draw(over, shown, room)))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for place, color in ((self.selected, self._look.selection), (self.hovered, self._look.text)):
            if place is not None and place < len(shown):
                heights = [float(shares[place]) for shares in shown.shares]
                self._paint_cross(painter, room, place, heights, QColor(color), QColor(self._look.ground))
        self._paint_focus(painter, QColor(self._look.selection))

    def _legend(self, shown: ShownCurves) -> list[list[CurveEntry]]:
        """Lists as many rows as have room."""
        return legend_entries(shown, self._look, self.width() - 2 * PADDING, WindowLetters())[:_ROWS]

    def _draw(self, painter: QPainter, shown: ShownCurves, room: CurvesRoom) -> None:
        look, letters, legend = self._look, WindowLetters(), self._legend(shown)
        painter.fillRect(self.rect(), QColor(look.ground))
        paint_shapes(painter, legend_shapes(legend, look, PADDING, 0, letters))
        title = measure_title(shown.curves, shown.key)
        if room.right - letters.width(title) >= PADDING + sum(entry.width for entry in legend[0]):
            base = ROW / 2 + letters.ascent - letters.height / 2
            paint_shapes(painter, [Text(room.right, base, title, look.muted, letters.size, "end")])
        paint_shapes(painter, CurvePlot(shown, room, look, letters).shapes())

    # Pointer and keys

    def _press(self, spot: QPointF) -> None:
        place = self.place_at(spot)
        if place is not None:
            self.picked.emit(place)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        spot = event.position()
        if self._panned is not None and self.shown is not None:
            self._pan(self._panned, spot, self.room, len(self.shown))
        else:
            self._hover(self.place_at(spot))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._panned is not None:
            self._panned = None
            self.unsetCursor()
        super().mouseReleaseEvent(event)

    def _walk(self, key: Qt.Key, stretches: bool) -> None:  # noqa: ARG002 - nothing is marked on curves
        count = self.count or 0
        ends = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: count - 1}
        if key in ends:
            place = ends[key]
        else:
            step = STEPS[key]
            start = self.selected if self.selected is not None else -1 if step > 0 else count
            place = min(max(start + step, 0), count - 1)
        if count:
            self.walked.emit(place)
