"""Goes through nodes by how bad they are."""

import numpy as np

from errorflow.explain.findings.change import MetricChange
from errorflow.explain.findings.columns import Sheet
from errorflow_viewer.commands.api import Desk, is_searching
from errorflow_viewer.document.node_rows import rows_of


def has_worst(desk: Desk) -> bool:
    """The first numbers may be of no node at all: a key that waits for the worst one waits for more."""
    findings, painting = desk.document.state.findings, desk.document.session.painting
    scale = None if findings is None else findings.scale(painting.metric, painting.limits)
    return findings is not None and scale is not None and bool((findings.worst(scale)[0] >= 0).any())


def step_worst(desk: Desk, step: int) -> None:
    """Goes from one node to the next in the order of how bad they are, round the end; at first to the worst.

    While something is searched for it goes through what was found only.
    """
    state, painting = desk.document.state, desk.document.session.painting
    if state.findings is None:
        return
    change = MetricChange.of(state.findings, painting.metric, painting.limits)
    sheet = Sheet(state.findings, painting.metric, painting.limits)
    worst = sheet.worst_first if change is None else change.most_first
    if change is not None and not len(worst):
        desk.say(f"No node changed by {change.told_from} or more.")
    within = ""
    if is_searching(desk) and desk.document.graph is not None:
        found = rows_of(desk.document.graph).search(state.search)
        worst, within = worst[np.isin(worst, found)], ", within the search"
        if not len(worst):
            none = "The search finds no node: there is no worst one in it."
            desk.say("No node within the search was measured." if len(found) else none)
    if len(worst):
        here = np.flatnonzero(worst == (-1 if state.node is None else state.node))
        place = (int(here[0]) + step if len(here) else (0 if step > 0 else -1)) % len(worst)
        desk.document.show(int(worst[place]), walking=True)
        what = "Worst nodes" if change is None else "Nodes that changed, worse first"
        desk.say(f"{what}: {place + 1:,} of {len(worst):,}{within}")


def show_blamed(desk: Desk) -> None:
    """Goes to the node that brings most of the error; to the worst one where none could be blamed."""
    compared = desk.document.state.case
    top = () if compared is None or compared.blame is None else compared.blame.model.top
    if top and compared is not None and compared.blame is not None:
        desk.document.show(top[0].node)
        desk.say(compared.blame.model.text)
    else:
        step_worst(desk, 1)
