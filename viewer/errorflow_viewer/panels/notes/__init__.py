"""Notes of the user on the session and on its nodes."""

from PySide6.QtWidgets import QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.panels.panel import LEFT, Panel, panel_action


def _make(desk: Desk) -> QWidget:
    from errorflow_viewer.panels.notes.panel import NotesPanel

    return NotesPanel(desk)


NOTES = Panel(
    "notes",
    "Notes",
    LEFT,
    False,
    _make,
    "nodes",
    help="how-to/keep-a-session.md",
    command=panel_action(
        "notes",
        "&Notes",
        "",
        "Alt+T",
        "Show or hide the note on this session and the list of notes on nodes",
        menu="Edit",
        section="notes",
        also_called="comment remark",
    ),
)
