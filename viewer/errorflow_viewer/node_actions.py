"""The commands that go through nodes, rows of the table in `actions`."""

import numpy as np

from errorflow.findings.columns import Sheet
from errorflow_viewer.action import Action
from errorflow_viewer.desk import Desk


def has_findings(desk: Desk) -> bool:
    return desk.document.state.findings is not None


def step_worst(desk: Desk, step: int) -> None:
    """Goes from one node to the next in the order of how bad they are, round the end; at first to the worst."""
    state, painting = desk.document.state, desk.document.session.painting
    if state.findings is None:
        return
    worst = Sheet(state.findings, painting.metric, painting.limits).worst_first
    if len(worst):
        here = np.flatnonzero(worst == (-1 if state.node is None else state.node))
        place = int(here[0]) + step if len(here) else (0 if step > 0 else -1)
        desk.document.show(int(worst[place % len(worst)]), walking=True)


WORST: tuple[Action, ...] = (
    Action(
        "worst.next",
        "Next &worst node",
        "Go",
        "worst",
        lambda d: step_worst(d, 1),
        "",
        ("N",),
        "Go to the worst node, and from there to the one that is next to it in badness",
        has_findings,
        graph_only=True,
        lack="No two runs of this model are compared",
    ),
    Action(
        "worst.previous",
        "Previous w&orst node",
        "Go",
        "worst",
        lambda d: step_worst(d, -1),
        "",
        ("Shift+N",),
        "Go to the node that is the next worse one",
        has_findings,
        graph_only=True,
        lack="No two runs of this model are compared",
    ),
)
