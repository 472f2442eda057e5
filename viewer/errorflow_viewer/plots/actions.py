"""The commands on plots in windows of their own, rows of the table of commands."""

from collections.abc import Callable

from errorflow_viewer.commands.api import Action, Desk
from errorflow_viewer.kit.large_plots import LargePlot

# The menu of plots in windows of their own.
SUBMENU = "Plots in large si&ze"

_NONE = "No plot is open in a window of its own"


def _has_front(desk: Desk) -> bool:
    return desk.plots.front is not None


def _on_front(run: Callable[[LargePlot], None]) -> Callable[[Desk], None]:
    def running(desk: Desk) -> None:
        if desk.plots.front is not None:
            run(desk.plots.front)

    return running


PLOTTING: tuple[Action[Desk], ...] = (
    Action(
        "plot.save",
        "&Save large plot as PNG, SVG or CSV…",
        "View/plots",
        _on_front(lambda plot: plot.ask_where()),
        "save",
        tip="Write the plot in the window of its own that was in front last",
        enabled=_has_front,
        lack=_NONE,
        submenu=SUBMENU,
    ),
    Action(
        "plot.copy",
        "&Copy picture of large plot",
        "View/plots",
        _on_front(lambda plot: plot.copy_picture()),
        "copy",
        tip="Copy the plot in the window of its own that was in front last",
        enabled=_has_front,
        lack=_NONE,
        submenu=SUBMENU,
    ),
    Action(
        "plot.numbers",
        "Copy &numbers of large plot",
        "View/plots",
        _on_front(lambda plot: plot.copy_numbers()),
        tip="Copy the numbers of the plot in the window of its own that was in front last, as CSV",
        enabled=_has_front,
        lack=_NONE,
        submenu=SUBMENU,
    ),
)
