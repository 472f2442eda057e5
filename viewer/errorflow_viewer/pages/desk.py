"""Interface of the window for pages, besides what all have."""

from typing import Protocol

from errorflow.case.session.model import Session
from errorflow_viewer.canvas.steering import CanvasDesk, Middle
from errorflow_viewer.document.recents import Recents
from errorflow_viewer.kit.recent import Recent
from errorflow_viewer.kit.settings import ThemeChoice
from errorflow_viewer.kit.translation.speech import Speech


class PageChoice(Middle, Protocol):
    """Pages in place of the graph."""

    def show_align(self) -> None: ...

    def show_keys(self) -> None: ...

    def show_settings(self) -> None: ...

    def show_ticket(self) -> None: ...

    def turn_verdict(self) -> None: ...

    def make_way(self) -> None: ...


class Captures(Protocol):
    """Knows the session on view."""

    def captured(self) -> Session: ...


class PageDesk(CanvasDesk, Protocol):
    """A desk with pages on it."""

    recents: Recents
    speech: Speech

    def open_again(self, recent: Recent) -> None: ...

    def set_theme(self, choice: ThemeChoice) -> None: ...

    def guide(self) -> None: ...

    @property
    def whole_pages(self) -> PageChoice: ...

    @property
    def session_files(self) -> Captures: ...
