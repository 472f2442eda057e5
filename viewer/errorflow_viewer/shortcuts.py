"""docs/shortcuts.md, made from the table of actions: `python -m errorflow_viewer.shortcuts docs/shortcuts.md`."""

import sys
from pathlib import Path

from errorflow.files import write_atomic
from errorflow_viewer.action import Action
from errorflow_viewer.actions import ACTIONS, MENUS

_HEAD = """# Commands and shortcuts

Every command is in a menu and in the command palette (Ctrl+Shift+P). This page is made from the table in
`viewer/errorflow_viewer/actions.py`.
"""
_GRAPH = """
## In the graph

| What | How |
| --- | --- |
| Move | drag, or two fingers on a trackpad; with the keyboard Shift and an arrow |
| Zoom | turn the wheel, pinch, `+` and `-` |
| Actual size, everything | `0`, `F` |
| Select a node | click; `Home` and `End` for the first and the last |
| Go to a consumer, a producer, a sibling | `Down`, `Up`, `Left` and `Right` |
| Open a subgraph or a function | double-click its node, or `Enter` |
| Clear the selection | `Esc`, or click on nothing |
| Show or hide the minimap | `M` |
| Light the path through the selected node, or not | `P` |

## In the list of nodes

| What | How |
| --- | --- |
| From the search into the list | Down or Enter |
| Clear the search | Esc |
| Bring the node into view and go to the graph | Enter |
| Narrow by type, name or tensor | `type:Conv`, `type:"Conv"` for exactly that, `name:layer3`, `tensor:mask` |
"""


def markdown() -> str:
    """The whole page."""
    return _HEAD + "".join(_section(menu) for menu in MENUS) + _GRAPH


def _section(menu: str) -> str:
    rows = "".join(_row(row) for row in ACTIONS if row.menu == menu)
    return f"\n## {menu}\n\n| Command | Keys | |\n| --- | --- | --- |\n{rows}"


def _row(row: Action) -> str:
    keys = " or ".join(f"`{keys}`" for keys in row.shortcuts)
    return f"| {row.name} | {keys} | {row.tip} |\n"


if __name__ == "__main__":
    write_atomic(Path(sys.argv[1]), markdown())
