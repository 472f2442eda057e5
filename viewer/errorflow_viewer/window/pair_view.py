"""Pair of graphs in the middle of the window: the one on view, and beside or below it, if wanted, the second."""

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from errorflow.base.arrays import Ints
from errorflow.base.errors import ErrorflowError
from errorflow.case.session.model import Session, Sights
from errorflow.graph.model import Graph
from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.canvas.outlines import Outlines
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.document.opening import file_filter
from errorflow_viewer.document.second_graph import Second, Which
from errorflow_viewer.document.viewpoint import sights_of
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.accessible.splitter import Splitter
from errorflow_viewer.kit.drawings import Drawings
from errorflow_viewer.kit.elided import Elided as Elided
from errorflow_viewer.kit.layouts import SHARES, fill, pages, spaced
from errorflow_viewer.kit.look import PADDING, Theme
from errorflow_viewer.kit.scaling import OWN_SIZE
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.window.folds import Folds
from errorflow_viewer.window.graph_view import GraphView
from errorflow_viewer.window.second_graph_following import Following
from errorflow_viewer.window.switches import Switches

# The second graph in its pane: canvas, folds, outlines, and what keeps it in step with the first.

KEY = "second.layout"
LINKED = "linked"
# Commands that mean both graphs: their keys count in either.
OF_BOTH = ("switch.minimap", "switch.path")
NOTHING = "The second model is shown here: what was compiled or quantized, or the original."
NOT_IN_BUNDLE = "The second model is not in this ticket bundle."
READING = "The second model is being opened."
OPEN = "Open second model…"


class Beside(QObject):
    """Lives as long as the second graph is shown."""

    def __init__(
        self, desk: Desk, second: Second, view: GraphView, switches: Switches, ask: Callable[[], None]
    ) -> None:
        super().__init__()
        self._desk = desk
        self._second = second
        self._main = view
        self._switches = switches
        # Why the second model could not be shown.
        self._failure = ""
        drawings = Drawings(replace(view.form))
        theme = desk.appearance.theme
        second.drawings = drawings
        self.view = GraphView(second.document, desk.derived, drawings, theme, key=KEY)
        self.folds = Folds(second.document, self.view)
        self.view.canvas.setAccessibleName("Second model graph")
        self.view.canvas.addActions([each for each in view.canvas.actions() if each.objectName() in OF_BOTH])
        self.view.canvas.commands = view.canvas
        self.nothing = Empty(NOTHING, OPEN, ask)
        self.stack = pages(self.nothing, self.view.canvas)
        self.pane = PairPane(self.stack)
        self.link_button = self.pane.title.add_button("link", "Link the views")
        self.link_button.setCheckable(True)
        self.link_button.setChecked(switches.is_on(LINKED))
        self.link_button.clicked.connect(lambda: switches.turn(LINKED))
        self.hide_button = self.pane.title.add_button("close", "Hide the second graph")
        self.outlines: dict[Which, Outlines] = {
            "main": Outlines(view.canvas, colors_of(theme)),
            "second": Outlines(self.view.canvas, colors_of(theme)),
        }
        self._level = LegendLevel(view.canvas, self.view.canvas)
        self.following = Following(
            second,
            {"main": view, "second": self.view},
            {"main": desk.document, "second": second.document},
            self.outlines,
            lambda: switches.is_on(LINKED),
        )
        self.view.failed.connect(self.show_failure)
        self.view.canvas.hovered.connect(self._on_hovered)
        view.unfolded.connect(self._follow_form)
        switches.add(self.view, self.show_switches)

    @property
    def name(self) -> str:
        """Name of the second model; "": there is none yet."""
        return "" if self._second.model is None else self._second.model.path.name

    def end(self) -> None:
        """Takes all of it away."""
        self._switches.remove(self.view)
        self._second.drawings = None
        self._main.unfolded.disconnect(self._follow_form)
        self.following.end()
        self._level.end()
        for outlines in self.outlines.values():
            outlines.hide()
            outlines.setParent(None)
            outlines.deleteLater()
        self.view.end()
        self.pane.hide()
        self.pane.setParent(None)
        self.pane.deleteLater()

    def show_content(self) -> None:
        """The graph, or what one can do to see one."""
        opening = self._second.opening
        self._failure = "" if opening else self._failure
        there = self._second.model is not None and not self._failure
        self.stack.setCurrentWidget(self.view.canvas if there else self.nothing)
        nothing = NOTHING if self._desk.document.session.bundle is None else NOT_IN_BUNDLE
        self.nothing.sentence.setText(READING if opening else self._failure if self._failure else nothing)
        self.nothing.button.setVisible(not opening)
        self.link_button.setVisible(there)

    def sights(self) -> Sights:
        """Finds what is seen, for the session."""
        document = self._second.document
        return sights_of(document.state.spot, self.view.form.view, self.view.shown, document.look())

    def show_failure(self, error: ErrorflowError) -> None:
        """Shows a failure until another model is opened."""
        self._failure = f"{error.message} {error.hint}"
        self.show_content()

    def set_theme(self, theme: Theme) -> None:
        self.view.set_theme(theme)
        self.pane.set_theme(theme)
        for outlines in self.outlines.values():
            outlines.set_colors(colors_of(theme))

    def show_switches(self) -> None:
        self.link_button.setChecked(self._switches.is_on(LINKED))

    def _on_hovered(self, box: object) -> None:
        self.pane.title.point(self.view.box_title(box))

    def _follow_form(self) -> None:
        """The second graph is drawn as the first one is."""
        form = self._main.form
        wanted = replace(self.view.form, view=form.view, constants=form.constants, quiet=form.quiet, across=form.across)
        self.view.reform(wanted)


