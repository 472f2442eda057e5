"""The command that shows the profile in a window of its own, a row of the table of commands."""

from errorflow_viewer.commands.api import Action, Desk
from errorflow_viewer.plots.actions import SUBMENU


def _open_profile(desk: Desk) -> None:
    """It is drawn when its panel is seen."""
    if desk.document.state.findings is not None:
        desk.show_panel("profile")
        desk.plots.open("profile")


PROFILING: tuple[Action, ...] = (
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
        submenu=SUBMENU,
    ),
)
