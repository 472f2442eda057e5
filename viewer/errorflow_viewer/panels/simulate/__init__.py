"""Samples, calibration and plan of what is simulated, and what came of it."""

from PySide6.QtCore import Qt

from errorflow_viewer.panels.panel import Panel
from errorflow_viewer.panels.simulate.panel import SimulatePanel

SIMULATE = Panel(
    "simulate",
    "Simulate",
    Qt.DockWidgetArea.LeftDockWidgetArea,
    True,
    SimulatePanel,
    "nodes",
    help="how-to/simulate-in-the-window.md",
)
