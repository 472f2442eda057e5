"""Verdict on who is to blame for the error, and what to do about it."""

from PySide6.QtWidgets import QWidget

from errorflow_viewer.commands.api import Action, Desk
from errorflow_viewer.commands.copy_save.verdict import copy_for_ticket, has_verdict
from errorflow_viewer.panels.panel import RIGHT, Panel, panel_action


def _make(desk: Desk) -> QWidget:
    from errorflow_viewer.panels.verdict.panel import VerdictPanel

    return VerdictPanel(desk)


VERDICT = Panel(
    "verdict",
    "Verdict",
    RIGHT,
    True,
    _make,
    "details",
    help="how-to/find-the-birthplace.md",
    listens=True,
    command=panel_action(
        "verdict", "&Verdict", "verdict", "Alt+9", "Show or hide who is to blame for the error, and what to do"
    ),
)


COPYING: tuple[Action[Desk], ...] = (
    Action(
        "verdict.copy",
        "Copy &verdict for a ticket",
        "Edit/verdict",
        copy_for_ticket,
        "copy",
        tip="Copy who is to blame and what to do, as the command line prints it",
        enabled=has_verdict,
        lack="No two runs of this model are compared",
    ),
)
