"""Page of what the app says about itself: versions, licences, shortcuts, and what a ticket needs to know."""

import platform

from PySide6.QtCore import QLibraryInfo, QSysInfo, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

import errorflow
from errorflow_viewer.kit.layouts import spaced
from errorflow_viewer.kit.look import DISPLAY, Theme
from errorflow_viewer.kit.scaling import px

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
