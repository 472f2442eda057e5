"""What was tried, run by run."""

from PySide6.QtCore import Qt

from errorflow_viewer.panels.panel import Panel
from errorflow_viewer.panels.runs.panel import RunsPanel

RUNS = Panel(
    "runs",
    "Runs",
    Qt.DockWidgetArea.BottomDockWidgetArea,
    True,
    RunsPanel,
    "profile",
    help="how-to/simulate-in-the-window.md#compare-what-was-tried",
)
