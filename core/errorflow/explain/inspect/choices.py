"""Choices of a node: what it makes, reads, and its weights, each with what was measured of it."""

from collections.abc import Iterator
from typing import Literal

from errorflow.base.values import dataclass, replace
from errorflow.compare.match.model import Match, Pair
from errorflow.compare.match.quantized.ops import DEQUANTIZE
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import badness
from errorflow.compare.model import Row
from errorflow.explain.findings.model import Findings
from errorflow.explain.inspect.constants import constant_of
from errorflow.graph.dump import Lacking
from errorflow.graph.model import Graph, PartialWeights

End = Literal["output", "input", "weight", "tensor"]
NO_RUNS = "No values of this model are known yet."
NOT_THERE = "Neither run holds this tensor."
ELSEWHERE = "The numbers come from a table; the tensors themselves are not here."


@dataclass(frozen=True, slots=True, eq=False)
class TensorChoice:
    """A tensor of a node. `lack`: why its values cannot be shown; "": they can."""

    end: End
    place: int
    tensor: int
    name: str
    # The place in the comparison.
    number: int | None = None
    row: Row | None = None
    pair: Pair | None = None
    lack: str = ""
    # Of a weight the node that reads it, and where.
    reader: tuple[int, int] | None = None

    @property
    def key(self) -> str:
        return f"{self.end} {self.place}"


def node_choices(graph: Graph, node: int, findings: Findings | None, match: Match | None) -> tuple[TensorChoice, ...]:
    """Outputs, inputs, weights, each in its order."""
    return tuple(_choices(graph, node, findings, match))


def tensor_choice(graph: Graph, tensor: int, findings: Findings | None, match: Match | None) -> TensorChoice:
    """A tensor by itself."""
    end: End = "weight" if tensor in set(graph.constants.tolist()) else "tensor"
    number = row_number(findings, tensor)
    found = _choice(graph, end, 0, tensor, number, findings, match)
    return replace(found, reader=_reader(graph, tensor)) if end == "weight" else found


def _reader(graph: Graph, tensor: int) -> tuple[int, int] | None:
    """The first node that reads a constant, and where."""
    for node in graph.consumers[tensor][:1].tolist():
        return node, graph.node_inputs[node].tolist().index(tensor)
    return None


def default_choice(choices: tuple[TensorChoice, ...]) -> int:
    """The worst output, else what can be shown, else the first; -1: there are none."""
    made = [at for at, choice in enumerate(choices) if choice.end in ("output", "tensor") and not choice.lack]
    if made:
        return max(made, key=lambda at: (_badness(choices[at].row), -at))
    return next((at for at, choice in enumerate(choices) if not choice.lack), 0 if choices else -1)


def _badness(row: Row | None) -> float:
    known = [badness(metric, row.value(metric.key)) for metric in METRICS[:3] if row is not None and row.values]
    return max(known, default=-1.0)


def _choices(graph: Graph, node: int, findings: Findings | None, match: Match | None) -> Iterator[TensorChoice]:
    for place, tensor in enumerate(graph.node_outputs[node].tolist()):
        if tensor >= 0:
            yield _choice(graph, "output", place, tensor, row_number(findings, tensor), findings, match)
    inputs = graph.node_inputs[node].tolist()
    constants = _constants(graph, inputs)
    for place, tensor in enumerate(inputs):
        if tensor >= 0 and tensor not in constants:
            number = None if findings is None else findings.placed.read.get((node, place))
            number = row_number(findings, tensor) if number is None else number
            yield _choice(graph, "input", place, tensor, number, findings, match)
    for place, tensor in enumerate(inputs):
        if tensor >= 0 and tensor in constants:
            found = _choice(graph, "weight", place, tensor, row_number(findings, tensor), findings, match)
            yield replace(found, reader=(node, place))


def _constants(graph: Graph, inputs: list[int]) -> set[int]:
    """Finds the tensors that are in the file, or are made real again of codes that are."""
    known = set(graph.constants.tolist())
    makers = ((tensor, int(graph.producers[tensor])) for tensor in inputs if tensor >= 0)
    real = {tensor for tensor, maker in makers if maker >= 0 and graph.op_types[maker] == DEQUANTIZE}
    return (known & set(inputs)) | {tensor for tensor in real if constant_of(graph, tensor) is not None}


def row_number(findings: Findings | None, tensor: int) -> int | None:
    """`Findings.row`, where there are findings."""
    return None if findings is None else findings.row(tensor)


def _lack_of(pair: Pair) -> str:
    """Says why neither side can be looked at, where that is known without opening a file."""
    sides = [side for side in (pair.reference, pair.candidate) if side is not None]
    lacks = [side.lack for side in sides if isinstance(side, Lacking)]
    return lacks[0] if len(lacks) == len(sides) else ""


def _choice(
    graph: Graph, end: End, place: int, tensor: int, number: int | None, findings: Findings | None, match: Match | None
) -> TensorChoice:
    name = graph.tensor_names[tensor]
    row = None if findings is None or number is None else findings.comparison.rows[number]
    pair = match.pairs[number] if match is not None and number is not None and number < len(match.pairs) else None
    there = pair is not None and (pair.reference is not None or pair.candidate is not None)
    if not there:
        pair = None
    constant = constant_of(graph, tensor) if end == "weight" and not there else None
    if constant is not None:
        lack = graph.weights.lack_of(constant.name) if isinstance(graph.weights, PartialWeights) else ""
    elif pair is not None:
        lack = _lack_of(pair)
    elif end == "weight":
        lack = "The file does not hold its values."
    elif findings is None:
        lack = NO_RUNS
    else:
        lack = ELSEWHERE if row is not None and match is None else NOT_THERE
    return TensorChoice(end, place, tensor, name, number, row, pair, lack)
