"""How far two models are apart that should compute the same. Runs in a process of its own."""

from pathlib import Path
from typing import Any

import numpy as np

from errorflow.metrics.distance import relative_l2
from errorflow.metrics.sums import sums
from errorflow.run.parts import Parts
from errorflow.run.sessions import BFLOAT16, Arrays, run, runtime, session, told, value_of


def apart(one: str, other: str, folder: str, samples: list[dict[str, str]]) -> dict[str, Any]:
    """By output the largest relative error over the samples; each sample names a file of `folder` for each input."""
    runtime().set_seed(0)
    found: dict[str, float] = {}
    golden, mine = (_run(Path(path), Path(folder), samples) for path in (one, other))
    for reference, candidate in zip(golden, mine, strict=True):
        for name, values in reference.items():
            found[name] = max(found.get(name, 0.0), _relative(values, candidate.get(name)))
    return found


def _run(path: Path, folder: Path, samples: list[dict[str, str]]) -> list[dict[str, Any]]:
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
                name: value_of(np.load(folder / file, allow_pickle=False), "bfloat16" if name in narrow else "")
                for name, file in sample.items()
                if name in wanted
            }
            made = zip(names, (arrays.of(value) for value in run(opened, given, names)), strict=True)
            runs.append({name: values for name, values in made if not isinstance(values, str)})
    return runs


def _relative(reference: Any, candidate: Any) -> float:
    """Of what is not finite in both alike, and of what holds no floats, nothing is said."""
    if candidate is None or candidate.shape != reference.shape:
        return float("inf")
    if reference.dtype.kind != "f":
        return 0.0
    both = np.isfinite(reference) & np.isfinite(candidate)
    found = sums(np.where(both, reference, 0), np.where(both, candidate, 0))
    return float(relative_l2(found)) if float(found.dd) else 0.0
