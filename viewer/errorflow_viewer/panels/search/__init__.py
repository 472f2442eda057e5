"""The fewest parts that must not be quantized as planned for the model to be good enough."""

from PySide6.QtCore import Qt

from errorflow_viewer.panels.panel import Panel
from errorflow_viewer.panels.search.panel import SearchPanel

SEARCH = Panel(
    "search",
    "Smallest set",
    Qt.DockWidgetArea.BottomDockWidgetArea,
    False,
    SearchPanel,
    "profile",
    help="how-to/find-the-smallest-set.md",
)
