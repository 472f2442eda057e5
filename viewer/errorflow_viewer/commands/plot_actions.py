"""The commands on plots in windows of their own, rows of the table in `actions`."""

from collections.abc import Callable

from errorflow_viewer.commands.action import Action
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.kit.large_plots import LargePlot

_SUBMENU = "Plots in large si&ze"
_NONE = "No plot is open in a window of its own"


def _has_front(desk: Desk) -> bool:
    return desk.plots.front is not None


def _on_front(run: Callable[[LargePlot], None]) -> Callable[[Desk], None]:
    def running(desk: Desk) -> None:
        if desk.plots.front is not None:
            run(desk.plots.front)

    return running


def _open_profile(desk: Desk) -> None:
    """It is drawn when its panel is seen."""
    if desk.document.state.findings is not None:
        desk.show_panel("profile")
        desk.plots.open("profile")


PLOTTING: tuple[Action, ...] = (
    Action(
        "plot.inspector",
        "Show large &plot",
        "View",
        "plots",
        lambda d: d.plots.open("inspector"),
        "large",
        ("Ctrl+Shift+F",),
        "Show the inspector's plot in a window of its own",
        lambda d: d.plots.can_open("inspector"),
        "The inspector shows no plot now",
        submenu=_SUBMENU,
    ),
    Action(
        "plot.profile",
        "Show large p&rofile",
        "View",
        "plots",
        _open_profile,
        "profile",
        tip="Show how the error grows along the model in a window of its own",
        enabled=lambda d: d.document.state.findings is not None,
        lack="Nothing is compared yet",
        submenu=_SUBMENU,
    ),
    Action(
        "plot.save",
        "&Save large plot as PNG, SVG or CSV…",
        "View",
        "plots",
        _on_front(lambda plot: plot.ask_where()),
        "save",
        tip="Write the plot in the window of its own that was in front last",
        enabled=_has_front,
        lack=_NONE,
        submenu=_SUBMENU,
    ),
    Action(
        "plot.copy",
        "&Copy picture of large plot",
        "View",
        "plots",
        _on_front(lambda plot: plot.copy_picture()),
        "copy",
        tip="Copy the plot in the window of its own that was in front last",
        enabled=_has_front,
        lack=_NONE,
        submenu=_SUBMENU,
    ),
    Action(
        "plot.numbers",
        "Copy &numbers of large plot",
        "View",
        "plots",
        _on_front(lambda plot: plot.copy_numbers()),
        tip="Copy the numbers of the plot in the window of its own that was in front last, as CSV",
        enabled=_has_front,
        lack=_NONE,
        submenu=_SUBMENU,
    ),
)
