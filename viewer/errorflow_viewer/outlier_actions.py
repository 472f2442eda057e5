"""The commands on loud channels, rows of the table in `actions`."""

from errorflow_viewer.action import Action, has_model
from errorflow_viewer.desk import Desk

DISTRIBUTIONS = "distributions"


def _has_tensor(desk: Desk) -> bool:
    state = desk.document.state
    return state.node is not None or state.tensor is not None


OUTLYING: tuple[Action, ...] = (
    Action(
        "panel.outliers",
        "&Outliers",
        "Improve",
        "outliers",
        lambda d: d.toggle_panel("outliers"),
        "outliers",
        ("Alt+O",),
        "Show or hide the tensors whose loud channels take bits from all others",
        has_model,
        checked=lambda d: d.panel_shown("outliers"),
        also_called="channels levels loud sparse smooth",
    ),
    Action(
        "distributions",
        "&Distributions",
        "Improve",
        "outliers",
        lambda d: d.document.looked_for.emit(DISTRIBUTIONS, d.document.outlier),
        "view-distributions",
        (),
        "How the values of the selected tensor are spread: all, by channel, and against the thresholds of its codes",
        _has_tensor,
        lack="Nothing is selected",
        also_called="histogram box plot channels one peak",
    ),
)
