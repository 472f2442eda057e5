"""What helps whoever is stuck: pages of words, the log, and facts for a ticket."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QWidget

from errorflow_viewer.about import TextWindow, about_page, diagnostics, shortcuts_page
from errorflow_viewer.banner import Banners, Notice
from errorflow_viewer.style import Appearance


class Support:
    """Of one window."""

    def __init__(
        self,
        window: QWidget,
        appearance: Appearance,
        log_file: Path,
        banners: Callable[[], Banners],
        say: Callable[[str], None],
    ) -> None:
        self._window = window
        self._appearance = appearance
        self._log_file = log_file
        self._banners = banners
        self._say = say

    def show_shortcuts(self) -> None:
        TextWindow(self._window, "Keyboard shortcuts", shortcuts_page(self._appearance.theme), 460, 560).show()

    def show_about(self) -> None:
        TextWindow(self._window, "About Errorflow", about_page(self._appearance.theme), 600, 400).show()

    def show_log(self) -> None:
        self.show_outside(self._log_file)

    def show_log_folder(self) -> None:
        self.show_outside(self._log_file.parent)

    def copy_diagnostics(self) -> None:
        QGuiApplication.clipboard().setText(diagnostics(self._appearance.choice, str(self._log_file)))
        self._say("Versions and settings are on the clipboard")

    def show_outside(self, path: Path) -> None:
        """With the system's own program for it."""
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            self._banners().show_notice(
                Notice("info", f"{path}", "No program to show it was found; this is where it lies.", key="log")
            )
