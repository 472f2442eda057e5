"""The evidence about one node: many views of one tensor, each of which says how well it suits."""

from PySide6.QtWidgets import QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.panels.panel import RIGHT, Panel, panel_action


def _make(desk: Desk) -> QWidget:
    from errorflow_viewer.panels.inspector.panel import InspectorPanel

    return InspectorPanel(desk)


INSPECTOR = Panel(
    "inspector",
    "Inspector",
    RIGHT,
    True,
    _make,
    tab_of="details",
    help="how-to/look-closely.md",
    listens=True,
    command=panel_action(
        "inspector",
        "In&spector",
        "view-histogram",
        "Alt+4",
        "Show or hide the inspector: histograms, errors, channels and values of one tensor",
    ),
)
