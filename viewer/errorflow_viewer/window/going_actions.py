"""The commands that go back and forward, rows of the table of commands."""

from errorflow_viewer.commands.api import Action
from errorflow_viewer.window.desk import WholeDesk

GOING: tuple[Action[WholeDesk], ...] = (
    Action(
        "back",
        "&Back",
        "Go/history",
        lambda d: d.document.step_back(),
        "back",
        ("Alt+Left",),
        "Back to where you were",
        lambda d: bool(d.document.state.back),
        toolbar=4,
        reads=("back",),
    ),
    Action(
        "forward",
        "&Forward",
        "Go/history",
        lambda d: d.document.step_forward(),
        "forward",
        ("Alt+Right",),
        "Forward again",
        lambda d: bool(d.document.state.forward),
        toolbar=5,
        reads=("forward",),
    ),
)
