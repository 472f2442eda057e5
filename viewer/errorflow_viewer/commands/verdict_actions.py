"""The commands on the model's verdict, rows of the table in `actions`."""

from PySide6.QtGui import QGuiApplication

from errorflow_viewer.commands.action import Action, has_model, panel_action
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.document.verdict_words import ticket_text


def has_verdict(desk: Desk) -> bool:
    compared = desk.document.state.case
    return compared is not None and compared.blame is not None


def copy_for_ticket(desk: Desk) -> None:
    """The verdict as text."""
    compared = desk.document.state.case
    if compared is not None and compared.blame is not None:
        QGuiApplication.clipboard().setText(ticket_text(compared))


JUDGING: tuple[Action, ...] = (
    panel_action(
        "verdict", "&Verdict", "verdict", "Alt+9", "Show or hide who is to blame for the error, and what to do"
    ),
    Action(
        "verdict.page",
        "&Verdict page",
        "Go",
        "pages",
        lambda d: d.show_verdict_page(),
        "verdict",
        ("F4",),
        "Read all that was found on one page: verdict, nodes that matter, what was tried, what to do; or go back",
        has_model,
        also_called="report summary advice recommendation ticket",
    ),
)
COPYING: tuple[Action, ...] = (
    Action(
        "verdict.copy",
        "Copy &verdict for a ticket",
        "Edit",
        "verdict",
        copy_for_ticket,
        "copy",
        (),
        "Copy who is to blame and what to do, as the command line prints it",
        has_verdict,
        lack="No two runs of this model are compared",
    ),
)
