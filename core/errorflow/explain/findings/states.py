"""The states of a graph's tensors, from the rows of a comparison."""

import numpy as np
from numpy.typing import NDArray

from errorflow.compare.metrics.states import State as State
from errorflow.compare.model import Row
from errorflow.compare.placed import Placed
from errorflow.compare.states import state_bits
from errorflow.compare.states import states_of as states_of


def tensor_states(placed: Placed, rows: tuple[Row, ...]) -> NDArray[np.uint16]:
    """Finds the states per tensor of the graph: of the row that counts, and of the first where nothing was measured."""
    found = np.zeros(placed.count, np.uint16)
    for tensor, numbers in placed.about.items():
        if tensor in placed.notes:
            found[tensor] = state_bits(rows[numbers[0]])
    for tensor, row in zip(placed.tensors.tolist(), placed.rows, strict=True):
        found[tensor] = state_bits(row)
    for tensor, other in placed.behind.items():
        found[tensor] = found[other]
    return found
