"""How errors grow along the depth, and what keeping the worst in float gains."""

from PySide6.QtCore import Qt

from errorflow_viewer.panels.curves.panel import CurvesPanel
from errorflow_viewer.panels.panel import Panel

CURVES = Panel(
    "curves",
    "Curves",
    Qt.DockWidgetArea.BottomDockWidgetArea,
    False,
    CurvesPanel,
    "profile",
    help="how-to/draw-curves.md",
)
