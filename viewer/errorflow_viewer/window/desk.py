"""Interface of the window for its own commands."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from errorflow_viewer.export.actions import ExportDesk
from errorflow_viewer.kit.accessible.regions import Regions
from errorflow_viewer.pages.desk import Captures, PageDesk
from errorflow_viewer.panels.changes.actions import AsksForSession, ChangesDesk
from errorflow_viewer.panels.node_actions import NodesDesk


class UnsavedSession(Protocol):
    """A session that was set aside, as a menu shows it."""

    @property
    def path(self) -> Path: ...

    @property
    def text(self) -> str: ...

    @property
    def tip(self) -> str: ...


class KeptSessions(Captures, AsksForSession, Protocol):
    """Keeps what the user decided."""

    def save(self) -> None: ...

    def save_as(self) -> None: ...

    def look_for_files(self) -> None: ...

    def unsaved(self) -> Sequence[UnsavedSession]: ...

    def open_unsaved(self, path: Path) -> None: ...


class WholeDesk(PageDesk, ExportDesk, NodesDesk, ChangesDesk, Protocol):
    """Window as its own commands see it."""

    @property
    def session_files(self) -> KeptSessions: ...

    regions: Regions

    def compare(self) -> None: ...

    def reload(self) -> None: ...

    def close_model(self) -> None: ...

    def cancel(self) -> None: ...

    def quit(self) -> None: ...

    def tour(self) -> None: ...

    def reset_layout(self) -> None: ...

    def toggle_full_screen(self) -> None: ...

    def is_full_screen(self) -> bool: ...
