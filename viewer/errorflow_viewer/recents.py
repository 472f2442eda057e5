"""The last opened files, and which of them cannot be found; the disk is asked in the background.

A file may lie on a network drive that answers after a minute or never.
"""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from errorflow.progress import Progress
from errorflow_viewer.jobs import Jobs, ignore_failure
from errorflow_viewer.settings import Settings, is_file

KEY = "recents"


class Recents(QObject):
    """Newest first."""

    checked = Signal()  # it is known which are missing

    def __init__(self, settings: Settings, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._jobs = jobs
        self._missing: frozenset[Path] = frozenset()

    @property
    def files(self) -> tuple[Path, ...]:
        return self._settings.recents

    def is_missing(self, path: Path) -> bool:
        """Whether it was not there when it was last looked for."""
        return path in self._missing

    def forget(self, path: Path) -> None:
        self._settings.remove_recent(path)

    def clear(self) -> None:
        self._settings.clear_recents()

    def check(self) -> None:
        """Looks for all of them, unless that is under way already."""
        files = self.files
        if files and not self._jobs.running(KEY):
            self._jobs.start(
                KEY,
                "Looking for recent files",
                lambda progress: _missing(files, progress),
                self._take,
                ignore_failure,
                shown=False,
            )

    def _take(self, missing: frozenset[Path]) -> None:
        self._missing = missing
        self.checked.emit()


def _missing(files: Sequence[Path], progress: Progress) -> frozenset[Path]:
    found = set()
    for done, path in enumerate(files):
        progress.step(done, len(files), "Looking for recent files")
        if not is_file(path):
            found.add(path)
    return frozenset(found)
