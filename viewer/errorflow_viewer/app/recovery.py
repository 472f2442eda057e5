"""Recovery after a sudden end: says what happened, offers what was open, and asks before it opens what ended the app
twice.
"""

import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import Thread

from PySide6.QtCore import QObject, Qt, QTimer

from errorflow.base.errors import ErrorflowError
from errorflow_viewer.document.opening import Opening, WithheldError
from errorflow_viewer.document.opening_jobs import WISHES
from errorflow_viewer.kit.banner import Banners, Notice
from errorflow_viewer.kit.crashing_files import Troubles
from errorflow_viewer.kit.jobs import Jobs
from errorflow_viewer.kit.report_window import ReportWindow
from errorflow_viewer.kit.run_record import Death, Kind, LastWords
from errorflow_viewer.window.session_files import SessionFiles

# What is on view so long, in ms, did not bring the app down; so often, in ms, it is seen who is at work still.
SAFE, SOON = 3000, 500
# Threads of what opens something.
_AT_WORK = frozenset(f"job {key}" for key in WISHES)
DIED, TROUBLE = "died", "trouble"
_WHAT: dict[Kind, str] = {
    "crash": "Errorflow crashed last time.",
    "error": "Errorflow ended with an error last time.",
    "display": "The screen went away while Errorflow was open.",
    "machine": "The machine went down while Errorflow was open.",
    "memory": "The system ran out of memory last time, and Errorflow was ended.",
    "killed": "Errorflow was ended from outside last time, or stopped all at once.",
}
_OURS: tuple[Kind, ...] = ("crash", "error")
_SEND = "If it happens again, send the report with a description of what you did."
_MEMORY = "Close other programs before you open it again, or give fewer samples at a time."
_NOTHING_LOST = "Nothing that you decided is lost."


