"""Matches of the two runs' tensors, by which rule, and what is left over."""

from PySide6.QtWidgets import QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.panels.panel import BOTTOM, Panel, panel_action


def _make(desk: Desk) -> QWidget:
    from errorflow_viewer.panels.matches.panel import MatchesPanel

    return MatchesPanel(desk)


MATCHES = Panel(
    "matches",
    "Matches",
    BOTTOM,
    False,
    _make,
    "profile",
    help="how-to/match-by-hand.md",
    command=panel_action(
        "matches",
        "&Matches",
        "matches",
        "Alt+6",
        "Show or hide which tensors of the two runs were brought together, and by which rule",
    ),
)
