"""Both graphs in the middle of the window: the one on view, and beside or below it, if wanted, the second."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from errorflow.base.errors import ErrorflowError
from errorflow.case.session.model import Session, Sights
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.document.opening import file_filter
from errorflow_viewer.document.second_graph import Second
from errorflow_viewer.kit.accessible.splitter import Splitter
from errorflow_viewer.kit.layouts import SHARES, fill
from errorflow_viewer.kit.look import Theme
from errorflow_viewer.window.graph_view import GraphView
from errorflow_viewer.window.pair_pane import Pane
from errorflow_viewer.window.pair_texts import about, lonely_text, painted_name, relation
from errorflow_viewer.window.second_graph_pane import Beside
from errorflow_viewer.window.switches import Switches


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
        self.pane = Pane(view.canvas)
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
        """What shows the second graph; None: it is hidden."""
        return self._beside

    def ask(self) -> None:
        """For the file of the second model."""
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
        """To nodes of the graph on view, else to nodes of the second one; the other view follows."""
        if main:
            self._document.go(self._document.state.place, max(main))
        elif second and self._beside is not None:
            self.second.document.show(max(second))

    def _sights(self) -> Sights | None:
        """What is seen of the second graph, or while it is being opened, will be."""
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
        """What was being opened may have been cancelled."""
        if self._beside is not None and self.second.model is None:
            self._beside.show_content()

    def _on_theme(self, theme: Theme) -> None:
        self.pane.set_theme(theme)
        if self._beside is not None:
            self._beside.set_theme(theme)

    def _is_new(self, comparison_came: bool) -> bool:
        """Whether two models are about to be compared of which nobody has decided yet how they are to be seen."""
        session = self._document.session
        fresh = comparison_came or session == self._fresh(session)
        return not session.pairing and fresh and self.second.has_both

    def _fresh(self, session: Session) -> Session:
        """Of the same, as nobody has decided anything about it."""
        return Session(model=session.model, setup=session.setup, painting=self._document.painting)

    def _keep_place(self) -> None:
        """What is in the middle stays there when the room becomes another one."""
        canvas = self._view.canvas
        if self._view.shown is not None and not canvas.fitted:
            canvas.hold(*canvas.gaze())

    def _arrange(self) -> None:
        """As the document says."""
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
        """What it held goes with it."""
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
