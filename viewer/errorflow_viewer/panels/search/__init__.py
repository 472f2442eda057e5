"""The fewest parts that must not be quantized as planned for the model to be good enough."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.panels.panel import Panel, panel_action


def _make(desk: Desk) -> QWidget:
    from errorflow_viewer.panels.search.panel import SearchPanel

    return SearchPanel(desk)


SEARCH = Panel(
    "search",
    "Smallest set",
    Qt.DockWidgetArea.BottomDockWidgetArea,
    False,
    _make,
    "profile",
    help="how-to/find-the-smallest-set.md",
    command=panel_action(
        "search",
        "Smal&lest set",
        "search",
        "Alt+M",
        "Show or hide the search for the smallest set",
        menu="Improve",
        section="search",
    ),
)
