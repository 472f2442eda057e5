"""What became worse and what better since another session, or another run."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.panels.panel import Panel


def _make(desk: Desk) -> QWidget:
    from errorflow_viewer.panels.changes.panel import ChangesPanel

    return ChangesPanel(desk)


CHANGES = Panel(
    "changes",
    "Changes",
    Qt.DockWidgetArea.BottomDockWidgetArea,
    False,
    _make,
    "profile",
    help="how-to/compare-two-sessions.md",
)
