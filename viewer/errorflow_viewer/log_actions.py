"""The command on what the app did, a row of the table in `actions`."""

from errorflow_viewer.action import Action

LOGGING: tuple[Action, ...] = (
    Action(
        "panel.log",
        "Lo&g",
        "View",
        "panels",
        lambda d: d.toggle_panel("log"),
        "log",
        ("Alt+7",),
        "Show or hide what the app did, with warnings and errors",
        checked=lambda d: d.panel_shown("log"),
    ),
)
