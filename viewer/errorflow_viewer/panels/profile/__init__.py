"""The metric along the depth of the model, docked below the graph."""

from PySide6.QtWidgets import QWidget

from errorflow_viewer.commands.api import Action, Desk
from errorflow_viewer.panels.panel import BOTTOM, Panel, panel_action
from errorflow_viewer.plots.actions import SUBMENU


def _make(desk: Desk) -> QWidget:
    from errorflow_viewer.panels.profile.panel import ProfilePanel

    return ProfilePanel(desk)


PROFILE = Panel(
    "profile",
    "Profile",
    BOTTOM,
    True,
    _make,
    help="how-to/read-the-profile.md",
    command=panel_action("profile", "Pro&file", "profile", "Alt+5", "Show or hide how the error grows along the model"),
)


def _open_profile(desk: Desk) -> None:
    """Opens the profile, which is drawn when its panel is seen."""
    if desk.document.state.findings is not None:
        desk.panels.show("profile")
        desk.plots.open("profile")


PROFILING: tuple[Action[Desk], ...] = (
    Action(
        "plot.profile",
        "Show large p&rofile",
        "View/plots",
        _open_profile,
        "profile",
        tip="Show how the error grows along the model in a window of its own",
        enabled=lambda d: d.document.state.findings is not None,
        lack="Nothing is compared yet",
        submenu=SUBMENU,
    ),
)
