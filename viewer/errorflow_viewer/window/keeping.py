"""Session of a window, and its files."""

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtWidgets import QWidget

from errorflow_viewer.document.drafts import Drafts
from errorflow_viewer.window.comparisons import Comparisons
from errorflow_viewer.window.desk import WholeDesk
from errorflow_viewer.window.file_banners import News
from errorflow_viewer.window.session_files import SessionFiles
from errorflow_viewer.window.sessions import Doors, Sessions
from errorflow_viewer.window.steered_graph import SteeredGraph
from errorflow_viewer.window.workings import Workings

if TYPE_CHECKING:
    pass


class Keeper(WholeDesk, Protocol):
    """The window, as far as its session needs it."""

    @property
    def comparisons(self) -> Comparisons: ...

    @property
    def news(self) -> News: ...


class Keeping:
    """Sessions and pictures that one window keeps."""

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