class LegendLevel(QObject):
    """Keeps two legends level as long as their graphs stand beside each other."""

    def __init__(self, one: Canvas, other: Canvas) -> None:
        super().__init__(other)
        self._canvases = one, other
        self._busy = False
        self._wires = [canvas.legend_changed.connect(self._follow) for canvas in self._canvases]
        for canvas in self._canvases:
            canvas.installEventFilter(self)
        self._follow()

    def end(self) -> None:
        for wire, canvas in zip(self._wires, self._canvases, strict=True):
            QObject.disconnect(wire)
            canvas.removeEventFilter(self)
            canvas.set_legend_least(0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.Move):
            self._follow()
        return super().eventFilter(watched, event)

    def _follow(self) -> None:
        if self._busy:
            return
        self._busy = True
        one, other = self._canvases
        beside = one.isVisible() and other.isVisible() and _top(one) == _top(other) and one.height() == other.height()
        height = max(one.legend_height, other.legend_height) if beside else 0.0
        for canvas in self._canvases:
            canvas.set_legend_least(height)
        self._busy = False


def _top(canvas: Canvas) -> int:
    return canvas.mapTo(canvas.window(), QPoint(0, 0)).y()


class GraphPair(QWidget):
    """The second graph is made when it is wanted, and gone without a trace when it is not."""

    def __init__(self, desk: Desk, view: GraphView, switches: Switches) -> None:
        super().__init__()
        self.second = Second(desk.document, desk.jobs, desk.derived, self)
        self._desk = desk
        self._document = desk.document
        self._view = view
        self._switches = switches
        self._beside: Beside | None = None
        self.pane = PairPane(view.canvas)
        self.pane.title.hide()
        self.setProperty(SHARES, True)
        self.splitter = Splitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(1)
        self.splitter.addWidget(self.pane)
        fill(self, self.splitter)
        self._document.look_beside = self._sights
        self._document.changed.connect(self._on_changed)
        self.second.document.changed.connect(self._on_second_selected)
        self.second.changed.connect(self._on_second)
        self.second.failed.connect(self._on_failed)
        desk.appearance.changed.connect(self._on_theme)
        desk.jobs.changed.connect(self._on_jobs)

    @property
    def beside(self) -> Beside | None:
        """Pane that shows the second graph; None: it is hidden."""
        return self._beside

    def ask(self) -> None:
        """Asks for the file of the second model."""
        path, _ = QFileDialog.getOpenFileName(
            self,
            "Open a second model",
            self._desk.settings.last_folder,
            file_filter(),
            options=QFileDialog.Option.HideNameFilterDetails,
        )
        if path:
            self.open(Path(path))

    def open(self, path: Path) -> None:
        """Shows a model as the second graph."""
        pairing = self._document.session.pairing
        self._document.edit("Open a second model", second=path, pairing=pairing if pairing else "side")

    def go(self, main: Collection[int], second: Collection[int]) -> None:
        """Goes to nodes of the graph on view, else to nodes of the second one; the other view follows."""
        if main:
            self._document.go(self._document.state.place, max(main))
        elif second and self._beside is not None:
            self.second.document.show(max(second))

    def _sights(self) -> Sights | None:
        """Finds what is seen of the second graph, or while it is being opened, will be."""
        if self._beside is None:
            return None
        coming = self.second.opening or self.second.model is None
        return self._document.session.second_sights if coming else self._beside.sights()

    # What happens

    def _on_changed(self, fields: Collection[str]) -> None:
        if "session.setup" in fields and self._is_new(comparison_came="model" not in fields):
            self._document.take_session(replace(self._document.session, pairing="side"))
            return
        if {"model", "session.pairing", "session.second", "session.setup"} & set(fields):
            if "session.pairing" in fields and "model" not in fields:
                self._keep_place()
            self._arrange()
        if {"model", "place", "node", "group", "tensor", "findings"} & set(fields):
            self._tell()

    def _on_second_selected(self, fields: Collection[str]) -> None:
        if {"node", "group", "tensor"} & set(fields):
            self._tell()

    def _on_second(self, fields: Collection[str]) -> None:
        if "proposed" in fields:
            self._arrange()
        if self._beside is not None and "model" in fields:
            self._beside.show_content()
        self._tell()

    def _on_failed(self, error: ErrorflowError) -> None:
        if self._beside is not None:
            self._beside.show_failure(error)

    def _on_jobs(self, _: object) -> None:
        """Follows the jobs: what was being opened may have been cancelled."""
        if self._beside is not None and self.second.model is None:
            self._beside.show_content()

    def _on_theme(self, theme: Theme) -> None:
        self.pane.set_theme(theme)
        if self._beside is not None:
            self._beside.set_theme(theme)

    def _is_new(self, comparison_came: bool) -> bool:
        """Whether two models are about to be compared whose view was not decided yet."""
        session = self._document.session
        fresh = comparison_came or session == self._fresh(session)
        return not session.pairing and fresh and self.second.has_both

    def _fresh(self, session: Session) -> Session:
        """Makes a session of the same in which nothing has been decided."""
        return Session(model=session.model, setup=session.setup, painting=self._document.painting)

    def _keep_place(self) -> None:
        """Keeps what is in the middle there when the room becomes another one."""
        canvas = self._view.canvas
        if self._view.shown is not None and not canvas.fitted:
            canvas.hold(*canvas.gaze())

    def _arrange(self) -> None:
        """Arranges by the document."""
        pairing = self._document.session.pairing if self._document.model is not None else ""
        if not pairing:
            self._drop()
            return
        down = pairing == "stacked"
        self.splitter.setOrientation(Qt.Orientation.Vertical if down else Qt.Orientation.Horizontal)
        if self._beside is None:
            self._beside = self._made()
        self.second.open_proposed()
        self._beside.show_content()
        self._tell()

    def _made(self) -> Beside:
        beside = Beside(self._desk, self.second, self._view, self._switches, self.ask)
        beside.hide_button.clicked.connect(lambda: self._document.edit("Hide the second graph", pairing=""))
        self.splitter.addWidget(beside.pane)
        self.splitter.setSizes([1000, 1000])
        self.pane.title.show()
        self.pane.set_theme(self._desk.appearance.theme)
        beside.pane.set_theme(self._desk.appearance.theme)
        return beside

    def _drop(self) -> None:
        """Drops it with all that it held."""
        beside, self._beside = self._beside, None
        if beside is not None:
            self.second.leave(beside.sights())
            beside.end()
            self.pane.title.hide()
        self.second.close()

    def _tell(self) -> None:
        """Names both graphs, and says what belongs to what is selected."""
        beside, main, second = self._beside, self._document, self.second
        if beside is None or main.graph is None or main.model is None:
            return
        title = self.pane.title
        title.show_name(main.model.path.name, about(second, "main", main.graph), str(main.model.path))
        title.show_lonely(*lonely_text(second, "main"))
        other, graph = beside.pane.title, second.document.graph
        if second.model is None or graph is None:
            other.show_name("Second graph", "", "")
        else:
            findings = main.state.findings
            name = painted_name(second.model.path.name, findings is not None and findings.against is not None)
            other.show_name(name, about(second, "second", graph), str(second.model.path))
        other.show_lonely(*lonely_text(second, "second"))
        lead = beside.following.leader
        here, there = relation(second, lead, beside.following.nodes, graph if lead == "main" else main.graph)
        title.tell(here if lead == "main" else there)
        other.tell(there if lead == "main" else here)


