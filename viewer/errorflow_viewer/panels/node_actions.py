"""The commands that find nodes and go through the worst, rows of the table of commands."""

from typing import Protocol

from errorflow_viewer.commands.api import Action, Desk, has_findings, has_model, is_searching
from errorflow_viewer.commands.worst import has_worst, show_blamed, step_worst


class NodesDesk(Desk, Protocol):
    """A desk with the list of nodes."""

    def find_node(self) -> None: ...

    def step_match(self, step: int) -> None: ...

    def show_in_list(self) -> None: ...


SEARCHING: tuple[Action[NodesDesk], ...] = (
    Action(
        "find",
        "Fi&nd in the list of nodes",
        "Go/find",
        lambda d: d.find_node(),
        "search",
        ("Ctrl+F", "/"),
        "Search the list of nodes",
        has_model,
    ),
    Action(
        "find_next",
        "Ne&xt match",
        "Go/find",
        lambda d: d.step_match(1),
        shortcuts=("F3",),
        tip="Go to the next node that the search has found",
        enabled=is_searching,
    ),
    Action(
        "find_previous",
        "P&revious match",
        "Go/find",
        lambda d: d.step_match(-1),
        shortcuts=("Shift+F3",),
        tip="Go to the previous node that the search has found",
        enabled=is_searching,
    ),
)

# How nodes and the graph are found.
FINDING: tuple[Action[NodesDesk], ...] = (
    Action(
        "show_in_list",
        "Show in the &list of nodes",
        "Go/find",
        lambda d: d.show_in_list(),
        "nodes",
        ("L",),
        "Bring the selected node into view in the list",
        lambda d: d.document.state.node is not None,
        graph_only=True,
    ),
    Action(
        "go_to_node",
        "&Go to node…",
        "Go/find",
        lambda d: d.commands.open_palette("@"),
        "centre",
        ("Ctrl+G", "Ctrl+P"),
        "Jump to a node by its name",
        has_model,
    ),
    Action(
        "graph",
        "Focus the gra&ph",
        "Go/find",
        lambda d: d.focus_graph(),
        "graph",
        ("Ctrl+F6",),
        "Give the keyboard to the graph",
        has_model,
    ),
)

WORST: tuple[Action[NodesDesk], ...] = (
    Action(
        "worst.blamed",
        "Node to bl&ame",
        "Go/worst",
        show_blamed,
        tip="Go to the node that brings most of the error at the model's output",
        enabled=has_findings,
        graph_only=True,
        also_called="culprit origin birthplace fault verdict",
        lack="No two runs of this model are compared",
    ),
    Action(
        "worst.next",
        "Next &worst node",
        "Go/worst",
        lambda d: step_worst(d, 1),
        shortcuts=("N",),
        tip="Go to the worst node, within a search if there is one, and from there to the one next to it in badness",
        enabled=has_worst,
        graph_only=True,
        lack="No two runs of this model are compared",
    ),
    Action(
        "worst.previous",
        "Previous w&orst node",
        "Go/worst",
        lambda d: step_worst(d, -1),
        shortcuts=("Shift+N",),
        tip="Go to the node that is the next worse one",
        enabled=has_worst,
        graph_only=True,
        lack="No two runs of this model are compared",
    ),
)
