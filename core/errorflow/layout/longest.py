"""The longest path through the whole graph: the spine of every group that it passes."""

import numpy as np

from errorflow.base.arrays import Ragged
from errorflow.base.progress import Progress
from errorflow.layout.atoms import Atoms
from errorflow.layout.level import Bools
from errorflow.layout.ranks import forward_ends, peel
from errorflow.layout.tree import STEPS

OFTEN = 20_000  # atoms between two looks whether to go on


def longest_path(atoms: Atoms, progress: Progress) -> Bools:
    """For each end of a net whether the path runs along it; among equals the one that comes first in the file."""
    count = len(atoms.kinds)
    chosen = np.zeros(len(atoms.sinks), bool)
    starts, ends = atoms.sources[atoms.nets], atoms.sinks
    forward = np.flatnonzero(forward_ends(count, starts, ends)).astype(np.int32)
    if not len(forward):
        return chosen
    progress.step(2, STEPS, "Finding the longest path")
    order = peel(count, starts[forward], ends[forward])
    progress.step(2, STEPS, "Finding the longest path")
    length, way = [0] * count, [-1] * count
    leaving = Ragged.grouped(starts[forward], forward, count)
    first, values, sinks = leaving.starts.tolist(), leaving.values.tolist(), ends.tolist()
    for place, atom in enumerate(reversed(order)):
        if place % OFTEN == 0:
            progress.step(2, STEPS, "Finding the longest path")
        for end in values[first[atom] : first[atom + 1]]:
            if length[sinks[end]] >= length[atom]:
                length[atom], way[atom] = length[sinks[end]] + 1, end
    atom = length.index(max(length))
    while way[atom] >= 0:
        chosen[way[atom]] = True
        atom = sinks[way[atom]]
    return chosen
