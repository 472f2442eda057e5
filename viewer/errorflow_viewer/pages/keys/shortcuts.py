"""Keys and what they do, and the page of the manual that is made of it and of the table of commands."""

from typing import Any

from errorflow_viewer.commands.api import MENUS, Action, CommandTable

_HEAD = """# Commands and shortcuts

Every command is in a menu and in the command palette (Ctrl+Shift+P). This page is made from the table in
`viewer/errorflow_viewer/window/actions.py`.
"""
# What mouse and keys do where they are no commands: a title, then what and how.
ByHand = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
IN_GRAPH = "In the graph"
BY_HAND: ByHand = (
    (
        IN_GRAPH,
        (
            ("Move", "drag, or two fingers on a trackpad; with the keyboard `Shift` and an arrow"),
            ("Zoom", "turn the wheel, or pinch"),
            ("Zoom in", "`+`"),
            ("Zoom out", "`-`"),
            ("Actual size", "`0`"),
            ("Fit graph", "`F`"),
            ("Select a node", "click; `Home` and `End` for the first and the last"),
            ("Select an open group", "click on its title or its ground"),
            (
                "Go to a consumer, a producer, a sibling",
                "`Down`, `Up`, `Left` and `Right`; where the flow runs from left to right, `Right`, `Left`, `Up` and "
                "`Down`",
            ),
            ("Open a group, a subgraph or a function", "double-click, or `Enter`"),
            ("Close a group", "double-click on its title"),
            ("Go out to the group around, at last to nothing", "`Esc`, or click outside of all groups"),
            ("Go into the selected group", "`Enter`"),
            ("Go back and forward", "over the graph, the buttons at the side of the mouse"),
        ),
    ),
    (
        "In the list of nodes",
        (
            ("From the search into the list", "`Down`; `Enter` to the next match"),
            ("Clear the search and go back to the graph", "`Esc`"),
            ("Bring the node into view and go to the graph", "`Enter`"),
            ("Narrow by type, name or tensor", '`type:Conv`, `type:"Conv"` for exactly that, `name:layer3`'),
        ),
    ),
    (
        "In a large plot",
        (
            ("Open it", "`F` or double-click in the plot of a panel, or the button above it"),
            ("Zoom", "drag over a part, turn the wheel, `+` and `-`"),
            ("Show all", "`0`"),
            ("Drag to move instead of zooming in, or not", "`M`"),
            ("Logarithmic counts, or not", "`L`"),
            ("Next and previous plane of a tensor", "`PgDown`, `PgUp`"),
            ("Keep what is shown, whatever is selected", "`P`"),
            ("Copy the picture, the numbers", "`Ctrl+C`, `Ctrl+Shift+C`"),
            ("Save as PNG, SVG or CSV", "`Ctrl+S`"),
            ("Hide a layer", "the menu of the right button"),
            ("Close", "`Esc` or `Ctrl+W`"),
        ),
    ),
)


def is_given_away(title: str, how: str, table: CommandTable) -> bool:
    """Whether a key by which something is done in the graph is that of a command now, which has it there."""
    plain = how.strip("`")
    return title == IN_GRAPH and any(plain in table.keys(row) for row in table.rows)


def by_hand(table: CommandTable) -> ByHand:
    """Chooses the keys without those that commands were given."""
    return tuple(
        (title, tuple((what, how) for what, how in lines if not is_given_away(title, how, table)))
        for title, lines in BY_HAND
    )


def markdown(table: CommandTable) -> str:
    """The whole page."""
    parts = (_section(menu, table) for menu in MENUS)
    return _HEAD + "".join(parts) + "".join(_by_hand(*part) for part in by_hand(table))


def _section(menu: str, table: CommandTable) -> str:
    rows = "".join(_row(row, table.keys(row)) for row in table.rows if row.menu == menu)
    return f"\n## {menu}\n\n| Command | Keys | |\n| --- | --- | --- |\n{rows}"


def _by_hand(title: str, rows: tuple[tuple[str, str], ...]) -> str:
    lines = "".join(f"| {what} | {how} |\n" for what, how in rows)
    return f"\n## {title}\n\n| What | How |\n| --- | --- |\n{lines}"


def _row(row: Action[Any], keys: tuple[str, ...]) -> str:
    shown = " or ".join(f"`{each}`" for each in keys)
    return f"| {row.name} | {shown} | {row.tip} |\n"
