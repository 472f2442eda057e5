"""The main window: puts the rooms together and grants their wishes."""

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QFileDialog, QWidget

from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.document.opening import file_filter_of_all
from errorflow_viewer.kit.accessible.keyboard import give
from errorflow_viewer.kit.accessible.regions import Regions
from errorflow_viewer.kit.jobs import Step
from errorflow_viewer.kit.look import Theme
from errorflow_viewer.kit.recent import Recent
from errorflow_viewer.kit.settings import Settings, ThemeChoice
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.window.exports import Exports, Host
from errorflow_viewer.window.frame import WindowFrame
from errorflow_viewer.window.keeping import Keeping
from errorflow_viewer.window.menus import Commands
from errorflow_viewer.window.middle_pages import MiddlePages
from errorflow_viewer.window.sessions import is_session_name
from errorflow_viewer.window.steered_graph import SteeredGraph
from errorflow_viewer.window.support import Support
from errorflow_viewer.window.surroundings import Surroundings
from errorflow_viewer.window.thumbnailing import Thumbnailing
from errorflow_viewer.window.tour.tour import Tour
from errorflow_viewer.window.trying import Trying
from errorflow_viewer.window.workings import Workings

if TYPE_CHECKING:
    pass


# Of the room of the start page, what the graph gets.
GRAPH_SHARE = 0.6


class MainWindow(WindowFrame):
    """Implements `Desk`."""

    def __init__(self, settings: Settings, appearance: Appearance, log_file: Path) -> None:
        super().__init__(appearance.theme)
        self.settings, self.appearance = settings, appearance
        self._busy_with: tuple[str, ...] = ()
        folder, theme = log_file.parent, appearance.theme
        workings = self._workings = Workings(self, settings, theme, folder / "searches", self._reopen)
        self.speech, self.document, self.jobs = workings.speech, workings.document, workings.jobs
        self.recents, self.banners, self.derived = workings.recents, workings.banners, workings.derived
        self.plots = workings.plots
        graph = SteeredGraph(workings, settings, theme, self.say)
        self._graph_view, self.folds = graph.view, graph.folds
        self.switches, self.selection = graph.switches, graph.selection
        keeping = Keeping(self, workings, graph, folder, self)
        self._sessions, self.session_files = keeping.sessions, keeping.files
        self.support = Support(self, appearance, log_file, self.banners, self.say)
        self._build(graph, folder)
        self._connect()
        self._restore()
        self.commands.refresh()

    def _build(self, graph: SteeredGraph, folder: Path) -> None:
        workings, sessions, view = self._workings, self._sessions, graph.view
        middle = MiddlePages(self, graph)
        self.start, self.stack, self.pair = middle.start, middle.stack, middle.pair
        trying = Trying(self, workings, sessions, folder, self._show_study, self)
        self.comparisons = trying.comparisons
        self.studies = trying.studies
        self.studies.earlier.let_choose(self.session_files.ask_for_earlier)
        self._remembering = trying.remembering
        around = self._around = Surroundings(self, self, workings, view, middle, sessions)
        self._guiding, self._pages, self.news = around.guiding, around.pages, around.news
        self.panels = around.panels
        self.whole_pages = around.whole_pages
        self.status = around.status
        self.exports = Exports(
            Host(self, self, view, self.pair, self.banners, self.status.say, self.support.show_outside)
        )
        readers = self.comparisons.comparing, workings.opening
        self._thumbnailing = Thumbnailing(self.document, view, self.derived, self.recents, sessions, readers, self)
        self.commands: Commands = Commands(self, self)
        pages, keeping = (self.stack, self.pair), (sessions, workings.reopening, self._pages)
        self._tour = Tour(self, self, view, pages, keeping, self.leave_page, lambda key: self.commands.made[key])
        self.commands.give_keys(self.view)
        self.addToolBar(self.commands.make_toolbar())
        self.dropped.connect(self.open_all)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.regions = Regions(self)

    def _connect(self) -> None:
        self.document.changed.connect(self._on_changed)
        self.jobs.changed.connect(self._on_jobs)
        self._workings.opening.opened.connect(self._on_opened)
        self._workings.opening.replaced.connect(self.whole_pages.make_way)
        self._sessions.changed.connect(self.news.show_title)
        self._workings.reopening.withheld.connect(self.news.tell_withheld)
        self._graph_view.failed.connect(self.news.tell_undrawn)
        self._graph_view.unfolded.connect(self.commands.refresh)
        self._graph_view.canvas.menu_wanted.connect(self.commands.show_graph_menu)
        self._graph_view.canvas.legend_menu_wanted.connect(self.commands.show_legend_menu)
        self._graph_view.canvas.zoom_changed.connect(self.status.show_zoom)
        self._graph_view.canvas.hovered.connect(lambda box: self.status.text.setText(self._graph_view.box_title(box)))
        self.appearance.changed.connect(self._on_theme)
        self.speech.changed.connect(self.appearance.show_again)
        self.plots.changed.connect(self.commands.refresh)
        for dock in self.panels.by_key.values():
            dock.visibilityChanged.connect(self._on_panel)

    # Desk: what others may use

    @property
    def view(self) -> Canvas:
        return self._graph_view.canvas

    def open(self, path: Path) -> None:
        self.banners.leave_model()
        self._workings.drawings.form = self._graph_view.form_in(self.stack.size(), GRAPH_SHARE)
        if is_session_name(path):
            self._sessions.open(path)
        else:
            self._workings.opening.open(path)

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

    def compare(self) -> None:
        self.comparisons.ask()

    def compare_again(self) -> None:
        self.comparisons.again()

    def guide(self) -> None:
        self._guiding.show()

    def tour(self) -> None:
        self._tour.start()

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
            self._workings.opening.open(self.document.model.path, keep_place=True)

    def close_model(self) -> None:
        self._workings.opening.stop()
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
        self.panels.show("nodes")
        self.panels.nodes.focus_search()

    def _show_study(self, key: str) -> None:
        """Shows a study; the keyboard stays in the graph for a ranking, where keys paint by what is ranked."""
        self.panels.show(key)
        if key == "ranking":
            self.focus_graph()

    def reset_layout(self) -> None:
        self._pages.arrange()

    def step_match(self, step: int) -> None:
        self.panels.nodes.step(step)

    def show_in_list(self) -> None:
        self.panels.show("nodes")
        self.panels.nodes.show_selected()

    def set_theme(self, choice: ThemeChoice) -> None:
        self.settings.theme = choice
        self.appearance.choose(choice)

    def reopen_last(self) -> None:
        self._workings.reopening.start()

    # Wiring

    def _on_changed(self, fields: Collection[str]) -> None:
        with self.commands.held():
            self.commands.refresh(fields)
            self._around.follow(fields)

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
            self.commands.refresh(("jobs",))

    def _on_opened(self, path: Path) -> None:
        self.news.tell_opened(path)
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
        self._sessions.end(awaits_last=self._workings.reopening.remember())
        self.settings.flush()
        self.vanish()
        self.derived.end()
        self.jobs.stop()
        self.studies.simulating.end()
        super().closeEvent(event)
        self.closed.emit()
