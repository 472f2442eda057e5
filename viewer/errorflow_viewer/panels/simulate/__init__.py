"""Samples, calibration and plan of what is simulated, and what came of it."""

from PySide6.QtWidgets import QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.panels.panel import LEFT, Panel, panel_action


def _make(desk: Desk) -> QWidget:
    from errorflow_viewer.panels.simulate.panel import SimulatePanel

    return SimulatePanel(desk)


SIMULATE = Panel(
    "simulate",
    "Simulate",
    LEFT,
    True,
    _make,
    "nodes",
    help="how-to/simulate-in-the-window.md",
    command=panel_action(
        "simulate",
        "Simulate &panel",
        "simulate",
        "Alt+0",
        "Show or hide samples, calibration and plan of the simulation",
        menu="Simulate",
    ),
)
