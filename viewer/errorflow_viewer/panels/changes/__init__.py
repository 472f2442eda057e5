"""What became worse and what better since another session, or another run."""

from PySide6.QtCore import Qt

from errorflow_viewer.panels.changes.panel import ChangesPanel
from errorflow_viewer.panels.panel import Panel

CHANGES = Panel(
    "changes",
    "Changes",
    Qt.DockWidgetArea.BottomDockWidgetArea,
    False,
    ChangesPanel,
    "profile",
    help="how-to/compare-two-sessions.md",
)
