"""Banners of files: the window's title, and messages on those that were opened or could not be."""

from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QMainWindow

from errorflow.base.errors import ErrorflowError, one_line
from errorflow.base.language import ENGLISH
from errorflow.base.sample import folder as sample_folder
from errorflow.case.scenarios.chain import FORMAT as MADE
from errorflow.case.scenarios.setup import Setup
from errorflow_viewer.document.document import Document
from errorflow_viewer.kit.banner import Banners, Notice, notice_of, notice_on
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.translation.speech import Speech
from errorflow_viewer.window.sessions import Sessions

TITLE = "Errorflow"
UNREADABLE = "unreadable"


class News:
    """News of the open model or session, and of those that were to be opened."""

    def __init__(
        self,
        window: QMainWindow,
        document: Document,
        sessions: Sessions,
        banners: Banners,
        settings: Settings,
        speech: Speech,
    ) -> None:
        self._window = window
        self._document = document
        self._sessions = sessions
        self._banners = banners
        self._settings = settings
        self._speech = speech
        # Remembered last: while it is measured it is told of again and again.
        self._last: Setup | None = None
        document.changed.connect(self._on_changed)
        speech.chosen.connect(self._tell_language)
        window.setWindowTitle(TITLE)
        if speech.unreadable is not None:
            QTimer.singleShot(0, window, self._tell_language)  # when there is a window to tell it in

    def show_title(self) -> None:
        model, file = self._document.model, self._sessions.file
        path = file if file is not None else None if model is None else model.path
        self._window.setWindowFilePath("" if path is None else str(path))
        self._window.setWindowTitle(TITLE if path is None else f"{one_line(path.name)}[*] – {TITLE}")
        self._window.setWindowModified(self._sessions.modified)

    def tell_opened(self, path: Path) -> None:
        """Tells what is to be said of a model; one of the user's own is remembered."""
        model = self._document.model
        notice = None if model is None else notice_on(model, self._document.show)
        if notice is not None:
            self._banners.show_notice(notice)
        if self._sessions.file is not None:
            # Whatever way it came on view: also restored, or as what was open the last time.
            self._settings.add_recent(self._sessions.file)
        elif self._document.session.setup is not None:
            self._remember_comparison()
        elif sample_folder() not in path.parents and (model is None or model.format != MADE):
            self._settings.add_recent(path)

    def _on_changed(self, fields: Collection[str]) -> None:
        if "model" in fields:
            self._last = None
        if "case" in fields and self._document.comparison is not None:
            self._remember_comparison()

    def _remember_comparison(self) -> None:
        """Remembers a comparison as one entry; what is kept in a session has one already."""
        session = self._document.session
        setup = session.setup
        if setup is None or self._sessions.file is not None or session.bundle is not None or self._last == setup:
            return
        self._last = setup
        if not all(sample_folder() in path.parents for path in setup.files.values()):
            self._settings.add_recent(setup)

    def _tell_language(self) -> None:
        """Tells in English of a language that is chosen and would be empty boxes."""
        language = self._speech.unreadable
        if language is None:
            self._banners.dismiss(UNREADABLE)
            return
        notice = Notice(
            "warning",
            f"No font here has {language.in_english} characters, so the window speaks English.",
            "Install one, such as fonts-noto-cjk (Debian, Ubuntu) or google-noto-sans-cjk-fonts (Fedora), and start "
            "Errorflow again; the choice is under View → Language.",
            key=UNREADABLE,
            button="Stay with English",
            pressed=partial(self._speech.choose, ENGLISH.key),
        )
        self._banners.show_notice(notice)

    def tell_withheld(self, path: Path, open_again: Callable[[], None]) -> None:
        """Tells of what was on view the last time."""
        notice = Notice(
            "warning",
            f"{path.name} was not opened again: the last start with it did not end well.",
            "If it brings Errorflow down once more, send the log with the file.",
            str(path),
            key="withheld",
            button="Open it",
            pressed=open_again,
            of_model=True,
        )
        self._banners.show_notice(notice)

    def tell_failed(self, path: Path, error: ErrorflowError) -> None:
        self._banners.show_notice(notice_of(error, "open", str(path)))

    def tell_undrawn(self, error: ErrorflowError) -> None:
        self._banners.show_notice(notice_of(error, "layout"))