# What is told about two graphs above them.


def about(second: Second, which: Which, graph: Graph) -> str:
    """Says beside the name of the model its side once that is known, and how large it is."""
    side = "" if second.links is None else f"{second.side_of(which)} · "
    return f"{side}{len(graph):,} nodes"


def painted_name(name: str, by_change: bool) -> str:
    """Names the second model; while the first is painted by what changed, its colours mean something else."""
    return f"{name}, painted by error" if by_change else name


def lonely_text(second: Second, which: Which) -> tuple[str, str]:
    """Says how many nodes have no partner, and what that means; empty where all have."""
    side, links = second.side_of(which), second.links
    count = 0 if links is None or not second.linked else int(np.count_nonzero(links.unmatched(side)))
    if not count:
        return "", ""
    if side == "candidate":
        return f"{count:,} inserted", "Nodes with a dashed outline have no partner: only the candidate has them."
    return f"{count:,} removed", "Nodes with a dashed outline have no partner: only the reference has them."


def relation(second: Second, lead: Which, nodes: Ints, other: Graph | None) -> tuple[str, str]:
    """Says above the leading graph and above the other one what is known about selected nodes and their partners."""
    if second.links is None or other is None or not len(nodes):
        return "", ""
    if not second.linked:
        return "", "Inside a subgraph nothing is linked"
    partners = second.partners(lead, nodes)
    if not len(partners):
        return ("", "No partner here") if len(nodes) == 1 else ("", "No partners here")
    if len(nodes) > 1:
        return "", f"{len(partners):,} partners"
    siblings = second.partners("second" if lead == "main" else "main", partners)
    rule = _rule(second, lead, int(nodes[0]), int(partners[-1]))
    kind = "merged" if len(partners) == 1 else "split" if len(siblings) == 1 else "regrouped"
    if second.side_of(lead) == "candidate":
        kind = {"merged": "split", "split": "merged"}.get(kind, kind)
    several = len(siblings) > 1 or len(partners) > 1
    here = f"{kind}: {_arrow(second, lead, len(siblings), len(partners))}" if several else ""
    types = " + ".join(dict.fromkeys(other.op_types[node] for node in partners[:4].tolist()))
    there = f"{types}{', …' if len(partners) > 4 else ''}"
    count = f"{len(partners):,} nodes: " if len(partners) > 1 else ""
    return here, f"{count}{there}{rule}"


