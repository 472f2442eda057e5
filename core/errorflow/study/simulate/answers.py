"""Whether a model says the same: where probabilities are made, which one is the largest.

A relative error of probabilities says how sure a model is. It may be large where every answer is as before.
"""

import math
from collections.abc import Iterator, Mapping

import numpy as np

from errorflow.base.language import say
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass
from errorflow.explain.blame.model import OutputChoice
from errorflow.graph.model import Graph
from errorflow.quant.plan import Plan
from errorflow.run.engine.engine import Engine
from errorflow.run.model import Array

_SHARING = frozenset(("Softmax", "LogSoftmax"))
# Shares add up to 1 but for rounding, also in half precision.
_NEAR = 0.02
# Answers that are the same say that nothing was lost if there are so many, and none is less sure by more than that:
# where it was six to four it is a half and a half then.
ENOUGH, LESS_SURE = 16, 0.1
# If so many of them are the same, a loss is one that only right answers can tell.
MOSTLY = 0.9


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers of an output, over all samples: how many choices there are, and how many of them are the same."""

    same: int
    count: int
    # By how much the probability of the float model's answer fell where it fell most; infinite where it is no number.
    lost: float = 0.0

    @property
    def text(self) -> str:
        return say(
            "{} of {} answers {} the same",
            f"{self.same:,}",
            f"{self.count:,}",
            say("is") if self.count == 1 else say("are"),
        )

    @property
    def kept(self) -> str:
        """Sentence that nothing was lost; "": something was, or there are too few to say so."""
        if self.same < self.count or self.count < ENOUGH or not self.lost <= LESS_SURE:
            return ""
        return say(
            "all {} answers are the same, and none is less sure by more than {}",
            f"{self.count:,}",
            f"{max(self.lost, 0):.2g}",
        )

    @property
    def chosen(self) -> OutputChoice:
        return OutputChoice(self.text, self.kept, self.same >= MOSTLY * self.count)


def answers(engine: Engine, plan: Plan, progress: Progress = SILENT) -> Mapping[str, Answers]:
    """Counts answers by output that holds probabilities, in the order of the outputs."""
    found: dict[str, Answers] = {}
    sharings = dict(_sharings(engine.graph))
    names = [name for name in engine.outputs if name in sharings and name in engine.shapes]
    for sample in range(engine.samples) if names else ():
        progress.step(sample, engine.samples, "Comparing answers")
        golden, mine = (engine.values(each, names, sample, progress) for each in (None, plan))
        for name in names:
            form = _form(golden[name], sharings[name])
            if mine[name].shape != golden[name].shape or not golden[name].size:
                continue  # there is nothing to be compared
            choices = [_by_choice(values[name], form) for values in (golden, mine)]
            chosen = [np.argmax(each, axis=-1) for each in choices]
            before = found.get(name, Answers(0, 0, -math.inf))
            same = int((chosen[0] == chosen[1]).sum())
            lost = max(before.lost, _lost(choices[0], choices[1], sharings[name]))
            found[name] = Answers(before.same + same, before.count + chosen[0].size, lost)
    return found


@dataclass(frozen=True, slots=True)
class _Sharing:
    """Way in which an output is made; `axis`: None where the node does not say it."""

    axis: int | None
    is_log: bool


@dataclass(frozen=True, slots=True)
class _Form:
    """Axis along which a choice is made; or among all from there on."""

    axis: int
    whole: bool


def _sharings(graph: Graph) -> Iterator[tuple[str, _Sharing]]:
    """Outputs that Softmax makes."""
    for output in graph.outputs.tolist():
        node = int(graph.producers[output])
        while node >= 0 and graph.op_types[node] == "Identity":
            node = int(graph.producers[int(graph.node_inputs[node][0])])
        if node >= 0 and graph.op_types[node] in _SHARING:
            axis = graph.node(node).attributes.get("axis")
            is_log = graph.op_types[node].startswith("Log")
            yield graph.tensor_names[output], _Sharing(axis if isinstance(axis, int) else None, is_log)


def _form(values: Array, sharing: _Sharing) -> _Form:
    """Finds the form by the values: shares add up to 1. Before version 13 of its operators ONNX shared among all from
    an axis on.
    """
    along = _Form(-1 if sharing.axis is None else sharing.axis, whole=False)
    if values.ndim <= 2 or _adds_up(_by_choice(values, along), sharing):
        return along
    return _Form(1 if sharing.axis is None else sharing.axis, whole=True)


def _lost(golden: Array, mine: Array, sharing: _Sharing) -> float:
    """Measures by how much the answers of the first are less probable in the second, at most."""
    with np.errstate(all="ignore"):
        before, after = (each.astype(np.float64) for each in (golden, mine))
        if sharing.is_log:
            before, after = np.exp(before), np.exp(after)
        best = np.argmax(before, axis=-1)[..., np.newaxis]
        fallen = np.take_along_axis(before, best, axis=-1) - np.take_along_axis(after, best, axis=-1)
    return float(fallen.max()) if np.isfinite(fallen).all() else math.inf


def _by_choice(values: Array, form: _Form) -> Array:
    """Moves what is chosen among to the last axis."""
    if not form.whole:
        return np.moveaxis(values, form.axis, -1)
    return values.reshape(math.prod(values.shape[: form.axis % values.ndim]), -1)


def _adds_up(values: Array, sharing: _Sharing) -> bool:
    """Whether the shares add up; what is no number tells nothing."""
    with np.errstate(all="ignore"):
        found = values.astype(np.float64)
        sums = (np.exp(found) if sharing.is_log else found).sum(axis=-1)
    return bool((np.isnan(sums) | (np.abs(sums - 1) < _NEAR)).all())
