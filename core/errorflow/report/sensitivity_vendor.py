"""A ranking as Horizon's get_sensitivity_of_nodes prints it with verbose=True."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from errorflow.base import UsageError, dataclass
from errorflow.graph.model import Graph
from errorflow.quant.assign import Assigned
from errorflow.quant.ranges import Calibration
from errorflow.study.rank.coded import CodedGraph
from errorflow.study.rank.model import Doubles, Ranking
from errorflow.study.rank.reading import order, value, without_number

# What the tool calls our metrics. Its SQNR is of norms, not of powers: half of ours, in decibels. Its mre is our mean
# absolute error.
_NAMES: dict[str, tuple[str, float]] = {
    "cosine": ("cosine-similarity", 1.0),
    "sqnr": ("sqnr", 0.5),
    "max_absolute_error": ("chebyshev", 1.0),
    "mean_absolute_error": ("mre", 1.0),
}
_KINDS = {
    **dict.fromkeys(("unit", "node", "producer", "upstream", "group"), "node"),
    "weight": "weight",
    "activation": "activation",
}
_DECIMALS = 5
_GAP = "  "


@dataclass(frozen=True, eq=False)
class QuantizedGraph:
    """Quantized model that its columns beside the metrics are read from."""

    graph: Graph
    assigned: Assigned
    calibration: Calibration


def vendor_table(ranking: Ranking, quantized: QuantizedGraph) -> str:
    """Writes a table of impact; the one that matters most first. Raises a `UsageError` where the tool has no such
    table.

    As the tool has it, numbers are of the samples on which there is one. Parts that lack some are named behind it.
    """
    kind = check_kind(ranking.question.kind, ranking.question.measures)
    columns = _columns(ranking)
    titles = [kind, *(["node"] if kind != "node" else []), *(["threshold", "qtype"] if kind == "activation" else [])]
    head = [*titles[:1], *(name for name, _ in columns), *titles[1:]]
    more = _MORE[kind](ranking, quantized)
    rows = [
        [_name(ranking.parts[part].name), *(_number(values[part]) for _, values in columns), *more[part]]
        for part in order(ranking, "impact").tolist()
    ]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [_line(row, widths) for row in (head, *rows)]
    rule = "=" * max(len(f"{kind} sensitivity") + 6, *(len(line) for line in lines))
    title = f" {kind} sensitivity ".center(len(rule), "=")
    odd = [f"{_name(name)}: {text}" for name, text in without_number(ranking, "impact").items()]
    return "\n".join([title, *lines, rule, *([""] if odd else []), *odd]) + "\n"


def check_kind(kind: str, measures: Sequence[str]) -> str:
    """Finds what the tool calls such a table."""
    if kind not in _KINDS or "impact" not in measures:
        raise UsageError(
            "The vendor's table is of nodes, weights or activations, each quantized alone.",
            "Ask --by node, weight or activation, with --measure impact.",
        )
    return _KINDS[kind]


def _columns(ranking: Ranking) -> list[tuple[str, Doubles]]:
    """Metrics that the tool has, with the tool's own mean over samples and outputs; its mse always."""
    found = [
        (name, factor * value(ranking, "impact", key, "mean"))
        for key in ranking.question.metrics
        for name, factor in [_NAMES.get(key, ("", 1.0))]
        if name
    ]
    with np.errstate(all="ignore"):
        powers = ranking.powers / np.where(ranking.counts > 0, ranking.counts, np.nan)
        there = ~np.isnan(powers)
        by_output = np.where(there, powers, 0.0).sum(axis=2) / there.sum(axis=2)
        known = ~np.isnan(by_output)
        mse: Doubles = np.where(known, by_output, 0.0).sum(axis=1) / known.sum(axis=1)
    return [*found, ("mse", mse)]


def _of_nodes(ranking: Ranking, _: QuantizedGraph) -> list[list[str]]:
    return [[] for _ in ranking.parts]


def _of_weights(ranking: Ranking, quantized: QuantizedGraph) -> list[list[str]]:
    coded = CodedGraph(quantized.graph, quantized.assigned)
    return [[_readers(part.tensors, coded)] for part in ranking.parts]


def _of_activations(ranking: Ranking, quantized: QuantizedGraph) -> list[list[str]]:
    coded = CodedGraph(quantized.graph, quantized.assigned)
    return [[_readers(part.tensors, coded), *_range(part.tensors[0], quantized)] for part in ranking.parts]


_MORE: dict[str, Callable[[Ranking, QuantizedGraph], list[list[str]]]] = {
    "node": _of_nodes,
    "weight": _of_weights,
    "activation": _of_activations,
}


def _readers(tensors: Sequence[str], coded: CodedGraph) -> str:
    """The nodes that read it, whatever name it goes by."""
    graph = coded.graph
    nodes: dict[int, None] = {}
    for name in tensors:
        number = graph.tensor_index(name)
        if number is not None:
            nodes |= dict.fromkeys([*graph.consumers[number].tolist(), *coded.readers(number)])
    return ";".join(_name(coded.name(node)) for node in nodes)


def _range(name: str, quantized: QuantizedGraph) -> list[str]:
    """The largest value that its codes hold, and their type."""
    number = quantized.graph.tensor_index(name)
    precision = None if number is None else quantized.assigned.activations.get(number)
    given, found = quantized.calibration.given.get(name), quantized.calibration.ranges.get(name)
    if given is not None:
        largest = max(
            scale * max(abs(given.low - zero), abs(given.high - zero))
            for scale, zero in zip(given.scales, given.zero_points, strict=False)
        )
    else:
        largest = math.nan if found is None else max(abs(found.low), abs(found.high))
    return [_number(largest), "" if precision is None else precision.dtype]


def _name(name: str) -> str:
    """Columns are parted by two spaces and more."""
    return " ".join(name.split())


def _number(value: float) -> str:
    return f"{value:.{_DECIMALS}f}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return _GAP.join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
