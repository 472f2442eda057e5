"""Which tensors of the two runs were brought together, by which rule, and what is left over."""

from PySide6.QtCore import Qt

from errorflow_viewer.panels.matches.panel import MatchesPanel
from errorflow_viewer.panels.panel import Panel

MATCHES = Panel(
    "matches",
    "Matches",
    Qt.DockWidgetArea.BottomDockWidgetArea,
    False,
    MatchesPanel,
    "profile",
    help="how-to/match-by-hand.md",
)
