"""What was opened last, what of it cannot be found, and how it looked; the disk is asked in the background.

A file may lie on a network drive that answers after a minute or never.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from errorflow.files import is_folder
from errorflow.progress import Progress
from errorflow_viewer.jobs import Jobs, ignore_failure
from errorflow_viewer.recent import Recent, files_of, text_of
from errorflow_viewer.settings import Settings
from errorflow_viewer.stored import is_file
from errorflow_viewer.thumbnails import Seen, Thumbnails

KEY = "recents"


@dataclass(frozen=True, slots=True)
class _Found:
    missing: tuple[Recent, ...] = ()
    # By the text of what they are of.
    seen: Mapping[str, Seen] = field(default_factory=dict)


class Recents(QObject):
    """Newest first."""

    checked = Signal()  # it is known which are missing, and what the others looked like

    def __init__(self, settings: Settings, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._jobs = jobs
        self._found = _Found()
        self.thumbnails = Thumbnails()

    @property
    def entries(self) -> tuple[Recent, ...]:
        return self._settings.recents

    def opened_at(self, recent: Recent) -> int:
        """In seconds since 1970; 0: nobody knows."""
        return self._settings.opened_at(recent)

    def is_missing(self, recent: Recent) -> bool:
        """Whether it, or a part of it, was not there when it was last looked for."""
        return recent in self._found.missing

    def seen(self, recent: Recent) -> Seen | None:
        """How it looked when it was last on view; None: nobody knows."""
        return self._found.seen.get(text_of(recent))

    def forget(self, recent: Recent) -> None:
        self._settings.remove_recent(recent)
        self.thumbnails.forget(recent)

    def clear(self) -> None:
        self._settings.clear_recents()
        self.thumbnails.clear()

    def check(self, theme: str = "light") -> None:
        """Looks for all of them, unless that is under way already."""
        entries, thumbnails = self.entries, self.thumbnails
        if entries and not self._jobs.running(KEY):
            self._jobs.start(
                KEY,
                "Looking for recent files",
                lambda progress: _looked(entries, thumbnails, theme, progress),
                self._take,
                ignore_failure,
                shown=False,
            )

    def _take(self, found: _Found) -> None:
        self._found = found
        self.checked.emit()


def _looked(entries: Sequence[Recent], thumbnails: Thumbnails, theme: str, progress: Progress) -> _Found:
    missing: list[Recent] = []
    seen: dict[str, Seen] = {}
    for done, recent in enumerate(entries):
        progress.step(done, len(entries), "Looking for recent files")
        if not _is_there(recent):
            missing.append(recent)
        elif (picture := thumbnails.read(recent, theme)) is not None:
            seen[text_of(recent)] = picture
    return _Found(tuple(missing), seen)


def _is_there(recent: Recent) -> bool:
    """Of a comparison all files; its runs may be folders."""
    if isinstance(recent, Path):
        return is_file(recent)
    return all(is_file(path) or is_folder(path) for path in files_of(recent))
