"""The main window: puts the rooms together and grants their wishes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from PySide6.QtCore import QObject, QRectF, Qt
from PySide6.QtGui import QCloseEvent, QFont, QImage, QPainter
from PySide6.QtWidgets import QFileDialog, QWidget

from errorflow.base.progress import SILENT, Progress
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow_viewer.canvas.batch import Batch, Counts
from errorflow_viewer.canvas.camera import Camera
from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.canvas.paint import paint_scene
from errorflow_viewer.canvas.scene import Scene
from errorflow_viewer.canvas.sheet import Fills, Style
from errorflow_viewer.canvas.signs import NO_SIGNS
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.document.derived_table import looked
from errorflow_viewer.document.deriving import Deriving
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.drafts import Drafts
from errorflow_viewer.document.opening import file_filter_of_all
from errorflow_viewer.document.recents import Recents
from errorflow_viewer.document.state import Place, State
from errorflow_viewer.document.thumbnails import HEIGHT, WIDTH, stamp_from
from errorflow_viewer.document.verdict_words import headline
from errorflow_viewer.kit.accessible.keyboard import give
from errorflow_viewer.kit.accessible.regions import Regions
from errorflow_viewer.kit.jobs import Step, ignore_failure
from errorflow_viewer.kit.look import DARK, LIGHT, Theme
from errorflow_viewer.kit.recent import Recent
from errorflow_viewer.kit.settings import Settings, ThemeChoice
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.window.comparisons import Comparisons
from errorflow_viewer.window.desk import WholeDesk
from errorflow_viewer.window.exports import Exports, Host
from errorflow_viewer.window.file_banners import News
from errorflow_viewer.window.frame import WindowFrame
from errorflow_viewer.window.graph_view import GraphView
from errorflow_viewer.window.menus import Commands
from errorflow_viewer.window.middle_pages import MiddlePages
from errorflow_viewer.window.session_files import SessionFiles
from errorflow_viewer.window.session_reading import is_session_name
from errorflow_viewer.window.sessions import Doors, Sessions
from errorflow_viewer.window.steered_graph import SteeredGraph
from errorflow_viewer.window.support import Support
from errorflow_viewer.window.surroundings import Surroundings
from errorflow_viewer.window.tour.tour import Tour
from errorflow_viewer.window.trying import Trying
from errorflow_viewer.window.workings import Workings

if TYPE_CHECKING:
    from errorflow.report.paint import Paint


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
        """Shows the ranking with the keyboard in the graph, where keys paint it by what is ranked."""
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
            self.commands.refresh()
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
            self.commands.refresh()

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


# The session of a window, and its files.


class Keeper(WholeDesk, Protocol):
    """The window, as far as its session needs it."""

    @property
    def comparisons(self) -> Comparisons: ...

    @property
    def news(self) -> News: ...


class Keeping:
    """Stage of one window."""

    def __init__(self, host: Keeper, workings: Workings, graph: SteeredGraph, folder: Path, window: QWidget) -> None:
        """`folder`: of what the app keeps."""
        doors = Doors(
            lambda session: host.comparisons.start_session(session),
            lambda: graph.view.shown,
            lambda: graph.switches.view,
            lambda text: host.say(text),
            lambda path, error: host.news.tell_failed(path, error),
            folder / "bundles",
        )
        document = workings.document
        self.sessions = Sessions(document, workings.jobs, Drafts(folder / "drafts"), doors, window)
        self.files = SessionFiles(
            window, document, self.sessions, host.settings, workings.banners, lambda: host.studies.earlier
        )


# Keeps a small picture of what is on view, painted as the canvas paints, for the next time it is to be opened.

KEY = "thumbnail"
_PAINTED = frozenset(("findings", "case", "session.painting"))
# Milliseconds in which nothing changes before it is painted; pixels round the graph.
CALM, MARGIN = 1200, 20
# Device pixels per logical pixel, which lines and letters go by.
RATIO = 2.0
# A graph is no narrower than this share of the picture: of a thread only the part where it turns bad is shown.
LEAST = 0.12
# Boxes up to which it is painted while the window closes.
QUICK = 5000


@dataclass(frozen=True)
class Motif:
    """Motif that is painted."""

    drawing: Drawing
    graph: Graph
    # None: not by error.
    paint: "Paint | None"
    font: QFont


class FileReader(Protocol):
    """Reader of files that come on view."""

    @property
    def read(self) -> Mapping[Path, int]:
        """Times when each of them had been written by then."""


# What is painted of which entry if it is one, the sign of its verdict, and a stamp of the files that were read.
_Wish = tuple[Recent | None, Motif, str, str]


class Thumbnailing(QObject):
    """Painter of what is on view when nothing changes any more."""

    def __init__(
        self,
        document: Document,
        view: GraphView,
        derived: Deriving,
        recents: Recents,
        sessions: Sessions,
        readers: Sequence[FileReader],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._readers = readers
        self._document = document
        self._view = view
        self._derived = derived
        self._recents = recents
        self._sessions = sessions
        row = looked(KEY, "Painting a small picture", self._wished, self._keep, lambda _: None, ignore_failure)
        derived.add(replace(row, calm=CALM, in_turn=lambda *_: True, shown=False))
        view.unfolded.connect(self._follow)
        sessions.saved.connect(self._follow)
        # Behind the view, which was made before and has painted by then.
        document.changed.connect(self._on_changed)

    def _on_changed(self, fields: Collection[str]) -> None:
        if not _PAINTED.isdisjoint(fields):
            self._follow()

    def _follow(self, _saved: object = None) -> None:
        self._derived.follow(KEY)

    def finish(self) -> None:
        """The window closes: what was to be painted soon is painted now, unless that takes long."""
        if self._derived.rests(KEY):
            self.paint_now()

    def paint_now(self) -> None:
        wish = self._wished(self._document.state)
        if wish is not None and len(wish[1].drawing) <= QUICK:
            self._keep(wish, SILENT)

    def _keep(self, wish: _Wish, progress: Progress) -> None:
        recent, motif, sign, stamp = wish
        if recent is None or not stamp:
            return
        images: dict[str, QImage] = {}
        for done, theme in enumerate((LIGHT, DARK)):
            progress.step(done, 2, "Painting a small picture")
            images[theme.name] = painted(motif, theme)
        self._recents.thumbnails.write(recent, images, sign, stamp)

    def _wished(self, _: State) -> _Wish | None:
        recent, motif = self._recent(), self.motif()
        stamp = "" if recent is None else self._stamp(recent)
        return None if motif is None else (recent, motif, self._sign(), stamp)

    def _recent(self) -> Recent | None:
        """Finds what of the list is on view; None: nothing of it, such as a sample."""
        session = self._document.session
        known = (self._sessions.file, session.bundle, session.setup, session.model)
        found = next((each for each in known if each is not None), None)
        return found if found in self._recents.entries else None

    def _stamp(self, recent: Recent) -> str:
        """Stamps what was read: its files may have been written anew since."""
        if recent == self._sessions.file:
            return self._sessions.stamp
        return stamp_from(recent, {path: time for reader in self._readers for path, time in reader.read.items()})

    def motif(self) -> Motif | None:
        """Finds what is on view; None: nothing, or a part of the model."""
        shown, at_root = self._view.shown, self._document.state.place == Place()
        if shown is None or not at_root or not len(shown.drawing):
            return None
        return Motif(shown.drawing, shown.draft.drawn, self._view.errors.paint, QFont(self._view.canvas.font()))

    def _sign(self) -> str:
        compared = self._document.state.case
        found = None if compared is None else headline(compared, running=False)
        return "" if found is None or found.waits else found.sign


def painted(motif: Motif, theme: Theme, width: int = WIDTH, height: int = HEIGHT) -> QImage:
    """Paints all of it as far as there is room."""
    scene, paint = Scene(motif.drawing, motif.graph), motif.paint
    colors = colors_of(theme) if paint is None else colors_of(theme, paint.palette, paint.diverging)
    style, signs = Style(colors, motif.font), NO_SIGNS.painted(paint)
    fills = Fills.of(scene, style, signs.errors, signs.crossed)
    image = QImage(width, height, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    try:
        area, camera = QRectF(0, 0, width, height), _camera(motif, width, height)
        paint_scene(Batch(painter, Counts()), scene, fills, style, camera, RATIO, area, signs)
    finally:
        painter.end()
    return image


def _camera(motif: Motif, width: int, height: int) -> Camera:
    across, down = (max(length, 1.0) for length in motif.drawing.size)
    fit = min((width - 2 * MARGIN) / across, (height - 2 * MARGIN) / down, RATIO)
    scale = min(max(fit, LEAST * width / across, LEAST * height / down), RATIO)
    x, y = (across / 2, down / 2) if scale == fit else _centre(motif)
    left, top = x * scale - width / 2, y * scale - height / 2
    return Camera(scale, round(_kept(left, across * scale, width)), round(_kept(top, down * scale, height)))


def _kept(start: float, length: float, room: int) -> float:
    """Keeps what is larger than the room within it."""
    if length + 2 * MARGIN <= room:
        return (length - room) / 2
    return min(max(start, -MARGIN), length + MARGIN - room)


def _centre(motif: Motif) -> tuple[float, float]:
    """Finds where it is first as bad as it gets."""
    boxes = motif.drawing.boxes
    badness = None if motif.paint is None else np.nan_to_num(motif.paint.errors.badness)
    box = 0 if badness is None or not len(badness) else int(np.argmax(badness >= badness.max()))
    left, top, across, down = boxes[box]
    return float(left + across / 2), float(top + down / 2)