class Recovery(QObject):
    """Recovery in one window. `deaths`: of the runs before it, the latest first."""

    def __init__(
        self,
        deaths: Sequence[Death],
        troubles: Troubles,
        words: LastWords,
        banners: Banners,
        describe: Callable[[], str],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._deaths = deaths
        self._troubles = troubles
        self._words = words
        self._banners = banners
        self._describe = describe
        # What was begun last; None: it did no harm, or came to nothing.
        self._path: Path | None = None
        # What was cancelled, with who is at work on it: that does harm until it notices.
        self._late: list[tuple[Path, tuple[Thread, ...]]] = []
        self._told: tuple[Path, ...] = ()
        self._soon = QTimer(self)
        self._soon.setInterval(SOON)
        self._soon.timeout.connect(self._look_after)
        self._calm = QTimer(self, singleShot=True, interval=SAFE)
        self._calm.timeout.connect(self._all_is_well)
        self.report: ReportWindow | None = None
        # What the user has asked for once more.
        self._wanted: set[Path] = set()
        for death in deaths:
            troubles.add(death.facts.opening, death.facts.since)

    def watch(self, opening: Opening, jobs: Jobs) -> None:
        """Watches: what is opened from now on is asked about if it did harm, and written down until it has done
        none.
        """
        self._jobs = jobs
        opening.guard = self._guard
        opening.began.connect(self._on_began)
        opening.opened.connect(self._on_opened)
        opening.failed.connect(self._on_failed)
        opening.withheld.connect(self._on_withheld)
        # When the job is over, what came of it is not known yet.
        jobs.changed.connect(self._look, Qt.ConnectionType.QueuedConnection)

    # What was open

    def offer(self, files: SessionFiles) -> bool:
        """Says that the last run ended without warning, and offers what was open in it; False: it ended well."""
        drafts = files.recovered()
        if not drafts and not self._deaths:
            return False
        death = self._deaths[0] if self._deaths else Death("killed")
        more = _elsewhere(len(files.set_aside()), bool(drafts))
        hint = " ".join(part for part in (_NOTHING_LOST if drafts else "", more, _advice(death.kind)) if part)
        newest = drafts[0] if drafts else None
        ways = (("Show report", partial(self._show_report, death)),) if self._deaths else ()
        self._banners.show_notice(
            Notice(
                "warning" if death.kind in _OURS else "info",
                _WHAT[death.kind],
                hint,
                key=DIED,
                button="Restore what was open" if newest is not None else "",
                pressed=None if newest is None else partial(files.open_unsaved, newest),
                ways=ways,
                ways_stay=newest is not None,
            )
        )
        return True

    def _show_report(self, death: Death) -> None:
        window = ReportWindow(_WHAT[death.kind], _advice(death.kind), _header(death, self._describe()), death.log)
        window.setWindowTitle("What happened last time – Errorflow")
        if death.trace:
            window.add(death.trace)
        window.add_button("Close", window.accept, first=True)
        window.finished.connect(window.deleteLater)
        window.finished.connect(self._forget_report)
        self.report = window
        window.show()

    def _forget_report(self) -> None:
        self.report = None

    # What is opened

    def _guard(self, path: Path) -> None:
        """Guards a path, in the background."""
        if path not in self._wanted and self._troubles.too_often(path):
            raise WithheldError(
                f"Errorflow ended twice while it opened {path.name}, so it was not opened again.",
                "Send the report with the file, or how it was made, if it happens once more.",
            )

    def _on_withheld(self, path: Path, error: WithheldError, again: Callable[[], None]) -> None:
        """However it was asked for: by its name, in a session, or as what was open the last time."""
        self._come_to_nothing()
        self._banners.show_notice(
            Notice(
                "warning",
                error.message,
                error.hint,
                str(path),
                key=TROUBLE,
                button="Open it all the same",
                pressed=partial(self._open_all_the_same, path, again),
                of_model=True,
            )
        )

    def _open_all_the_same(self, path: Path, again: Callable[[], None]) -> None:
        self._wanted.add(path)
        again()

    def _on_began(self, path: Path) -> None:
        if self._calm.isActive():  # what was begun last is there, and is left
            self._path = None
        self._calm.stop()
        self._leave()
        self._path = path
        self._write_down()

    def _on_opened(self, _path: Path) -> None:
        if self._path is not None:
            self._calm.start()

    def _on_failed(self, path: Path, _error: ErrorflowError) -> None:
        self._come_to_nothing()
        self._troubles.forget(path)

    def _look(self, _steps: object) -> None:
        """Looks for harm; what was cancelled comes to nothing."""
        if self._path is not None and not self._calm.isActive() and not any(map(self._jobs.running, WISHES)):
            self._leave()
            self._write_down()

    def _leave(self) -> None:
        """A cancel strikes at the next step of the work, which may be far."""
        at_work = tuple(thread for thread in threading.enumerate() if thread.name in _AT_WORK)
        if self._path is not None and at_work:
            self._late.append((self._path, at_work))
            self._soon.start()
        self._path = None

    def _look_after(self) -> None:
        self._late = [late for late in self._late if any(thread.is_alive() for thread in late[1])]
        if not self._late:
            self._soon.stop()
        self._write_down()

    def _come_to_nothing(self) -> None:
        self._path = None
        self._write_down()

    def _write_down(self) -> None:
        """Writes down all that the next start must know if this run dies."""
        begun = () if self._path is None else (self._path,)
        told = tuple(dict.fromkeys((*begun, *(path for path, _ in self._late))))
        if told != self._told:
            self._told = told
            self._words.opening(told)

    def _all_is_well(self) -> None:
        path = self._path
        self._come_to_nothing()
        if path is not None:
            self._troubles.forget(path)


def _elsewhere(count: int, is_offered: bool) -> str:
    """Says where the others lie that were not saved: also what was offered at an earlier start, and not taken."""
    if is_offered:
        return f"{count - 1} more under File → Unsaved sessions." if count > 1 else ""
    return "What was not saved before is under File → Unsaved sessions." if count else ""


def _advice(kind: Kind) -> str:
    if kind in _OURS:
        return _SEND
    return _MEMORY if kind == "memory" else ""


def _header(death: Death, versions: str) -> str:
    began = datetime.fromtimestamp(death.facts.began).astimezone() if death.facts.began > 0 else None
    same = f"Errorflow {death.facts.version}\n"
    rows = [
        f"Errorflow {death.facts.version} had started at {began:%Y-%m-%d %H:%M:%S %z}" if began else "",
        *(f"It was opening {path}" for path in death.facts.opening),
        # Another version that tells of it names itself.
        versions.removeprefix(same) if began else versions,
    ]
    return "\n".join(row for row in rows if row)
