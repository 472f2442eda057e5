"""Who is to blame for the error, and what to do about it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.panels.panel import Panel, panel_action


def _make(desk: Desk) -> QWidget:
    from errorflow_viewer.panels.verdict.panel import VerdictPanel

    return VerdictPanel(desk)


VERDICT = Panel(
    "verdict",
    "Verdict",
    Qt.DockWidgetArea.RightDockWidgetArea,
    True,
    _make,
    "details",
    help="how-to/find-the-birthplace.md",
    listens=True,
    command=panel_action(
        "verdict", "&Verdict", "verdict", "Alt+9", "Show or hide who is to blame for the error, and what to do"
    ),
)
