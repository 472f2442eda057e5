"""The command on the matches, a row of the table in `actions`."""

from errorflow_viewer.action import Action

MATCHING: tuple[Action, ...] = (
    Action(
        "panel.matches",
        "&Matches",
        "View",
        "panels",
        lambda d: d.toggle_panel("matches"),
        "matches",
        ("Alt+6",),
        "Show or hide which tensors of the two runs were brought together, and by which rule",
        checked=lambda d: d.panel_shown("matches"),
    ),
)
