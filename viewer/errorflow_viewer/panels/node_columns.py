"""How the columns of the node list share its width: a name that cannot be read is worth less than a shape."""

from collections.abc import Callable, Collection, Mapping, Sequence
from math import ceil

from errorflow_viewer.document.node_rows import NAME, OUTPUT, TYPE
from errorflow_viewer.kit.tables.cells import ROOM

# Logical px: what tells long names apart, and how wide a type is at least and at most.
READABLE_NAME = 190
# The same beside what was found, which is what one looks for then.
SHORT_NAME = 120
_LEAST_TYPE, _MOST_TYPE = 60, 170
# The share of rows that are whole where the others would take the room of a column.
_USUAL = 0.9
Widths = Mapping[int, int]


def needed(
    titles: Sequence[str], texts: Sequence[Sequence[str]], width: Callable[[str], int]
) -> tuple[dict[int, int], dict[int, int]]:
    """How wide each column needs to be for all rows, and for all but a few."""
    needs, usual = {}, {}
    for column, (title, rows) in enumerate(zip(titles, texts, strict=True)):
        widths = sorted(map(width, rows if rows else [title]))
        needs[column] = ROOM + max(width(title), widths[-1])
        usual[column] = ROOM + max(width(title), widths[ceil(_USUAL * len(widths)) - 1])
    return needs, usual


def shares(needs: Widths, usual: Widths, room: int, keep_output: bool = False) -> dict[int, int]:
    """How wide types and shapes are; names take the rest.

    Of both all but a few long ones are whole, or else shapes are left out unless they are to be kept. `usual` is what
    all but a few rows need; what names can spare goes to the few.
    """
    kind, output = _type_width(usual, room), usual[OUTPUT]
    spare = room - min(needs[NAME], READABLE_NAME) - kind - output
    if spare < 0 and not keep_output:
        spare, output = room - needs[NAME] - kind, 0
    else:
        wider = min(max(spare, 0), needs[OUTPUT] - output)
        spare, output = spare - wider, output + wider
    return {TYPE: kind + min(max(spare, 0), _type_width(needs, room) - kind), OUTPUT: output}


def found_shares(
    needs: Widths, usual: Widths, room: int, order: Sequence[int], kept: Collection[int]
) -> dict[int, int]:
    """How wide columns are after a comparison; 0: left out, for what a name needs to be read comes first.

    They are asked in `order`, the dearest first. One that has nothing to say of any node has no need. `kept` ones stay
    however little is left.
    """
    left = room - min(needs[NAME], SHORT_NAME)
    widths = dict.fromkeys(order, 0)
    for column in order:
        wish = min(usual[column], _MOST_TYPE)
        if wish and (column in kept or wish <= left):
            widths[column] = wish
            left -= wish
    # Names grow before what others cut of theirs is shown.
    left -= min(needs[NAME], READABLE_NAME) - min(needs[NAME], SHORT_NAME)
    for column in order:
        wider = min(max(left, 0), max(needs[column] - widths[column], 0)) if widths[column] else 0
        widths[column], left = widths[column] + wider, left - wider
    return widths


def _type_width(wish: Widths, room: int) -> int:
    return max(min(wish[TYPE], _MOST_TYPE, room // 2), _LEAST_TYPE)
