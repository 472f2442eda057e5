"""The commands on what changed since another session, rows of the table of commands."""

from typing import Protocol

from errorflow_viewer.commands.api import Action, Desk, has_model


class AsksForSession(Protocol):
    """Lets the user choose the session that is compared with."""

    def ask_for_earlier(self) -> None: ...


class ChangesDesk(Desk, Protocol):
    """A desk with sessions to choose from."""

    @property
    def session_files(self) -> AsksForSession: ...


def _compare_since(desk: ChangesDesk) -> None:
    """Compares with a chosen session, and shows what changed."""
    before = desk.document.session.since
    desk.session_files.ask_for_earlier()
    if desk.document.session.since not in (None, before):
        desk.panels.show("changes")


CHANGING: tuple[Action[ChangesDesk], ...] = (
    Action(
        "since.compare",
        "Compare wit&h another session…",
        "File/session",
        _compare_since,
        shortcuts=("Ctrl+Alt+D",),
        tip="Choose a session, such as yesterday's: what became worse or better since is painted and listed",
        enabled=has_model,
    ),
    Action(
        "since.stop",
        "Stop comparin&g with it",
        "File/session",
        lambda d: d.studies.earlier.stop(),
        tip="Paint the error of this session again",
        enabled=lambda d: d.document.session.since is not None,
        lack="No other session is compared with",
    ),
)
