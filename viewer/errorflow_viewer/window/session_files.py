"""Asks where sessions are to be kept, and says what became of them."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from errorflow.base import ErrorflowError, dataclass, one_line, replace
from errorflow.case.session.model import SUFFIX, Session
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.earlier import Earlier
from errorflow_viewer.kit.banner import Banners, Notice
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.window.sessions import Sessions

FILTER = f"Sessions (*{SUFFIX});;All files (*)"
# Of what may be compared with.
EARLIER = f"Sessions, bundles and tables (*{SUFFIX} *.zip *.csv);;All files (*)"
NAMED = 3
OUTSIDE = "changed outside"


@dataclass(frozen=True, slots=True)
class SessionDraft:
    """Draft that was set aside, as a menu shows it."""

    path: Path
    text: str
    tip: str


class SessionFiles:
    """The commands on the session of a window."""

    def __init__(
        self,
        window: QWidget,
        document: Document,
        sessions: Sessions,
        settings: Settings,
        banners: Banners,
        earlier: Callable[[], Earlier],
    ) -> None:
        self._window = window
        self._document = document
        self._sessions = sessions
        self._settings = settings
        self._banners = banners
        self._earlier = earlier
        sessions.opened.connect(self._on_opened)
        sessions.saved.connect(self._remember)
        sessions.lost_files.connect(self._on_lost)
        sessions.changed_outside.connect(self._on_changed_outside)

    def captured(self) -> Session:
        """The session on view with what is selected and to be seen."""
        return self._sessions.captured()

    def save(self) -> None:
        """Into its file; asks for one if it has none."""
        if self._sessions.file is None:
            self.save_as()
        else:
            self._sessions.save(self._sessions.file)

    def save_as(self) -> None:
        chosen, _ = QFileDialog.getSaveFileName(
            self._window,
            "Save the session",
            str(self._suggested()),
            FILTER,
            options=QFileDialog.Option.HideNameFilterDetails,
        )
        if chosen:  # the dialog has asked before it names one that is there
            self._sessions.save(Path(chosen), over=True)

    def ask_for_earlier(self) -> None:
        """Asks which session is compared with."""
        if self._document.model is None:
            return
        since, own = self._document.session.since, self._sessions.file
        near = since if since is not None else own
        folder = self._settings.last_folder if near is None else str(near.parent)
        chosen, _ = QFileDialog.getOpenFileName(
            self._window,
            "Compare with another session",
            folder,
            EARLIER,
            options=QFileDialog.Option.HideNameFilterDetails,
        )
        if chosen:
            self._earlier().compare(Path(chosen))

    def unsaved(self) -> tuple[SessionDraft, ...]:
        return tuple(map(_draft, self._sessions.unsaved()))

    def open_unsaved(self, path: Path) -> None:
        self._banners.leave_model()
        self._sessions.open_draft(path)

    def recovered(self) -> tuple[Path, ...]:
        """Lists what was open in windows that ended without warning, the latest first."""
        return self._sessions.recover()

    def set_aside(self) -> tuple[Path, ...]:
        """Lists all that was not saved, of whichever run, the latest first."""
        return self._sessions.unsaved()

    def look_ahead(self) -> None:
        """Looks ahead for what will be asked at the end, where no drive may hold up the window."""
        self._sessions.look_for_last()

    def keep(self) -> None:
        """Keeps a draft, for a process that ends at once."""
        self._sessions.keep()

    def _suggested(self) -> Path:
        """Suggests its file's folder or the one beside the model, under its name; what is built in is no place to write
        to.
        """
        session = self._document.session
        near = [path for path in (self._sessions.file, session.bundle, session.model) if path is not None]
        name = near[0].stem if near else "session"
        own = None if self._sessions.file is None else self._sessions.file.parent
        folder = self._document.folder if own is None else own
        return (Path.home() if folder is None else folder) / f"{name}{SUFFIX}"

    def _remember(self, path: Path) -> None:
        self._banners.dismiss(OUTSIDE)
        self._settings.add_recent(path)

    def _on_changed_outside(self, path: Path, error: ErrorflowError) -> None:
        """Handles a file that another program wrote: nothing of it or of the user's is lost without being asked."""
        ways = (("Reload", partial(self._reload, path)), ("Overwrite", lambda: self._sessions.save(path, over=True)))
        hint = "Nothing was saved. A reload sets aside what you decided."
        self._banners.show_notice(
            Notice(
                "warning",
                error.message,
                hint,
                key=OUTSIDE,
                button="Save as…",
                pressed=self.save_as,
                of_model=True,
                ways=ways,
            )
        )

    def _reload(self, path: Path) -> None:
        """Reloads; what was decided since is under the unsaved sessions then."""
        self._banners.leave_model()
        self._sessions.open(path)

    def _on_opened(self, path: Path, problems: tuple[str, ...]) -> None:
        self._settings.add_recent(path)
        if problems:
            self._banners.show_notice(
                Notice(
                    "warning",
                    f"A part of {path.name} could not be read.",
                    "All else is as it was saved; save it again to keep it like this.",
                    "\n".join(problems),
                    key="session",
                    of_model=True,
                )
            )

    def _on_lost(self, session: Session, lost: tuple[Path, ...]) -> None:
        names = ", ".join(path.name for path in lost[:NAMED])
        more = f" and {len(lost) - NAMED} more" if len(lost) > NAMED else ""
        self._banners.show_notice(
            Notice(
                "error",
                f"The session needs files that are not where they were: {names}{more}.",
                "If they were moved, name the folder that they are in now.",
                "\n".join(map(str, lost)),
                key="open",
                button="Look in a folder…",
                pressed=partial(self._look, session),
                of_model=True,
            )
        )

    def look_for_files(self) -> None:
        """Looks for files of what came in a ticket bundle: where they are, the session opens as what it is about."""
        if self._document.session.bundle is not None:
            self._look(replace(self._document.session, bundle=None))

    def _look(self, session: Session) -> None:
        folder = QFileDialog.getExistingDirectory(self._window, "Where the files are now", self._settings.last_folder)
        if folder:
            self._sessions.look_for_files(session, Path(folder))


def _draft(path: Path) -> SessionDraft:
    """Makes its name in a menu: what it is of, and when it was written."""
    from errorflow.case.session.file import read_session

    try:
        opened = read_session(path)
        when = datetime.fromtimestamp(path.stat().st_mtime).astimezone()
    except (ErrorflowError, OSError, OverflowError):
        return SessionDraft(path, path.stem, "It cannot be read")
    of = opened.belongs_to if opened.belongs_to is not None else opened.session.model
    name = "a comparison" if of is None else one_line(of.name)
    return SessionDraft(path, f"{name}, {when:%Y-%m-%d %H:%M}", "" if of is None else str(of))
