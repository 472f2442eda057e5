"""Drafts of what was not saved: each window's session is kept while it is open, and after it ended without warning.

A draft is `open-PID.errorflow` beside a lock that only a living process holds. What was not saved when another model
took its place is set aside as `aside-NUMBER.errorflow`; what was on view when the last window was closed is
`last.errorflow`.
"""

import logging
import os
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QLockFile

from errorflow.base.errors import ErrorflowError
from errorflow.base.files import have_folder, recency, write_atomic
from errorflow.case.session.model import Session

LOG = logging.getLogger(__name__)
# Of those set aside, the oldest give way.
MOST = 12


class Drafts:
    """The drafts of this user, of which one is this process's."""

    def __init__(self, folder: Path, pid: int | None = None) -> None:
        number = os.getpid() if pid is None else pid
        self.folder = folder
        self.own = folder / f"open-{number}.errorflow"
        self.last = folder / "last.errorflow"
        self._lock = QLockFile(str(self.own.with_suffix(".lock")))
        self._lock.setStaleLockTime(0)
        self._is_over = False

    def begin(self) -> tuple[Path, ...]:
        """Claims this process's own; the drafts of those that ended without warning, newest first, are set aside."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            left = [path for path in self.folder.glob("open-*.errorflow") if self._is_left(path)]
        except OSError as error:
            LOG.warning("no folder for drafts: %s", error)
            return ()
        self._clear_locks()
        self._lock.tryLock(0)
        found = sorted(left, key=_age)
        return tuple(path for path in map(self._set_aside, found) if path is not None)

    def write(self, session: Session, belongs_to: Path | None) -> None:
        """This process's draft; may be called by any thread."""
        have_folder(self.folder)
        write_atomic(self.own, self._text(session, belongs_to))
        if self._is_over:  # the window was closed meanwhile: what was left would look like a sudden end
            self.own.unlink(missing_ok=True)

    def put_aside(self, session: Session, belongs_to: Path | None) -> Path:
        """Puts aside what was not saved before something else took its place."""
        have_folder(self.folder)
        target = self._free()
        write_atomic(target, self._text(session, belongs_to))
        for path in [path for path in self.aside() if path != target][MOST - 1 :]:
            path.unlink(missing_ok=True)
        return target

    def _text(self, session: Session, belongs_to: Path | None) -> str:
        from errorflow.case.session.file import session_text

        return session_text(session, self.folder, belongs_to)

    def aside(self) -> tuple[Path, ...]:
        """Lists all that were set aside, newest first."""
        try:
            return tuple(sorted(self.folder.glob("aside-*.errorflow"), key=_age))
        except OSError:
            return ()

    def forget(self, path: Path) -> None:
        """Forgets a draft: it was saved, or is not wanted any more."""
        path.unlink(missing_ok=True)

    def end(self, session: Session | None, belongs_to: Path | None) -> None:
        """The window is closed: what was on view is there at the next start."""
        try:
            if session is None:
                self.last.unlink(missing_ok=True)
            else:
                self.folder.mkdir(parents=True, exist_ok=True)
                write_atomic(self.last, self._text(session, belongs_to))
        except (OSError, ErrorflowError) as error:
            LOG.warning("the session could not be kept: %s", error)
        self.leave()

    def leave(self) -> None:
        """The window is closed, and what was on view when the last one was closed is so still."""
        self._is_over = True
        try:
            self.own.unlink(missing_ok=True)
        except OSError as error:
            LOG.warning("a draft stays: %s", error)
        self._lock.unlock()

    def _clear_locks(self) -> None:
        """Clears locks of processes that are gone; one that was killed before there was a draft left nothing else."""
        with suppress(OSError):
            for path in self.folder.glob("open-*.lock"):
                lock = QLockFile(str(path))
                lock.setStaleLockTime(0)
                lock.removeStaleLockFile()

    def _is_left(self, path: Path) -> bool:
        """Whether the process of a draft is gone."""
        if path == self.own:
            return True  # an earlier process had the same number
        lock = QLockFile(str(path.with_suffix(".lock")))
        lock.setStaleLockTime(0)
        if not path.with_suffix(".lock").exists():
            return True
        return lock.removeStaleLockFile()

    def _set_aside(self, path: Path) -> Path | None:
        target = self._free()
        try:
            path.rename(target)
        except OSError as error:
            LOG.warning("a draft could not be set aside: %s", error)
            return None
        return target

    def _free(self) -> Path:
        number = 1
        while (path := self.folder / f"aside-{number}.errorflow").exists():
            number += 1
        return path


def _age(path: Path) -> float:
    """The newest first."""
    try:
        return -recency(path.stat().st_mtime)
    except OSError:
        return 0.0
