"""Who is to blame for the error, and what to do about it."""

from PySide6.QtCore import Qt

from errorflow_viewer.panels.panel import Panel
from errorflow_viewer.panels.verdict.panel import VerdictPanel

VERDICT = Panel(
    "verdict",
    "Verdict",
    Qt.DockWidgetArea.RightDockWidgetArea,
    True,
    VerdictPanel,
    "details",
    help="how-to/find-the-birthplace.md",
)
