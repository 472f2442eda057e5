"""Which tensors have loud channels that drown the others."""

from PySide6.QtCore import Qt

from errorflow_viewer.panels.outliers.panel import OutliersPanel
from errorflow_viewer.panels.panel import Panel

OUTLIERS = Panel(
    "outliers",
    "Outliers",
    Qt.DockWidgetArea.BottomDockWidgetArea,
    False,
    OutliersPanel,
    "profile",
    help="how-to/find-outliers.md",
)
