"""Ranking of the model's parts, as a table."""

from PySide6.QtWidgets import QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.panels.panel import BOTTOM, Panel, panel_action


def _make(desk: Desk) -> QWidget:
    from errorflow_viewer.panels.ranking.panel import RankingPanel

    return RankingPanel(desk)


RANKING = Panel(
    "ranking",
    "Ranking",
    BOTTOM,
    False,
    _make,
    "profile",
    help="how-to/rank-in-the-window.md",
    command=panel_action(
        "ranking",
        "Show the &ranking",
        "ranking",
        "Alt+Q",
        "Show or hide the list of what matters most",
        menu="Improve",
        section="rank",
    ),
)
