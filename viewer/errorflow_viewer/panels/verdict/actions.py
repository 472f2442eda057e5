"""The command that gives the model's verdict away, a row of the table of commands."""

from errorflow_viewer.commands.api import Action
from errorflow_viewer.commands.copy_save.verdict import copy_for_ticket, has_verdict

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
