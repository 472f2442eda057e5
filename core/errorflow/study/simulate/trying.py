"""Making of a trial from what was found."""

from collections.abc import Collection, Iterator, Mapping
from math import prod

import numpy as np

from errorflow.base.values import asdict, dataclass
from errorflow.compare.metrics import METRICS
from errorflow.graph.model import Graph
from errorflow.quant.assign import Assigned
from errorflow.quant.operators import PRODUCTS
from errorflow.quant.precision import Precision
from errorflow.run.engine.table import Table, spread
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.outcome import Outcome
from errorflow.study.simulate.trial import Trial

# What a plan leaves in float or in 16 bits: what better numbers are paid with.
_WIDE, _FLOAT = 16, 32


@dataclass(frozen=True, slots=True)
class Cost:
    """Counts of tensors that flow and of weights, each with those in float and in 16 bits."""

    tensors: int
    float_tensors: int
    wide_tensors: int
    weights: int
    float_weights: int
    wide_weights: int
    weight_bytes: int


def cost_of(graph: Graph, assigned: Assigned, flowing: Collection[str], left: Collection[str] = ()) -> Cost:
    """`flowing`: names of the tensors that count; `left`: those that were to be coded and are not."""
    tensors = [bits for name in flowing if (bits := _bits_of(graph, assigned, name, left)) is not None]
    weights = [
        (_bits(None if tensor not in assigned.constants else assigned.constants[tensor].precision), tensor)
        for tensor in weights_of(graph)
    ]
    return Cost(
        len(tensors),
        tensors.count(_FLOAT),
        tensors.count(_WIDE),
        len(weights),
        sum(bits == _FLOAT for bits, _ in weights),
        sum(bits == _WIDE for bits, _ in weights),
        sum(bits * _elements(graph, tensor) for bits, tensor in weights) // 8,
    )


def weights_of(graph: Graph) -> tuple[int, ...]:
    """The constants that are multiplied by what flows, each once."""
    return tuple(dict.fromkeys(_weights(graph)))


def _weights(graph: Graph) -> Iterator[int]:
    constants = frozenset(graph.constants.tolist())
    for node in range(len(graph)):
        weighted = PRODUCTS.get(graph.op_types[node])
        inputs = graph.node_inputs[node].tolist()
        if weighted is not None and weighted.weight < len(inputs) and inputs[weighted.weight] in constants:
            yield inputs[weighted.weight]


def _bits_of(graph: Graph, assigned: Assigned, name: str, left: Collection[str]) -> int | None:
    """Finds the bits; None: there is no such tensor."""
    number = graph.tensor_index(name)
    if number is None:
        return None
    return _FLOAT if name in left else _bits(assigned.activations.get(number))


def _bits(precision: Precision | None) -> int:
    return _FLOAT if precision is None else precision.bits


def _elements(graph: Graph, tensor: int) -> int:
    shape = graph.shapes[tensor]
    return 0 if shape is None else prod(dim for dim in shape if isinstance(dim, int))


Numbers = Mapping[str, Mapping[str, float]]


def trial_of(name: str, outcome: Outcome, bench: Bench) -> Trial:
    """Makes a trial of an outcome that knows all samples."""
    wanted = frozenset(bench.engine.outputs)
    outputs = {row.tensor: dict(row.values) for row in outcome.comparison.rows if row.tensor in wanted}
    blame, table = outcome.findings.blame, outcome.table
    medians, worsts = _spread(table, [output for output in outputs if output in table.places])
    cost = cost_of(bench.engine.graph, outcome.assigned, table.tensors, table.notes)
    return Trial(
        name,
        outcome.plan,
        bench.basis,
        outputs,
        "" if blame is None else blame.model.text,
        bench.text,
        bench.made_up,
        medians,
        worsts,
        outcome.worst_sample,
        bench.evaluated.first,
        bench.evaluated.count,
        bench.calibration.method,
        data=bench.data,
        **asdict(cost),
    )


def _spread(table: Table, outputs: list[str]) -> tuple[Numbers, Numbers]:
    """Finds by output and metric the sample in the middle, and the worst one."""
    medians: dict[str, dict[str, float]] = {output: {} for output in outputs}
    worsts: dict[str, dict[str, float]] = {output: {} for output in outputs}
    for output in outputs:
        sums = [table.sums(output, sample) for sample in range(len(table.samples))]
        for metric in METRICS:
            with np.errstate(all="ignore"):
                values = [np.nan if each is None else metric.of(each) for each in sums]
            found = spread(np.array(values, np.float64).reshape(-1, 1), metric.higher_is_better)
            medians[output][metric.key], worsts[output][metric.key] = float(found.median[0]), float(found.worst[0])
    return medians, worsts
