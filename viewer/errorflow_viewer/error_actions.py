"""The commands on error, rows of the table in `actions`."""

from errorflow_viewer.action import Action
from errorflow_viewer.desk import Desk


def has_runs(desk: Desk) -> bool:
    return desk.document.comparison is not None


PAINTING: tuple[Action, ...] = (
    Action(
        "switch.error",
        "Paint by &error",
        "View",
        "error",
        lambda d: d.switches.turn("error"),
        "",
        ("E",),
        "Paint nodes by how far two runs of the model differ, or by what they do",
        has_runs,
        checked=lambda d: d.switches.is_on("error"),
        graph_only=True,
        lack="No two runs of this model are loaded. A sample brings its own: File → Open sample",
    ),
)
