"""The main window: puts the rooms together and grants their wishes."""

from collections.abc import Collection
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QFileDialog, QWidget

from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import SUFFIX
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.commands.against_bar import AgainstBar
from errorflow_viewer.commands.crumbs import Crumbs
from errorflow_viewer.commands.verdict_bar import VerdictBar
from errorflow_viewer.document.derived_table import derived
from errorflow_viewer.document.deriving import Deriving
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.drafts import Drafts
from errorflow_viewer.document.earlier import Earlier
from errorflow_viewer.document.evaluating import Evaluating
from errorflow_viewer.document.opening import SHAPES, Opening, file_filter_of_all, missing_shapes
from errorflow_viewer.document.ranking import Rankings
from errorflow_viewer.document.recents import Recents
from errorflow_viewer.document.reopening import Reopening
from errorflow_viewer.document.runs_beside import RunsBeside
from errorflow_viewer.document.searching import Searching
from errorflow_viewer.document.simulating import Simulating, Stage
from errorflow_viewer.kit.accessible.keyboard import give
from errorflow_viewer.kit.accessible.regions import Regions
from errorflow_viewer.kit.banner import Banners
from errorflow_viewer.kit.drawings import Drawings
from errorflow_viewer.kit.jobs import Jobs, Step
from errorflow_viewer.kit.large_plots import LargePlots
from errorflow_viewer.kit.layouts import PageStack, stacked
from errorflow_viewer.kit.look import Theme
from errorflow_viewer.kit.recent import Recent
from errorflow_viewer.kit.settings import Settings, ThemeChoice
from errorflow_viewer.kit.status import StatusBar
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.kit.translation.speech import Speech
from errorflow_viewer.pages.guide.guiding import Guiding
from errorflow_viewer.pages.start.page import StartPage
from errorflow_viewer.panels.problem_count import count_text
from errorflow_viewer.panels.simulate.remedying import corrected_for
from errorflow_viewer.window.comparisons import Comparisons
from errorflow_viewer.window.docks import Docks
from errorflow_viewer.window.exports import Exports, Host
from errorflow_viewer.window.file_banners import News
from errorflow_viewer.window.folds import Folds
from errorflow_viewer.window.frame import Frame
from errorflow_viewer.window.graph_view import GraphView
from errorflow_viewer.window.menus import Commands
from errorflow_viewer.window.pages import Pages
from errorflow_viewer.window.pair_view import GraphPair
from errorflow_viewer.window.palette import Palette
from errorflow_viewer.window.remembering import Remembering
from errorflow_viewer.window.selection import Selection
from errorflow_viewer.window.session_files import SessionFiles
from errorflow_viewer.window.session_reading import is_bundle_name
from errorflow_viewer.window.sessions import Doors, Sessions
from errorflow_viewer.window.support import MIDDLE, Support
from errorflow_viewer.window.switches import Switches, first_form, form_for
from errorflow_viewer.window.thumbnailing import Thumbnailing
from errorflow_viewer.window.tour.tour import Tour
from errorflow_viewer.window.whole_pages import WholePages

# Of the room of the start page, what the graph gets.
GRAPH_SHARE = 0.6


