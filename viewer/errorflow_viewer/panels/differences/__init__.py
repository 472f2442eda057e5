"""Differences of the model on its way: nodes that were merged, split, inserted, removed or changed."""

from PySide6.QtWidgets import QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.panels.panel import BOTTOM, Panel, panel_action


def _make(desk: Desk) -> QWidget:
    from errorflow_viewer.panels.differences.panel import DifferencesPanel

    return DifferencesPanel(desk)


DIFFERENCES = Panel(
    "differences",
    "Differences",
    BOTTOM,
    False,
    _make,
    "profile",
    help="how-to/compare-two-graphs.md",
    command=panel_action(
        "differences",
        "&Differences",
        "differences",
        "Alt+8",
        "Show or hide what was merged, split, inserted, removed or changed between two graphs",
        section="second",
        submenu="Second grap&h",
    ),
)
