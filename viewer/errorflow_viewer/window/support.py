"""Support for a user who is stuck: pages of words, the log, and facts for a ticket."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QStackedWidget, QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.help.where import page_with_keyboard
from errorflow_viewer.kit.banner import Banners, Notice
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.window.about import TextWindow, about_page, diagnostics

if TYPE_CHECKING:
    from errorflow_viewer.help.window import HelpWindow

# The page of the manual that is made as the keys are.
KEYS = "shortcuts.md"
# What the stack of pages is called, by which it is found.
MIDDLE = "pages"


class Support:
    """Support of one window."""

    def __init__(
        self, window: QWidget, appearance: Appearance, log_file: Path, banners: Banners, say: Callable[[str], None]
    ) -> None:
        self._window = window
        self._appearance = appearance
        self._log_file = log_file
        self._banners = banners
        self._say = say

    def show_help(self, page: str = "") -> None:
        """The manual, at the page about what has the keyboard or is on view, unless another one is named."""
        from errorflow_viewer.help.manual import CONTENTS

        path, _, heading = page.partition("#") if page else (CONTENTS, "", "")
        if not page:
            path, heading = page_with_keyboard(self._on_view())
        self.manual.show_page(path, heading)
        self.manual.show()
        self.manual.raise_()
        self.manual.activateWindow()

    @cached_property
    def manual(self) -> "HelpWindow":
        from errorflow_viewer.help.manual import Manual
        from errorflow_viewer.help.window import HelpWindow

        return HelpWindow(self._window, self._appearance, Manual.read(made={KEYS: self._keys}))

    def _keys(self) -> str:
        """The page of commands, with the keys that the user gave them."""
        from errorflow_viewer.pages.keys.shortcuts import markdown

        return markdown(cast(Desk, self._window).commands.table)

    def _on_view(self) -> QWidget:
        """The page in the middle of the window."""
        pages = self._window.findChildren(QStackedWidget, MIDDLE)
        current = pages[0].currentWidget() if pages else None
        return self._window if current is None else current

    def show_about(self) -> None:
        TextWindow(self._window, "About Errorflow", about_page(self._appearance.theme), 600, 400).show()

    def show_log(self) -> None:
        self.show_outside(self._log_file)

    def show_log_folder(self) -> None:
        self.show_outside(self._log_file.parent)

    def tell(self, notice: Notice) -> None:
        self._banners.show_notice(notice)

    def copy_diagnostics(self) -> None:
        QGuiApplication.clipboard().setText(diagnostics(self._appearance.choice, str(self._log_file)))
        self._say("Versions and settings are on the clipboard")

    def show_outside(self, path: Path) -> None:
        """Shows a path with the system's own program for it."""
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            self._banners.show_notice(
                Notice("info", f"{path}", "No program to show it was found; this is where it lies.", key="log")
            )
