"""What became worse and what better since another session, or another run."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.panels.panel import Panel, panel_action


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
    command=panel_action(
        "changes",
        "&What changed",
        "",
        "Alt+W",
        "Show or hide what became worse and what better since another session, or another run",
        also_called="regression since yesterday",
    ),
)
