"""Curves of how errors grow along the depth, and what keeping the worst in float gains."""

from PySide6.QtWidgets import QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.panels.panel import BOTTOM, Panel, panel_action


def _make(desk: Desk) -> QWidget:
    from errorflow_viewer.panels.curves.panel import CurvesPanel

    return CurvesPanel(desk)


CURVES = Panel(
    "curves",
    "Curves",
    BOTTOM,
    False,
    _make,
    "profile",
    help="how-to/draw-curves.md",
    command=panel_action(
        "curves",
        "&Curves",
        "curves",
        "Alt+C",
        "Show or hide how the error grows along the depth, and what keeping the worst in float gains",
        menu="Improve",
        section="rank",
        also_called="cumulative error recovery knee partial quantization",
    ),
)
