"""The commands on notes, rows of the table in `actions`."""

from errorflow_viewer.action import Action

NOTING: tuple[Action, ...] = (
    Action(
        "panel.notes",
        "&Notes",
        "Edit",
        "notes",
        lambda d: d.toggle_panel("notes"),
        "",
        ("Alt+T",),
        "Show or hide the note on this session and the list of notes on nodes",
        checked=lambda d: d.panel_shown("notes"),
        also_called="comment remark",
    ),
)
