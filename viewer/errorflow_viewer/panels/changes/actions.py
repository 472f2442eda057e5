"""The commands on what changed since another session, rows of the table of commands."""

from errorflow_viewer.commands.api import Action, Desk
from errorflow_viewer.commands.conditions import has_model


def _compare_since(desk: Desk) -> None:
    """Who chose one wants to see what changed."""
    before = desk.document.session.since
    desk.session_files.ask_for_earlier()
    if desk.document.session.since not in (None, before):
        desk.show_panel("changes")


CHANGING: tuple[Action, ...] = (
    Action(
        "since.compare",
        "Compare wit&h another session…",
        "File",
        "session",
        _compare_since,
        "",
        ("Ctrl+Alt+D",),
        "Choose a session, such as yesterday's: what became worse or better since is painted and listed",
        has_model,
    ),
    Action(
        "since.stop",
        "Stop comparin&g with it",
        "File",
        "session",
        lambda d: d.earlier.stop(),
        tip="Paint the error of this session again",
        enabled=lambda d: d.document.session.since is not None,
        lack="No other session is compared with",
    ),
)
