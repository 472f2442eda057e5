"""Clipping: error made by the ends of a range, and not by the steps between codes.

More bits do not help there: they make the steps finer, and the ends stay where they are. What helps is a range that
reaches as far as the data.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from errorflow.base.values import dataclass
from errorflow.compare.metrics.sums import Doubles
from errorflow.explain.blame.model import ModelVerdict
from errorflow.graph.qparams import QParams
from errorflow.quant.fake import fake_quantize
from errorflow.quant.plan import Plan
from errorflow.run.engine.engine import Engine
from errorflow.study.simulate.coded import qparams_under
from errorflow.study.simulate.noise import Noise
from errorflow.study.simulate.uncut import uncut

# The share of the power of what coding does to a tensor from which on it is a matter of the ends.
MOST = 0.5
_REACHES_FROM = "minmax"


@dataclass(frozen=True, slots=True)
class Clipped:
    """A tensor whose values lie beyond its codes, and how far."""

    tensor: str
    ends: str
    # Of the power of what coding does to it.
    share: float
    method: str = ""

    @property
    def text(self) -> str:
        return f"{self.tensor} is clipped, which is {self.share:.0%} of what coding does to it ({self.ends})"

    def remedy(self, node: str) -> str:
        how = "" if self.method in ("", _REACHES_FROM) else f" by {_REACHES_FROM}"
        return (
            f"Find the range of {self.tensor}{how} on data that reach as far as those of use, or leave {node} in "
            "float: 16 bits would be clipped alike."
        )


def clipped(engine: Engine, plan: Plan, noise: Noise, verdict: ModelVerdict) -> Mapping[int, Clipped]:
    """Finds by node, of those that the verdict names, where what brings most of a group is clipped."""
    named = {each.node for each in verdict.top}
    seen = uncut(engine.graph, plan, engine.assigned(plan))
    found: dict[int, Clipped] = {}
    for source in noise.sources:
        if source.node in named and source.tensors:
            each = _of_tensor(engine, seen, source.tensors[0])
            if each is not None:
                found[source.node] = each
    return found


def _of_tensor(engine: Engine, plan: Plan, name: str) -> Clipped | None:
    if name not in engine.shapes:
        return None
    qparams = qparams_under(engine, plan, name)
    # Ends of channels each have data of their own: there is no one sentence for them.
    if qparams is None or qparams.axis is not None:
        return None
    lost = np.zeros(2)
    reach, ends = [np.inf, -np.inf], _ends(qparams)
    for values in _values(engine, name):
        with np.errstate(invalid="ignore"):  # of what is infinite nobody knows how much is lost
            error = fake_quantize(values, qparams) - values
            beyond = (values < ends[0]) | (values > ends[1])
        lost += (error**2).sum(), (error[beyond] ** 2).sum()
        reach = [min(reach[0], float(values.min())), max(reach[1], float(values.max()))]
    if not (np.isfinite(lost).all() and lost[1] > MOST * lost[0]):
        return None
    method = "" if engine.calibration is None else engine.calibration.method
    return Clipped(name, "; ".join(_how_far(reach, ends)), float(lost[1] / lost[0]), method)


def _values(engine: Engine, name: str) -> Iterator[Doubles]:
    for sample in range(engine.samples):
        values = np.asarray(engine.values(None, [name], sample)[name], np.float64)
        if values.size:
            yield values


def _ends(qparams: QParams) -> tuple[float, float]:
    """Finds the values of the outermost codes of one scale."""
    scale, zero = qparams.scales[0], qparams.zero_points[0]
    return (qparams.low - zero) * scale, (qparams.high - zero) * scale


def _how_far(reach: list[float], ends: tuple[float, float]) -> Iterator[str]:
    if reach[0] < ends[0]:
        yield f"its codes begin at {ends[0]:.3g}, the data at {reach[0]:.3g}"
    if reach[1] > ends[1]:
        yield f"its codes end at {ends[1]:.3g}, the data reach {reach[1]:.3g}"
