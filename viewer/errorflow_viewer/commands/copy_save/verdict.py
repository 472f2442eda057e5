"""The verdict as text for a ticket."""

from PySide6.QtGui import QGuiApplication

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
