"""Runs: what was tried."""

from PySide6.QtWidgets import QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.panels.panel import BOTTOM, Panel, panel_action


def _make(desk: Desk) -> QWidget:
    from errorflow_viewer.panels.runs.panel import RunsPanel

    return RunsPanel(desk)


RUNS = Panel(
    "runs",
    "Runs",
    BOTTOM,
    True,
    _make,
    "profile",
    help="how-to/simulate-in-the-window.md#compare-what-was-tried",
    command=panel_action(
        "runs", "S&how the runs", "runs", "Alt+R", "Show or hide the list of what was tried", menu="Simulate"
    ),
)
