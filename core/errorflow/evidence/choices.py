"""What of a node can be looked at: what it makes, reads, and its weights, each with what was measured of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from errorflow.compare.model import Row
from errorflow.findings.model import Findings
from errorflow.graph.model import Graph
from errorflow.match.model import Match, Pair
from errorflow.metrics import METRICS
from errorflow.metrics.metric import badness

End = Literal["output", "input", "weight", "tensor"]
NO_RUNS = "No two runs of this model are loaded."
NOT_THERE = "Neither run holds this tensor."
ELSEWHERE = "The numbers come from a table; the tensors themselves are not here."


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
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

    @property
    def key(self) -> str:
        return f"{self.end} {self.place}"


def node_choices(graph: Graph, node: int, findings: Findings | None, match: Match | None) -> tuple[Choice, ...]:
    """Outputs, inputs, weights, each in its order."""
    return tuple(_choices(graph, node, findings, match))


def tensor_choice(graph: Graph, tensor: int, findings: Findings | None, match: Match | None) -> Choice:
    """A tensor by itself."""
    end: End = "weight" if tensor in set(graph.constants.tolist()) else "tensor"
    number = row_number(findings, tensor)
    return _choice(graph, end, 0, tensor, number, findings, match)


def default_choice(choices: tuple[Choice, ...]) -> int:
    """The worst output, else what can be shown, else the first; -1: there are none."""
    made = [at for at, choice in enumerate(choices) if choice.end in ("output", "tensor") and not choice.lack]
    if made:
        return max(made, key=lambda at: (_badness(choices[at].row), -at))
    return next((at for at, choice in enumerate(choices) if not choice.lack), 0 if choices else -1)


def _badness(row: Row | None) -> float:
    known = [badness(metric, row.value(metric.key)) for metric in METRICS[:3] if row is not None and row.values]
    return max(known, default=-1.0)


def _choices(graph: Graph, node: int, findings: Findings | None, match: Match | None) -> Iterator[Choice]:
    for place, tensor in enumerate(graph.node_outputs[node].tolist()):
        if tensor >= 0:
            yield _choice(graph, "output", place, tensor, row_number(findings, tensor), findings, match)
    constants = set(graph.constants.tolist())
    inputs = graph.node_inputs[node].tolist()
    for place, tensor in enumerate(inputs):
        if tensor >= 0 and tensor not in constants:
            number = None if findings is None else findings.placed.read.get((node, place))
            number = row_number(findings, tensor) if number is None else number
            yield _choice(graph, "input", place, tensor, number, findings, match)
    for place, tensor in enumerate(inputs):
        if tensor >= 0 and tensor in constants:
            yield _choice(graph, "weight", place, tensor, row_number(findings, tensor), findings, match)


def row_number(findings: Findings | None, tensor: int) -> int | None:
    """`Findings.row`, where there are findings."""
    return None if findings is None else findings.row(tensor)


def _choice(
    graph: Graph, end: End, place: int, tensor: int, number: int | None, findings: Findings | None, match: Match | None
) -> Choice:
    name = graph.tensor_names[tensor]
    row = None if findings is None or number is None else findings.comparison.rows[number]
    pair = match.pairs[number] if match is not None and number is not None and number < len(match.pairs) else None
    there = pair is not None and (pair.reference is not None or pair.candidate is not None)
    if not there:
        pair = None
    if there or (end == "weight" and name in set(graph.weights.names())):
        lack = ""
    elif end == "weight":
        lack = "The file does not hold its values."
    elif findings is None:
        lack = NO_RUNS
    else:
        lack = ELSEWHERE if row is not None and match is None else NOT_THERE
    return Choice(end, place, tensor, name, number, row, pair, lack)
