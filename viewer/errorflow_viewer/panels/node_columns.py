"""How the columns of the node list share its width: a name that cannot be read is worth less than a shape."""

from collections.abc import Mapping

from errorflow_viewer.node_rows import NAME, OUTPUT, TYPE

# Logical px: what tells long names apart, and how wide a type is at least and at most.
READABLE_NAME = 190
_LEAST_TYPE, _MOST_TYPE = 60, 170
Widths = Mapping[int, int]


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


def _type_width(wish: Widths, room: int) -> int:
    return max(min(wish[TYPE], _MOST_TYPE, room // 2), _LEAST_TYPE)
