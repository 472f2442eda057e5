"""The command that leads to the page of a ticket, a row of the table of commands."""

from errorflow_viewer.commands.api import Action
from errorflow_viewer.commands.conditions import has_model

TICKET: tuple[Action, ...] = (
    Action(
        "ticket",
        "Tic&ket…",
        "File",
        "export",
        lambda d: d.make_ticket(),
        tip="Write the case as one bundle that opens as the same session elsewhere, without weights, folders and names",
        enabled=has_model,
        submenu="&Export",
        also_called="bundle zip support send redact share",
    ),
)
