"""What became of the model on its way: nodes that were merged, split, inserted, removed or changed."""

from PySide6.QtCore import Qt

from errorflow_viewer.panels.differences.panel import DifferencesPanel
from errorflow_viewer.panels.panel import Panel

DIFFERENCES = Panel(
    "differences",
    "Differences",
    Qt.DockWidgetArea.BottomDockWidgetArea,
    False,
    DifferencesPanel,
    "profile",
    help="how-to/compare-two-graphs.md",
)
