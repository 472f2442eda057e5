"""Support for a user who is stuck: pages of words, the log, and facts for a ticket."""

import platform
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QLibraryInfo, QSysInfo, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QStackedWidget, QTextBrowser, QVBoxLayout, QWidget

import errorflow
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.help.where import page_with_keyboard
from errorflow_viewer.kit.banner import Banners, Notice
from errorflow_viewer.kit.layouts import spaced
from errorflow_viewer.kit.look import DISPLAY, Theme
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.style import Appearance

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


# Page of what the app says about itself: versions, licences, shortcuts, and what a ticket needs to know.

# What is installed with the app, and under which terms it may be passed on.
LIBRARIES = (
    ("PySide6-Essentials", "LGPL-3.0"),
    ("numpy", "BSD-3-Clause"),
    ("onnx", "Apache-2.0"),
    ("protobuf", "BSD-3-Clause"),
    ("msgspec", "BSD-3-Clause"),
    ("networkx", "BSD-3-Clause"),
    ("PyYAML", "MIT"),
    ("platformdirs", "MIT"),
    ("pyqtgraph", "MIT"),
)
FONT_NOTE = "Errorflow Sans, made from Inter, © The Inter Project Authors"
FONT_LICENCE = "SIL Open Font License 1.1"


def library_versions() -> list[tuple[str, str, str]]:
    """Name, version and licence of each library."""
    return [(name, _version(name), licence) for name, licence in LIBRARIES]


def _version(name: str) -> str:
    from importlib import metadata  # it takes as long to load as a tenth of the window

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def about_page(theme: Theme) -> str:
    rows = [("Python", platform.python_version(), "PSF-2.0"), *library_versions()]
    cells = "".join(f"<tr><td>{n}</td><td style='padding: 0 16px'>{v}</td><td>{ln}</td></tr>" for n, v, ln in rows)
    return (
        f"<p style='font-size: {px(DISPLAY)}px; font-weight: 600; margin: 0'>Errorflow {errorflow.__version__}</p>"
        f"<p style='color: {theme.muted}; margin-top: 2px'>"
        "Shows where a converted or quantized neural network goes wrong.</p>"
        "<p>Licensed under the Apache License 2.0. It comes with no warranty, makes no network connection and "
        "sends nothing anywhere.</p>"
        f"<p style='color: {theme.muted}; margin-bottom: 2px'>Made with</p><table cellspacing='0'>{cells}"
        f"<tr><td colspan='2' style='padding-right: 16px'>{FONT_NOTE}</td><td>{FONT_LICENCE}</td></tr></table>"
    )


def diagnostics(theme_choice: str, log_file: str) -> str:
    """Plain text for a ticket. No names of models or of the user's folders but that of the log."""
    screens = [f"{s.size().width()}×{s.size().height()} at {s.devicePixelRatio():g}" for s in QGuiApplication.screens()]
    lines = [
        f"Errorflow {errorflow.__version__}",
        f"System: {QSysInfo.prettyProductName()}, {platform.machine()}, kernel {QSysInfo.kernelVersion()}",
        f"Python {platform.python_version()}, Qt {QLibraryInfo.version().toString()}",
        f"Platform: {QGuiApplication.platformName()}, screens {', '.join(screens)}",
        f"Theme: {theme_choice}, system {QGuiApplication.styleHints().colorScheme().name}",
        *(f"{name} {version}" for name, version, _ in library_versions()),
        f"Log: {log_file}",
    ]
    return "\n".join(lines) + "\n"


class TextWindow(QDialog):
    """A page to read; it does not block the main window."""

    def __init__(self, parent: QWidget, title: str, html: str, width: int, height: int) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.text = QTextBrowser()
        self.text.setAccessibleName(title)
        self.text.document().setDocumentMargin(16)
        self.text.setHtml(html)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.close)
        buttons.setContentsMargins(16, 8, 16, 12)
        box = spaced(QVBoxLayout(self))
        box.addWidget(self.text, 1)
        box.addWidget(buttons)
        self.resize(width, height)