class MainWindow(Frame):
    """Implements `Desk`."""

    def __init__(self, settings: Settings, appearance: Appearance, log_file: Path) -> None:
        super().__init__(appearance.theme)
        self.settings = settings
        self.speech = Speech(settings, self)
        self._results, self._unpacked = (log_file.parent / name for name in ("results", "bundles"))
        self._busy_with: tuple[str, ...] = ()
        self.appearance = appearance
        document = self.document = Document(self)
        self.speech.follow(self.document)
        self.jobs = Jobs(self)
        self._drawings = Drawings(first_form(settings))
        self._opening = Opening(self.document, self.jobs, self._drawings, partial(form_for, settings), self)
        self._reopening = Reopening(settings, self.document, self.jobs, self._opening, self._reopen, self)
        self.plots = LargePlots(self)
        self.recents = Recents(settings, self.jobs, self)
        self.banners = Banners(appearance.theme)
        rows = *derived(log_file.parent / "searches"), missing_shapes(SHAPES, document, lambda: self._drawings)
        self.derived = Deriving(document, self.jobs, rows, self.banners.show_notice, self.banners.dismiss, self)
        self.earlier = Earlier(self.document, self.derived, self)
        self._beside = RunsBeside(self.document, self)
        self._graph_view = GraphView(self.document, self.derived, self._drawings, appearance.theme)
        self.folds = Folds(self.document, self._graph_view)
        self.switches = Switches(settings, self.document, self._graph_view, lambda text: self.status.say(text))
        self.selection = Selection(self.document, self._graph_view)
        self._sessions = Sessions(
            self.document,
            self.jobs,
            Drafts(log_file.parent / "drafts"),
            Doors(
                lambda session: self.comparisons.start_session(session),
                lambda: self._graph_view.shown,
                lambda: self.switches.view,
                lambda text: self.status.say(text),
                lambda path, error: self._news.tell_failed(path, error),
                self._unpacked,
            ),
            self,
        )
        self.session_files = SessionFiles(self, document, self._sessions, settings, lambda: self.banners, self.earlier)
        self.support = Support(self, appearance, log_file, lambda: self.banners, lambda text: self.status.say(text))
        self._build()
        self._connect()
        self._restore()
        self.commands.refresh()

    def _build(self) -> None:
        self.start = StartPage(self)
        self.stack = PageStack()
        self.stack.setObjectName(MIDDLE)
        self.stack.addWidget(self.start)
        self.pair = GraphPair(self, self._graph_view, self.switches)
        self.stack.addWidget(self.pair)
        self.comparisons: Comparisons = Comparisons(self, self._opening, self.banners, self._unpacked)
        self.pair.second.brought = self.comparisons.bundles.second
        comparing = self.comparisons.comparing
        self._remembering = Remembering(self.derived, self._results, self._sessions, comparing, self)
        self.simulating: Simulating = Simulating(
            self.document,
            self.derived,
            self.jobs,
            Stage(
                lambda path, session: self._opening.open(path, session=session),
                self._opening.show,
                self.banners.show_notice,
                self.banners.dismiss,
                comparing.stop,
                comparing.again,
                partial(self.show_panel, "simulate"),
                self.comparisons.bundles.withhold,
            ),
            self,
        )
        self.derived.add(corrected_for(self))
        self.ranking = Rankings(self.document, self.derived, self.simulating, self.show_ranking, self)
        show_search, found_in = partial(self.show_panel, "search"), self._results.parent / "searches"
        self.searching = Searching(self.document, self.derived, self.simulating, show_search, self)
        self.evaluating = Evaluating(self.document, self.derived, self.simulating, found_in, self)
        bars = VerdictBar(self, self.stack, self.pair), AgainstBar(self, self.stack, self.pair)
        self._guiding = Guiding(self, self.stack, self.pair, lambda: self._sessions.file, self)
        self.setCentralWidget(stacked(self.banners, self._guiding.bar, *bars, self.stack))
        self.docks = Docks(self, self)
        self.evaluating.wanted.connect(partial(self.show_panel, "runs"))
        self._pages = Pages(self, self.stack, self.start, self.pair, self._graph_view, self.docks)
        self.whole_pages = WholePages(self, self.stack, self.pair, self.banners, self._pages.show, self.leave_page)
        self._news: News = News(self, self.document, self._sessions, self.banners, self.settings, self.speech)
        self.status: StatusBar = StatusBar(self.cancel, partial(self.show_panel, "problems"))
        self.setStatusBar(self.status)
        self.exports = Exports(
            Host(self, self, self._graph_view, self.pair, self.banners, self.status.say, self.support.show_outside)
        )
        readers, view = (comparing, self._opening), self._graph_view
        self._thumbnailing = Thumbnailing(
            self.document, view, self.derived, self.recents, self._sessions, readers, self
        )
        self.commands: Commands = Commands(self, self)
        middle, keeping = (self.stack, self.pair), (self._sessions, self._reopening, self._pages)
        self._tour = Tour(
            self, self, self._graph_view, middle, keeping, self.leave_page, lambda key: self.commands.made[key]
        )
        self.commands.give_keys(self.view)
        self.addToolBar(self.commands.make_toolbar(Crumbs(self.document)))
        self.palette_box = Palette(self, self)
        self.dropped.connect(self.open_all)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.regions = Regions(self)

    def _connect(self) -> None:
        self.document.changed.connect(self._on_changed)
        self.jobs.changed.connect(self._on_jobs)
        self._opening.opened.connect(self._on_opened)
        self._opening.replaced.connect(self.whole_pages.make_way)
        self._sessions.changed.connect(self._news.show_title)
        self._reopening.withheld.connect(self._news.tell_withheld)
        self._graph_view.failed.connect(self._news.tell_undrawn)
        self._graph_view.unfolded.connect(self.commands.refresh)
        self._graph_view.canvas.menu_wanted.connect(self.commands.show_graph_menu)
        self._graph_view.canvas.legend_menu_wanted.connect(self.commands.show_legend_menu)
        self._graph_view.canvas.zoom_changed.connect(self.status.show_zoom)
        self._graph_view.canvas.hovered.connect(lambda box: self.status.text.setText(self._graph_view.box_title(box)))
        self.appearance.changed.connect(self._on_theme)
        self.speech.changed.connect(self.appearance.show_again)
        self.plots.changed.connect(self.commands.refresh)
        for dock in self.docks.by_key.values():
            dock.visibilityChanged.connect(self._on_panel)

    # Desk: what others may use

    @property
    def view(self) -> Canvas:
        return self._graph_view.canvas

    def open(self, path: Path) -> None:
        self.banners.leave_model()
        self._drawings.form = self._graph_view.form_in(self.stack.size(), GRAPH_SHARE)
        if path.suffix == SUFFIX or is_bundle_name(path):
            self._sessions.open(path)
        else:
            self._opening.open(path)

    def open_again(self, recent: Recent) -> None:
        """A file, or a comparison with all that belongs to it."""
        if isinstance(recent, Path):
            self.open(recent)
        else:
            self.comparisons.start(recent)

    def _reopen(self, model: Path) -> None:
        self._sessions.reopen(model, self.open)

    def open_all(self, paths: Collection[Path]) -> None:
        """Opens whatever it is: a model, or all that belongs to a comparison."""
        self.comparisons.take(tuple(paths))

    def compare(self, setup: Setup | None = None) -> None:
        self.comparisons.ask(setup)

    def compare_again(self) -> None:
        self.comparisons.again()

    def guide(self) -> None:
        self._guiding.show()

    def tour(self) -> None:
        self._tour.start()

    def align(self) -> None:
        self.whole_pages.show_align()

    def show_verdict_page(self) -> None:
        self.whole_pages.turn_verdict()

    def make_ticket(self) -> None:
        self.whole_pages.show_ticket()

    def look_for_files(self) -> None:
        self.session_files.look_for_files()

    def ask_for_file(self) -> None:
        path, _ = QFileDialog.getOpenFileName(
            self,
            "Open a model",
            self.settings.last_folder,
            file_filter_of_all(results=self.document.model is not None),
            options=QFileDialog.Option.HideNameFilterDetails,
        )
        if path:
            self.open(Path(path))

    def reload(self) -> None:
        if self.document.model is not None and not self.comparisons.reload():
            self.banners.leave_model()
            self._opening.open(self.document.model.path, keep_place=True)

    def close_model(self) -> None:
        self._opening.stop()
        self.banners.leave_model()
        self.document.close()
        self.jobs.garbage.look_later()

    def cancel(self) -> None:
        if self.jobs.steps:
            text = self.jobs.steps[-1].text
            self.jobs.cancel(self.jobs.steps[-1].key)
            self.status.say(f"Cancelled: {text}")

    def quit(self) -> None:
        self.close()

    def say(self, text: str) -> None:
        self.status.say(text)

    def centre_on_selection(self) -> None:
        self._graph_view.centre_on_selection()

    def focus_graph(self) -> None:
        give(self.view)

    def find_node(self) -> None:
        self.show_panel("nodes")
        self.docks.nodes.focus_search()

    def open_palette(self, text: str) -> None:
        self.palette_box.popup(text)

    def toggle_panel(self, key: str) -> None:
        if self.docks.is_in_front(key):
            self.hide_panel(key)
        else:
            self.show_panel(key)

    def show_panel(self, key: str, field: str = "") -> None:
        dock = self.docks.by_key[key]
        dock.show()
        dock.raise_()
        dock.give_keyboard(field)

    def show_ranking(self) -> None:
        """With the keyboard in the graph, where keys paint it by what is ranked."""
        self.show_panel("ranking")
        self.focus_graph()

    def hide_panel(self, key: str) -> None:
        self.docks.by_key[key].hide()

    def panel_shown(self, key: str) -> bool:
        return not self.docks.by_key[key].isHidden()

    def reset_layout(self) -> None:
        self._pages.arrange()

    def step_match(self, step: int) -> None:
        self.docks.nodes.step(step)

    def show_in_list(self) -> None:
        self.show_panel("nodes")
        self.docks.nodes.show_selected()

    def set_theme(self, choice: ThemeChoice) -> None:
        self.settings.theme = choice
        self.appearance.choose(choice)

    def reopen_last(self) -> None:
        self._reopening.start()

    # Wiring

    def _on_changed(self, fields: Collection[str]) -> None:
        with self.commands.held():
            self.commands.refresh()
            if "model" in fields:
                self._show_model()
            if {"model", "case"} & set(fields):
                self.status.show_problems(count_text(self.document.state))

    def _show_model(self) -> None:
        model = self.document.model
        self.status.follow(None if model is None else model.path)
        self._news.show_title()
        self.status.show_zoom(None if model is None else self.view.zoom)
        self._pages.follow(model is not None)

    def show_page(self, page: QWidget) -> None:
        self._pages.show(page)

    def leave_page(self) -> None:
        self._pages.leave(self.document.model is not None)

    def _on_panel(self, _shown: bool) -> None:
        self.commands.refresh()

    def _on_jobs(self, steps: tuple[Step, ...]) -> None:
        self.status.busy.show_steps(steps)
        keys = tuple(step.key for step in steps)
        if keys != self._busy_with:  # else one of them is only further on
            self._busy_with = keys
            self.commands.refresh()

    def _on_opened(self, path: Path) -> None:
        self._news.tell_opened(path)
        self.start.refresh()

    def _on_theme(self, theme: Theme) -> None:
        self.banners.set_theme(theme)
        self._graph_view.set_theme(theme)
        self.veil.set_theme(theme)
        self.commands.refresh()

    def _restore(self) -> None:
        self._pages.restore(self.settings)
        if not self.restoreGeometry(self.settings.geometry):
            self.take_first_size()

    # Events

    def closeEvent(self, event: QCloseEvent) -> None:
        self._pages.remember(self.settings)
        self._thumbnailing.finish()
        self._sessions.end(awaits_last=self._reopening.remember())
        self.settings.flush()
        self.vanish()
        self.derived.end()
        self.jobs.stop()
        self.simulating.end()
        super().closeEvent(event)
        self.closed.emit()
