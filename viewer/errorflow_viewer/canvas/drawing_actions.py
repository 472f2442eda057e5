"""The commands on the drawing of the graph, rows of the table of commands."""

from errorflow_viewer.canvas.steering import CanvasDesk, can_close, can_open, has_fold_or_group, has_groups, sees_graph
from errorflow_viewer.commands.api import Action

# Open and close groups of the graph on view.
FOLDING: tuple[Action[CanvasDesk], ...] = (
    Action(
        "fold.open",
        "&Open group",
        "Drawing/fold",
        lambda d: d.folds.open(),
        "fold-open",
        ("O",),
        "Open the selected group in place; Enter or a double click does the same",
        can_open,
        graph_only=True,
    ),
    Action(
        "fold.close",
        "&Close group",
        "Drawing/fold",
        lambda d: d.folds.close(),
        "fold-close",
        ("C",),
        "Close the group round what is selected; a double click on its title does the same",
        can_close,
        graph_only=True,
    ),
    Action(
        "fold.inside",
        "Open all &inside",
        "Drawing/fold",
        lambda d: d.folds.open_inside(),
        shortcuts=("Shift+O",),
        tip="Open everything in the selected group",
        enabled=has_fold_or_group,
        graph_only=True,
    ),
    Action(
        "fold.others",
        "Close all o&thers",
        "Drawing/fold",
        lambda d: d.folds.close_others(),
        shortcuts=("Shift+C",),
        tip="Close every group but the selected one",
        enabled=has_fold_or_group,
        graph_only=True,
    ),
    Action(
        "fold.more",
        "Open one level &more",
        "Drawing/levels",
        lambda d: d.folds.more(),
        "level-more",
        ("]",),
        enabled=has_groups,
        toolbar=10,
        reads=("model", "place"),
        graph_only=True,
    ),
    Action(
        "fold.less",
        "Open one lev&el less",
        "Drawing/levels",
        lambda d: d.folds.less(),
        "level-less",
        ("[",),
        enabled=has_groups,
        toolbar=9,
        reads=("model", "place"),
        graph_only=True,
    ),
    Action(
        "fold.all",
        "Open everythin&g",
        "Drawing/levels",
        lambda d: d.folds.open_all(),
        shortcuts=("Ctrl+]",),
        tip="Open all groups, so that every node is seen",
        enabled=has_groups,
    ),
    Action(
        "fold.none",
        "Close e&verything",
        "Drawing/levels",
        lambda d: d.folds.close_all(),
        shortcuts=("Ctrl+[",),
        tip="Close all groups",
        enabled=has_groups,
    ),
)


def _switch(
    key: str, text: str, section: str, tip: str, *, icon: str = "", shortcut: str = "", graph_only: bool = False
) -> Action[CanvasDesk]:
    return Action(
        f"switch.{key}",
        text,
        f"Drawing/{section}",
        lambda d: d.switches.turn(key),
        icon,
        (shortcut,) if shortcut else (),
        tip,
        checked=lambda d: d.switches.is_on(key),
        graph_only=graph_only,
    )


# How the graph on view is laid out, and what of it is drawn.
ARRANGING: tuple[Action[CanvasDesk], ...] = (
    Action(
        "view.columns",
        "Col&umns",
        "Drawing/view",
        lambda d: d.switches.choose_view("down" if d.switches.in_columns else "columns"),
        "columns",
        ("Ctrl+L",),
        "Cut the graph of this model into columns, like a newspaper, or draw it in one piece",
        sees_graph,
        checked=lambda d: d.switches.in_columns,
        toolbar=11,
        reads=("model", "place", "view.columns"),
    ),
    _switch(
        "across",
        "&Left to right",
        "view",
        "Let the flow run from left to right instead of down",
        icon="across",
        shortcut="Ctrl+Shift+L",
    ),
    Action(
        "view.auto",
        "Columns only when t&all",
        "Drawing/view",
        lambda d: d.switches.choose_view("auto"),
        tip="Draw what fits in one piece, and cut only what is much longer than the window, as for every new model",
        enabled=sees_graph,
        checked=lambda d: d.switches.view == "auto",
    ),
    _switch(
        "quiet",
        "Hide &quantize and cast nodes",
        "contents",
        "Draw quantize, dequantize, cast, reshape and the like as part of the line",
        icon="quiet",
        shortcut="Ctrl+Shift+H",
    ),
    Action(
        "fold.whole",
        "Show all consumer&s",
        "Drawing/contents",
        lambda d: d.folds.turn_whole(),
        shortcuts=("A",),
        tip="Draw all lines of what is selected, however many nodes read it, or only their ends",
        enabled=lambda d: sees_graph(d) and d.folds.has_stubs,
        checked=lambda d: d.folds.is_whole,
        graph_only=True,
    ),
    _switch("constants", "Show co&nstants", "contents", "Draw weights and other constants as boxes", icon="constants"),
    _switch("minimap", "Minima&p", "aids", "Show where in the graph one is", shortcut="M", graph_only=True),
    _switch(
        "path",
        "Highlight the &way through",
        "aids",
        "Light up everything that leads to what is selected, and all that depends on it",
        shortcut="P",
        graph_only=True,
    ),
    _switch("still", "&Reduced motion", "aids", "Jump where the picture would glide"),
)
