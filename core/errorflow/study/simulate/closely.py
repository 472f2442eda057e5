"""Each tensor on one sample, as closely as two runs are compared: channels, and how many values are left.

A loud channel hides what happens to the quiet ones, and large values what happens to small ones beside them.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from errorflow.base.progress import SILENT, Progress
from errorflow.compare.metrics.measure import Measured, measure
from errorflow.quant.plan import Plan
from errorflow.run.engine.engine import Engine

# Of values that are in memory at a time.
_PORTION = 32 << 20
_BYTES = 4


def closely(engine: Engine, plan: Plan, sample: int, progress: Progress = SILENT) -> Mapping[str, Measured]:
    """By tensor all that can be measured."""
    found: dict[str, Measured] = {}
    for names in _portions(engine.tensors, engine.shapes):
        progress.step(len(found), len(engine.tensors), "Measuring channels")
        reference = engine.values(None, names, sample, progress)
        candidate = engine.values(plan, names, sample, progress)
        found |= {name: measure(reference[name], candidate[name]) for name in names}
    return found


def _portions(names: Sequence[str], shapes: Mapping[str, tuple[int, ...]]) -> Iterator[list[str]]:
    portion: list[str] = []
    size = 0
    for name in names:
        more = _BYTES * prod(shapes[name])
        if portion and size + more > _PORTION:
            yield portion
            portion, size = [], 0
        portion.append(name)
        size += more
    if portion:
        yield portion
