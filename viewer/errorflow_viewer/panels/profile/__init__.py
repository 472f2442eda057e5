"""The metric along the depth of the model, docked below the graph."""

from PySide6.QtCore import Qt

from errorflow_viewer.panels.panel import Panel
from errorflow_viewer.panels.profile.panel import ProfilePanel

PROFILE = Panel(
    "profile",
    "Profile",
    Qt.DockWidgetArea.BottomDockWidgetArea,
    True,
    ProfilePanel,
    help="how-to/read-the-profile.md",
)
