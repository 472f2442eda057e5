"""How far two models are apart that should compute the same. Runs in a process of its own."""

from pathlib import Path
from typing import Any

import numpy as np

from errorflow.compare.metrics.distance import relative_l2
from errorflow.compare.metrics.sums import Sums, sums
from errorflow.run.parts import Parts
from errorflow.run.sessions import BFLOAT16, Arrays, run, runtime, session, told, value_of

# Of the last digits of inputs: a model that makes much of them makes as much of any other rounding.
NUDGE = 2.0**-22


def apart(one: str, other: str, folder: str, samples: list[dict[str, str]]) -> dict[str, Any]:
    """By output two relative errors over all samples: of the other model, and of the one on inputs that are nudged.

    Each sample names a file of `folder` for each input.
    """
    runtime().set_seed(0)
    golden = _run(Path(one), Path(folder), samples)
    others = _run(Path(other), Path(folder), samples), _run(Path(one), Path(folder), samples, 1 + NUDGE)
    return {name: [_relative(name, golden, mine) for mine in others] for name in golden[0]} if golden else {}


def _run(path: Path, folder: Path, samples: list[dict[str, str]], factor: float = 1) -> list[dict[str, Any]]:
    parts = Parts.load(path)
    parts.check_operators()
    narrow = {v.name for v in parts.model.graph.input if v.type.tensor_type.elem_type == BFLOAT16}
    arrays = Arrays()
    with told(path):
        opened = session(parts.model, path.parent, 1)
        names = [each.name for each in opened.get_outputs()]
        wanted = {each.name for each in opened.get_inputs()}
        runs = []
        for sample in samples:
            given = {
                name: value_of(_nudged(folder / file, factor), "bfloat16" if name in narrow else "")
                for name, file in sample.items()
                if name in wanted
            }
            made = zip(names, (arrays.of(value) for value in run(opened, given, names)), strict=True)
            runs.append({name: values for name, values in made if not isinstance(values, str)})
    return runs


def _nudged(file: Path, factor: float) -> Any:
    values = np.load(file, allow_pickle=False)
    return values * values.dtype.type(factor) if factor != 1 and values.dtype.kind == "f" else values


def _relative(name: str, golden: list[dict[str, Any]], mine: list[dict[str, Any]]) -> float:
    """Over all samples; what is not finite in both alike, and what holds no floats, says nothing."""
    total = Sums()
    for reference, candidate in zip(golden, mine, strict=True):
        one, other = reference[name], candidate.get(name)
        if other is None or other.shape != one.shape:
            return float("inf")
        if one.dtype.kind == "f":
            both = np.isfinite(one) & np.isfinite(other)
            total = total + sums(np.where(both, one, 0), np.where(both, other, 0))
    return float(relative_l2(total)) if float(total.dd) else 0.0
