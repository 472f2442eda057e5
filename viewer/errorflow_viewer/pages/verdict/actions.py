"""The command that leads to the page of the verdict, a row of the table of commands."""

from errorflow_viewer.commands.api import Action
from errorflow_viewer.commands.conditions import has_model

JUDGING: tuple[Action, ...] = (
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
