"""After a sudden end: says what happened, offers what was open, and asks before it opens what ended the app twice."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from errorflow.errors import ErrorflowError
from errorflow_viewer.banner import Banners, Notice
from errorflow_viewer.last_words import Death, Kind, LastWords
from errorflow_viewer.opening import Opening
from errorflow_viewer.report_window import ReportWindow
from errorflow_viewer.session_files import SessionFiles
from errorflow_viewer.troubles import Troubles

# What is on view so long, in ms, did not bring the app down.
SAFE = 3000
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
    """Of one window. `deaths`: of the runs before it, the latest first."""

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
        self._opened: Path | None = None
        self._calm = QTimer(self)
        self._calm.setSingleShot(True)
        self._calm.setInterval(SAFE)
        self._calm.timeout.connect(self._all_is_well)
        self.report: ReportWindow | None = None
        for death in deaths:
            troubles.add(death.facts.opening)

    def watch(self, opening: Opening) -> None:
        """What is opened from now on is written down, until it has shown that it does no harm."""
        opening.began.connect(self._on_began)
        opening.opened.connect(self._on_opened)
        opening.failed.connect(self._on_failed)

    # What was open

    def offer(self, files: SessionFiles) -> bool:
        """Says that the last run ended without warning, and offers what was open in it; False: it ended well."""
        drafts = files.recovered()
        if not drafts and not self._deaths:
            return False
        death = self._deaths[0] if self._deaths else Death("killed")
        more = f"{len(drafts) - 1} more under File → Unsaved sessions." if len(drafts) > 1 else ""
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

    def allowed(self, files: Sequence[Path], open_all: Callable[[Sequence[Path]], None]) -> bool:
        """Whether these may be opened by themselves; else it is asked whether they are to be opened all the same."""
        bad = [path for path in files if self._troubles.too_often(path)]
        if not bad:
            return True
        self._banners.show_notice(
            Notice(
                "warning",
                f"Errorflow ended twice while it opened {bad[0].name}, so it was not opened again.",
                "Send the report with the file, or how it was made, if it happens once more.",
                str(bad[0]),
                key=TROUBLE,
                button="Open it all the same",
                pressed=lambda: open_all(files),
            )
        )
        return False

    def _on_began(self, path: Path) -> None:
        self._calm.stop()
        self._words.opening((path,))

    def _on_opened(self, path: Path) -> None:
        self._opened = path
        self._calm.start()

    def _on_failed(self, path: Path, _error: ErrorflowError) -> None:
        self._words.opening(())
        self._troubles.forget(path)

    def _all_is_well(self) -> None:
        self._words.opening(())
        if self._opened is not None:
            self._troubles.forget(self._opened)


def _advice(kind: Kind) -> str:
    if kind in _OURS:
        return _SEND
    return _MEMORY if kind == "memory" else ""


def _header(death: Death, versions: str) -> str:
    began = datetime.fromtimestamp(death.facts.began).astimezone() if death.facts.began > 0 else None
    rows = [
        f"Errorflow {death.facts.version} had started at {began:%Y-%m-%d %H:%M:%S %z}" if began else "",
        *(f"It was opening {path}" for path in death.facts.opening),
        versions,
    ]
    return "\n".join(row for row in rows if row)
