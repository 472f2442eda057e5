"""What the user wrote on the session and on its nodes."""

from PySide6.QtCore import Qt

from errorflow_viewer.panels.notes.panel import NotesPanel
from errorflow_viewer.panels.panel import Panel

NOTES = Panel(
    "notes",
    "Notes",
    Qt.DockWidgetArea.LeftDockWidgetArea,
    False,
    NotesPanel,
    "nodes",
    help="how-to/keep-a-session.md",
)
