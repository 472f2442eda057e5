"""The commands on the closer look at a tensor, rows of the table of commands."""

from errorflow_viewer.commands.api import Action, Desk
from errorflow_viewer.plots.actions import SUBMENU

DISTRIBUTIONS = "distributions"


def _has_tensor(desk: Desk) -> bool:
    state = desk.document.state
    return state.node is not None or state.tensor is not None


DISTRIBUTING: tuple[Action[Desk], ...] = (
    Action(
        "distributions",
        "&Distributions",
        "Improve/outliers",
        lambda d: d.document.looked_for.emit(DISTRIBUTIONS, d.document.outlier),
        "view-distributions",
        (),
        "How the values of the selected tensor are spread: all, by channel, and against the thresholds of its codes",
        _has_tensor,
        lack="Nothing is selected",
        also_called="histogram box plot channels one peak",
    ),
)


ENLARGING: tuple[Action[Desk], ...] = (
    Action(
        "plot.inspector",
        "Show large &plot",
        "View/plots",
        lambda d: d.plots.open("inspector"),
        "large",
        ("Ctrl+Shift+F",),
        "Show the inspector's plot in a window of its own",
        lambda d: d.plots.can_open("inspector"),
        "The inspector shows no plot now",
        submenu=SUBMENU,
    ),
)
