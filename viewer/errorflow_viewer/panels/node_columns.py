"""How the columns of the node list share its width: a name that cannot be read is worth less than a shape."""

from collections.abc import Mapping

from errorflow_viewer.node_rows import NAME, OUTPUT, TYPE

# Logical px: what tells long names apart, and how wide a type is at least and at most.
READABLE_NAME = 190
_LEAST_TYPE, _MOST_TYPE = 60, 170


def shares(needs: Mapping[int, int], room: int, keep_output: bool = False) -> dict[int, int]:
    """How wide types and shapes are; names take the rest. Shapes are whole or, unless they are to be kept, left out."""
    kind = max(min(needs[TYPE], _MOST_TYPE, room // 2), _LEAST_TYPE)
    left = room - kind - needs[OUTPUT]
    fits = left >= min(needs[NAME], READABLE_NAME)
    return {TYPE: kind, OUTPUT: needs[OUTPUT] if fits or keep_output else 0}
