"""The commands that lead from node to node, rows of the table in `actions`."""

from errorflow_viewer.commands.action import Action, has_model, is_searching

GOING: tuple[Action, ...] = (
    Action(
        "back",
        "&Back",
        "Go",
        "history",
        lambda d: d.document.step_back(),
        "back",
        ("Alt+Left",),
        "Back to where you were",
        lambda d: bool(d.document.state.back),
        toolbar=4,
    ),
    Action(
        "forward",
        "&Forward",
        "Go",
        "history",
        lambda d: d.document.step_forward(),
        "forward",
        ("Alt+Right",),
        "Forward again",
        lambda d: bool(d.document.state.forward),
        toolbar=5,
    ),
)

SEARCHING: tuple[Action, ...] = (
    Action(
        "find",
        "Fi&nd in the list of nodes",
        "Go",
        "find",
        lambda d: d.find_node(),
        "search",
        ("Ctrl+F", "/"),
        "Search the list of nodes",
        has_model,
    ),
    Action(
        "find_next",
        "Ne&xt match",
        "Go",
        "find",
        lambda d: d.step_match(1),
        "",
        ("F3",),
        "Go to the next node that the search has found",
        is_searching,
    ),
    Action(
        "find_previous",
        "P&revious match",
        "Go",
        "find",
        lambda d: d.step_match(-1),
        "",
        ("Shift+F3",),
        "Go to the previous node that the search has found",
        is_searching,
    ),
)

# How nodes and the graph are found.
FINDING: tuple[Action, ...] = (
    Action(
        "show_in_list",
        "Show in the &list of nodes",
        "Go",
        "find",
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
        "Go",
        "find",
        lambda d: d.open_palette("@"),
        "centre",
        ("Ctrl+G", "Ctrl+P"),
        "Jump to a node by its name",
        has_model,
    ),
    Action(
        "graph",
        "Focus the gra&ph",
        "Go",
        "find",
        lambda d: d.focus_graph(),
        "graph",
        ("Ctrl+F6",),
        "Give the keyboard to the graph",
        has_model,
    ),
)
