"""Whether a model says the same: where probabilities are made, which one is the largest.

A relative error of probabilities says how sure a model is. It may be large where every answer is as before.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from errorflow.graph.model import Graph
from errorflow.progress import SILENT, Progress
from errorflow.quant.plan import Plan
from errorflow.rerun.engine import Engine

_SHARING = frozenset(("Softmax", "LogSoftmax"))


@dataclass(frozen=True, slots=True)
class Answers:
    """Of an output, over all samples: how many choices there are, and how many of them are the same."""

    same: int
    count: int

    @property
    def text(self) -> str:
        each = "is" if self.count == 1 else "are"
        return f"{self.same:,} of {self.count:,} answers {each} the same"


def answers(engine: Engine, plan: Plan, progress: Progress = SILENT) -> Mapping[str, Answers]:
    """By output that holds probabilities, in the order of the outputs."""
    found: dict[str, Answers] = {}
    axes = dict(_axes(engine.graph))
    names = [name for name in engine.outputs if name in axes and name in engine.shapes]
    for sample in range(engine.samples) if names else ():
        progress.step(sample, engine.samples, "Comparing answers")
        golden, mine = (engine.values(each, names, sample, progress) for each in (None, plan))
        for name in names:
            chosen = [np.argmax(values[name], axis=axes[name]) for values in (golden, mine)]
            before = found.get(name, Answers(0, 0))
            same = int((chosen[0] == chosen[1]).sum())
            found[name] = Answers(before.same + same, before.count + chosen[0].size)
    return found


def _axes(graph: Graph) -> Iterator[tuple[str, int]]:
    """Outputs that Softmax makes, with the axis along which it chooses."""
    for output in graph.outputs.tolist():
        node = int(graph.producers[output])
        while node >= 0 and graph.op_types[node] == "Identity":
            node = int(graph.producers[int(graph.node_inputs[node][0])])
        if node >= 0 and graph.op_types[node] in _SHARING:
            axis = graph.node(node).attributes.get("axis", -1)
            yield graph.tensor_names[output], axis if isinstance(axis, int) else -1
