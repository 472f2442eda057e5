"""What was opened last, and what of it cannot be found; the disk is asked in the background.

A file may lie on a network drive that answers after a minute or never.
"""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from errorflow.files import is_folder
from errorflow.progress import Progress
from errorflow_viewer.jobs import Jobs, ignore_failure
from errorflow_viewer.recent import Recent, files_of
from errorflow_viewer.settings import Settings, is_file

KEY = "recents"


class Recents(QObject):
    """Newest first."""

    checked = Signal()  # it is known which are missing

    def __init__(self, settings: Settings, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._jobs = jobs
        self._missing: tuple[Recent, ...] = ()

    @property
    def entries(self) -> tuple[Recent, ...]:
        return self._settings.recents

    def is_missing(self, recent: Recent) -> bool:
        """Whether it, or a part of it, was not there when it was last looked for."""
        return recent in self._missing

    def forget(self, recent: Recent) -> None:
        self._settings.remove_recent(recent)

    def clear(self) -> None:
        self._settings.clear_recents()

    def check(self) -> None:
        """Looks for all of them, unless that is under way already."""
        entries = self.entries
        if entries and not self._jobs.running(KEY):
            self._jobs.start(
                KEY,
                "Looking for recent files",
                lambda progress: _missing(entries, progress),
                self._take,
                ignore_failure,
                shown=False,
            )

    def _take(self, missing: tuple[Recent, ...]) -> None:
        self._missing = missing
        self.checked.emit()


def _missing(entries: Sequence[Recent], progress: Progress) -> tuple[Recent, ...]:
    found: list[Recent] = []
    for done, recent in enumerate(entries):
        progress.step(done, len(entries), "Looking for recent files")
        if not _is_there(recent):
            found.append(recent)
    return tuple(found)


def _is_there(recent: Recent) -> bool:
    """Of a comparison all files; its runs may be folders."""
    if isinstance(recent, Path):
        return is_file(recent)
    return all(is_file(path) or is_folder(path) for path in files_of(recent))
