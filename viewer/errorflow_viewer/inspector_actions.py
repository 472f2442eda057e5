"""The commands of the inspector, rows of the table in `actions`."""

from errorflow_viewer.action import Action

INSPECTING: tuple[Action, ...] = (
    Action(
        "panel.inspector",
        "In&spector",
        "View",
        "panels",
        lambda d: d.toggle_panel("inspector"),
        "view-histogram",
        ("Alt+4",),
        "Show or hide the inspector: histograms, errors, channels and values of one tensor",
        checked=lambda d: d.panel_shown("inspector"),
    ),
)