def _arrow(second: Second, lead: Which, here: int, there: int) -> str:
    """Says how many nodes became how many."""
    before, after = (here, there) if second.side_of(lead) == "reference" else (there, here)
    return f"{before:,} → {after:,}"


def _rule(second: Second, lead: Which, node: int, partner: int) -> str:
    assert second.links is not None, "asked for what is linked"
    ends = (node, partner) if second.side_of(lead) == "reference" else (partner, node)
    rule = second.links.rule(*ends)
    return "" if rule is None else f" · by {rule.label}{'' if rule.certain else ' (a guess)'}"


# A graph of two with its title: which model it is, which side, and what is told about it.

T = TypeVar("T", bound=QLabel)
_HIGH = 28
# Below such widths it is not told how many nodes there are, or what belongs to what is selected.
_WIDE, _MIDDLE = 460, 340


class Title(QWidget):
    """A row above a graph."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(_HIGH)
        self._text = ""
        self.name = Elided(Qt.TextElideMode.ElideMiddle)
        self.name.setProperty("role", "strong")
        self.about = _muted(QLabel())
        self.told = _muted(Elided(Qt.TextElideMode.ElideRight))
        self.told.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.swatch = Swatch()
        self.lonely = _muted(QLabel())
        self._row = spaced(QHBoxLayout(self), PADDING, (PADDING + 4, 0, 4, 0))
        self.name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.told.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._row.addWidget(self.name)
        self._row.addWidget(self.about)
        self._row.addWidget(self.told, 1)
        for widget in (self.swatch, self.lonely):
            self._row.addWidget(widget)
        self.show_lonely("", "")

    def add_button(self, icon: str, text: str) -> QToolButton:
        button = QToolButton()
        button.setAutoRaise(True)
        button.setToolTip(text)
        button.setAccessibleName(text)
        icons.follow(button, icon)
        self._row.addWidget(button)
        return button

    def show_name(self, name: str, about: str, tip: str) -> None:
        self.name.show_text(name)
        self.about.setText(about)
        for label in (self.name, self.about):
            label.setToolTip(tip)

    def show_lonely(self, text: str, tip: str) -> None:
        """Shows beside the mark of nodes without a partner how many there are."""
        self.lonely.setText(text)
        for widget in (self.swatch, self.lonely):
            widget.setVisible(bool(text))
            widget.setToolTip(f"{text}. {tip}")

    def tell(self, text: str) -> None:
        """Tells until something is pointed at."""
        self._text = text
        self.point("")

    def point(self, text: str) -> None:
        """Points at what the pointer is on; empty: on nothing."""
        shown = text if text else self._text
        self.told.show_text(shown)
        self.told.setToolTip(shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The name comes first, the side and the mark next."""
        super().resizeEvent(event)
        self.about.setVisible(self.width() >= _WIDE)
        self.told.setVisible(self.width() >= _MIDDLE)


class Swatch(QWidget):
    """Mark of nodes without a partner."""

    def __init__(self) -> None:
        super().__init__()
        self._color = QColor()
        self.setFixedSize(QSize(18, 14))

    def set_theme(self, theme: Theme) -> None:
        self._color = QColor(theme.muted)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - the signature of Qt
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(self._color, 1.5)
        pen.setDashPattern([3.0, 2.0])
        painter.setPen(pen)
        painter.drawRoundedRect(QRectF(1.5, 1.5, 15.0, 11.0), 3.0, 3.0)
        painter.end()


class PairPane(QWidget):
    """A title above what it is the title of."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self.title = Title()
        self._content = content
        box = spaced(QVBoxLayout(self))
        box.addWidget(self.title)
        box.addWidget(content, 1)
        self.setProperty(OWN_SIZE, True)  # in little room a graph is as good in large text
        self.setMinimumSize(160, 112)

    def set_theme(self, theme: Theme) -> None:
        self.title.swatch.set_theme(theme)


def _muted(label: T) -> T:
    label.setProperty("muted", True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
