"""Which parts of the model matter, as a table."""

from PySide6.QtCore import Qt

from errorflow_viewer.panels.panel import Panel
from errorflow_viewer.panels.ranking.panel import RankingPanel

RANKING = Panel(
    "ranking",
    "Ranking",
    Qt.DockWidgetArea.BottomDockWidgetArea,
    False,
    RankingPanel,
    "profile",
    help="how-to/rank-in-the-window.md",
)
