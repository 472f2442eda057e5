"""The commands on curves, rows of the table in `actions`."""

from errorflow_viewer.action import Action

CURVING: tuple[Action, ...] = (
    Action(
        "panel.curves",
        "&Curves",
        "Improve",
        "rank",
        lambda d: d.toggle_panel("curves"),
        "curves",
        ("Alt+C",),
        "Show or hide how the error grows along the depth, and what keeping the worst in float gains",
        checked=lambda d: d.panel_shown("curves"),
        also_called="cumulative error recovery knee partial quantization",
    ),
)
