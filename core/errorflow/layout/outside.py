"""Where the lines of a group's ports come from and go to, as rows of further vertices above and below all others."""

import numpy as np

from errorflow.arrays import Ints
from errorflow.layout.mesh import Mesh
from errorflow.layout.sweep import Neighbours


def look_outside(mesh: Mesh, neighbours: Neighbours) -> tuple[list[int], list[int]]:
    """A vertex for each place that lines are known to come from, from left to right, and for each that they go to."""
    ports = np.flatnonzero(mesh.sides).astype(np.int32)
    ports = ports[np.argsort(mesh.sides[ports], kind="stable")]
    upper = mesh.rows[ports] == 0
    above = [neighbours.add([], some) for some in _by_side(mesh, ports[upper])]
    below = [neighbours.add(some, []) for some in _by_side(mesh, ports[~upper])]
    return above, below


def _by_side(mesh: Mesh, ports: Ints) -> list[list[int]]:
    starts = np.flatnonzero(np.diff(mesh.sides[ports])) + 1
    return [some.tolist() for some in np.split(ports, starts) if len(some)]
