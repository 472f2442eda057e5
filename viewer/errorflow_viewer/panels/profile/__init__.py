"""The metric along the depth of the model, docked below the graph."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.panels.panel import Panel, panel_action


def _make(desk: Desk) -> QWidget:
    from errorflow_viewer.panels.profile.panel import ProfilePanel

    return ProfilePanel(desk)


PROFILE = Panel(
    "profile",
    "Profile",
    Qt.DockWidgetArea.BottomDockWidgetArea,
    True,
    _make,
    help="how-to/read-the-profile.md",
    command=panel_action("profile", "Pro&file", "profile", "Alt+5", "Show or hide how the error grows along the model"),
)
