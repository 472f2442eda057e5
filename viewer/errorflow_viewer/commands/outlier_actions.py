"""The commands on loud channels, rows of the table in `actions`."""

from errorflow_viewer.commands.action import Action, has_model, panel_action
from errorflow_viewer.commands.api import Desk

DISTRIBUTIONS = "distributions"


def _has_tensor(desk: Desk) -> bool:
    state = desk.document.state
    return state.node is not None or state.tensor is not None


OUTLYING: tuple[Action, ...] = (
    panel_action(
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
