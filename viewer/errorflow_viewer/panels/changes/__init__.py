"""Changes to worse and to better since another session, or another run."""

from PySide6.QtWidgets import QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.panels.panel import BOTTOM, Panel, panel_action


def _make(desk: Desk) -> QWidget:
    from errorflow_viewer.panels.changes.panel import ChangesPanel

    return ChangesPanel(desk)


CHANGES = Panel(
    "changes",
    "Changes",
    BOTTOM,
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
