"""Outliers: tensors with loud channels that drown the others."""

from PySide6.QtWidgets import QWidget

from errorflow_viewer.commands.api import Desk, has_model
from errorflow_viewer.panels.panel import BOTTOM, Panel, panel_action


def _make(desk: Desk) -> QWidget:
    from errorflow_viewer.panels.outliers.panel import OutliersPanel

    return OutliersPanel(desk)


OUTLIERS = Panel(
    "outliers",
    "Outliers",
    BOTTOM,
    False,
    _make,
    "profile",
    help="how-to/find-outliers.md",
    command=panel_action(
        "outliers",
        "&Outliers",
        "outliers",
        "Alt+O",
        "Show or hide the tensors whose loud channels take bits from all others",
        menu="Improve",
        section="outliers",
        enabled=has_model,
        also_called="channels levels loud sparse smooth",
    ),
)
