"""Biases that a plan shifts, as constants of their own. Runs in a process of its own."""

from collections.abc import Mapping, MutableMapping
from dataclasses import replace
from hashlib import blake2b
from typing import Any

import numpy as np

from errorflow.quant.coding import Coder, Coding, NamedBias
from errorflow.run.engine.plain import named_of
from errorflow.run.model import Array


def coding_of(coder: Coder, plan: Mapping[str, Any], weights: MutableMapping[str, Array]) -> Coding:
    """The coding of a plan; `weights`, from which the coder reads, get what the plan makes of biases."""
    named, ranges = named_of(plan)
    shifts = plan["shifts"]
    if not shifts:
        return coder.coding(named, ranges)
    biases = {made: _shifted(made, shift, weights) for made, shift in shifts.items()}
    summed = {made: bias for made, bias in biases.items() if bias.source}
    found = coder.coding(replace(named, biases={**named.biases, **summed}), ranges)
    others = {
        made: (bias, coder.constant_like(bias.bias, named.constants.get(shifts[made][0])))
        for made, bias in biases.items()
        if made not in found.biases
    }
    return replace(found, biases={**found.biases, **others})


def _shifted(made: str, shift: list[Any], weights: MutableMapping[str, Array]) -> NamedBias:
    bias, place, source, weight, values = shift
    added = np.asarray(values, np.float32)
    name = f"{made}_bias_{blake2b(added.tobytes(), digest_size=6).hexdigest()}"
    if name not in weights:
        weights[name] = np.add(weights[bias], added, dtype=np.float32) if bias else added
    return NamedBias(name, place, source, weight)
