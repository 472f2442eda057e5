"""The command on the profile, a row of the table in `actions`."""

from errorflow_viewer.action import Action

PROFILING: tuple[Action, ...] = (
    Action(
        "panel.profile",
        "Pro&file",
        "View",
        "panels",
        lambda d: d.toggle_panel("profile"),
        "profile",
        ("Alt+5",),
        "Show or hide how the error grows along the model",
        checked=lambda d: d.panel_shown("profile"),
    ),
)
