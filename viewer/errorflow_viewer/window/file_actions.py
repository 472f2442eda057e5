"""The commands that leave models, rows of the table of commands."""

from errorflow_viewer.commands.api import Action
from errorflow_viewer.commands.conditions import has_model
from errorflow_viewer.window.desk import WholeDesk

LEAVING: tuple[Action[WholeDesk], ...] = (
    Action(
        "reload",
        "Re&load",
        "File/model",
        lambda d: d.reload(),
        "reload",
        ("F5", "Ctrl+R"),
        "Read the file again",
        has_model,
    ),
    Action(
        "close", "&Close", "File/model", lambda d: d.close_model(), "close", ("Ctrl+W",), "Close the model", has_model
    ),
    Action(
        "cancel",
        "Cancel &what is running",
        "File/model",
        lambda d: d.cancel(),
        "",
        ("Esc",),
        "Stop opening or drawing",
        lambda d: bool(d.jobs.steps),
    ),
)
