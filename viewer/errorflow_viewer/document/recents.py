"""Recent files, which of them cannot be found, and how they looked; the disk is read in the background.

A file may lie on a network drive that answers after a minute or never.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from errorflow.base import Progress, dataclass, field
from errorflow.base.files import is_folder
from errorflow_viewer.document.thumbnails import SeenPicture, Thumbnails
from errorflow_viewer.kit.jobs import Jobs
from errorflow_viewer.kit.recent import Recent, files_of, text_of
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.stored import is_file

KEY, FOLDER = "recents", "folder"


@dataclass(frozen=True, slots=True)
class _Found:
    missing: tuple[Recent, ...] = ()
    # By the text of what they are of.
    seen: Mapping[str, SeenPicture] = field(default_factory=dict)


class Recents(QObject):
    """Newest first."""

    checked = Signal()  # it is known which are missing, and what the others looked like

    def __init__(self, settings: Settings, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._jobs = jobs
        self._found = _Found()
        # Of the jobs that look for them.
        self._keys: set[str] = set()
        self.thumbnails = Thumbnails()

    @property
    def entries(self) -> tuple[Recent, ...]:
        return self._settings.recents

    def opened_at(self, recent: Recent) -> int:
        """Finds the time in seconds since 1970; 0 where it is unknown."""
        return self._settings.opened_at(recent)

    def is_missing(self, recent: Recent) -> bool:
        """Whether it, or a part of it, was not there when it was last looked for."""
        return recent in self._found.missing

    def seen(self, recent: Recent) -> SeenPicture | None:
        """Finds how it looked when it was last on view; None where that is unknown."""
        return self._found.seen.get(text_of(recent))

    def forget(self, recent: Recent) -> None:
        self._settings.remove_recent(recent)
        self.thumbnails.forget(recent)

    def clear(self) -> None:
        self._settings.clear_recents()
        self.thumbnails.clear()

    @property
    def is_looking(self) -> bool:
        return any(map(self._jobs.running, self._keys))

    def check(self, theme: str = "light") -> None:
        """Looks for all of them, at each place by itself: a drive that does not answer keeps none of the others."""
        self._look_at_folder()
        self._keys = set(filter(self._jobs.running, self._keys))
        places: dict[str, list[Recent]] = {}
        for recent in self.entries:
            places.setdefault(key_of(recent), []).append(recent)
        for key, entries in places.items():
            if not self._jobs.running(key):
                self._start(key, tuple(entries), theme)

    def _start(self, key: str, entries: tuple[Recent, ...], theme: str) -> None:
        thumbnails = self.thumbnails
        self._keys.add(key)
        self._jobs.quietly(
            key,
            "Looking for recent files",
            lambda progress: _looked(entries, thumbnails, theme, progress),
            partial(self._take, entries),
        )

    def _look_at_folder(self) -> None:
        """Looks at the folder before a dialog begins in it, which would wait for it."""
        folder, unanswered = self._settings.said_folder, self._settings.unanswered
        if not folder or self._jobs.running(FOLDER):
            return
        unanswered.add(folder)
        self._jobs.quietly(
            FOLDER, "Looking for a folder", lambda _: is_folder(folder), lambda _: unanswered.discard(folder)
        )

    def _take(self, entries: tuple[Recent, ...], found: _Found) -> None:
        """Takes what was found; of what is not listed any more nothing is kept."""
        before, others = self._found, [recent for recent in self.entries if recent not in entries]
        missing = tuple(recent for recent in others if recent in before.missing)
        seen = {text: before.seen[text] for text in map(text_of, others) if text in before.seen}
        self._found = _Found((*missing, *found.missing), {**seen, **found.seen})
        self.checked.emit()


def key_of(recent: Recent) -> str:
    """Makes the key of the job that looks for it, with others that lie there as well."""
    return "\n".join((KEY, *sorted({str(path.parent) for path in files_of(recent)})))


def _looked(entries: Sequence[Recent], thumbnails: Thumbnails, theme: str, progress: Progress) -> _Found:
    missing: list[Recent] = []
    seen: dict[str, SeenPicture] = {}
    for done, recent in enumerate(entries):
        progress.step(done, len(entries), "Looking for recent files")
        if not _is_there(recent):
            missing.append(recent)
        elif (picture := thumbnails.read(recent, theme)) is not None:
            seen[text_of(recent)] = picture
    return _Found(tuple(missing), seen)


def _is_there(recent: Recent) -> bool:
    """Whether it is there: of a comparison all files; its runs may be folders."""
    if isinstance(recent, Path):
        return is_file(recent)
    return all(is_file(path) or is_folder(path) for path in files_of(recent))
