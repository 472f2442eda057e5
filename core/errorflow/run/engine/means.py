"""By how much a tensor is off on average, channel by channel. Runs in a process of its own."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from errorflow.run.engine.machine import Keys, Machine, Tally
from errorflow.run.model import Array
from errorflow.run.sessions import Arrays


def mean_errors(machine: Machine, pairs: Sequence[tuple[Keys, Keys]], name: str, axis: int) -> list[float]:
    """Over all samples, each as two runs: the reference and the candidate. What is not finite is left out."""
    total: Any = 0.0
    count: Any = 0
    for golden, mine in pairs:
        reference, candidate = _values(machine, golden, mine, name)
        error = np.subtract(candidate, reference, dtype=np.float64)
        others = tuple(place for place in range(error.ndim) if place != axis % error.ndim)
        finite = np.isfinite(error)
        total = total + np.where(finite, error, 0).sum(axis=others)
        count = count + finite.sum(axis=others)
    found: list[float] = np.divide(total, count, out=np.zeros_like(total), where=count > 0).tolist()
    return found


def _values(machine: Machine, golden: Keys, mine: Keys, name: str) -> tuple[Array, Array]:
    needs = [(keys, name, machine.maker(name)) for keys in (golden, mine)]
    arrays, found = Arrays(), {}
    for _, live in machine.walk(needs, lambda _: None, Tally()):
        for side, keys in enumerate((golden, mine)):
            if side not in found and keys.places[name] in live:
                found[side] = np.array(arrays.of(live[keys.places[name]]))
    return found[0], found[1]
