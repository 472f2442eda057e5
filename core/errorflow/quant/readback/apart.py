"""Models whose operators nobody else runs: their scales, on the float model that they were made of."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from errorflow.base.errors import UsageError
from errorflow.base.progress import SILENT, Progress
from errorflow.formats import read_model
from errorflow.graph.build import counted
from errorflow.graph.model import Graph
from errorflow.graph.qparams import QParams
from errorflow.quant.precision import precision_of
from errorflow.quant.readback.kind import Apart, Kind

# Of one kind of note.
SHOWN = 3


@dataclass(frozen=True, eq=False)
class Found:
    """A float model, and the scales of its tensors."""

    path: Path
    given: Mapping[str, QParams]
    constants: frozenset[str]
    notes: tuple[str, ...]


def read_apart(
    path: Path, kind: Kind, apart: Apart, reference: Path | None = None, progress: Progress = SILENT
) -> Found:
    """`reference`: the float model; without one it is looked for beside the quantized one."""
    quantized = read_model(path, progress).graph
    place = apart.original(path) if reference is None else reference
    if place is None:
        raise UsageError(_unknown(path, quantized, kind), f"Give the float model with --reference: {apart.where}.")
    graph = read_model(place, progress).graph
    constants = frozenset(graph.tensor_names[tensor] for tensor in graph.constants.tolist())
    tensors, problems = apart.scales(path)
    given = {name: found for name, found in tensors.items() if found is not None and _is_usable(graph, name, found)}
    if not given:
        raise UsageError(
            f"No tensor of {place.name} has a scale in what belongs to {path.name}.",
            f"Give the float model that it was made of with --reference: {apart.where}.",
        )
    notes = (
        f"{path.name} cannot be run itself: the scales of {counted(len(given), 'tensor', 'tensors')} are simulated on "
        f"the float model {place.name}.",
        *islice(problems, SHOWN),
        *_lost(quantized, graph, apart),
        *_in_float(graph, tensors, given, constants),
    )
    return Found(place, given, constants, notes)


def _unknown(path: Path, graph: Graph, kind: Kind) -> str:
    node = next(number for number, name in enumerate(graph.op_types) if kind.is_mark(name))
    return f"{graph.title(node)} in {path.name} is {graph.op_types[node]}, which only its own tools can run."


def _is_usable(graph: Graph, name: str, found: QParams) -> bool:
    """Whether it can be part of a plan, and there is a scale for each slice."""
    number = graph.tensor_index(name)
    if number is None or precision_of(found) is None:
        return False
    if found.axis is None:
        return True
    shape = graph.shapes[number]
    if shape is None and name in graph.weights.names():
        shape = graph.weights.info(name).shape
    inside = shape is not None and -len(shape) <= found.axis < len(shape)
    return shape is not None and inside and shape[found.axis] == len(found.scales)


def _lost(quantized: Graph, graph: Graph, apart: Apart) -> Iterator[str]:
    """Nodes of which nothing is in the float model."""
    found = [
        (node, names)
        for node, names in ((node, _made(quantized, node)) for node in range(len(quantized)))
        if names
        and quantized.op_types[node] not in apart.coding
        and all(graph.tensor_index(name) is None for name in names)
    ]
    for node, names in found[:SHOWN]:
        yield (
            f"{quantized.title(node)} ({quantized.op_types[node]}) makes {names[0]}, which the float model does not "
            "have: what it does is not simulated."
        )
    if len(found) > SHOWN:
        yield f"{len(found) - SHOWN:,} more nodes are not simulated for the same reason."


def _in_float(
    graph: Graph, tensors: Mapping[str, object], given: Mapping[str, QParams], constants: frozenset[str]
) -> Iterator[str]:
    """Tensors between operators that were fused have no scale; of others that is worth knowing."""
    left = [name for name in _flowing(graph) if name not in given and name not in constants]
    if left:
        yield f"Tensors without a scale, which stay in float: {len(left):,}, such as {left[0]}."
    gone = [name for name, found in tensors.items() if found is not None and graph.tensor_index(name) is None]
    if gone:
        yield f"Scales without a tensor in the float model: {len(gone):,}, such as {gone[0]}."


def _flowing(graph: Graph) -> Iterable[str]:
    return dict.fromkeys(name for node in range(len(graph)) for name in _made(graph, node))


def _made(graph: Graph, node: int) -> list[str]:
    return [graph.tensor_names[tensor] for tensor in graph.node_outputs[node].tolist() if tensor >= 0]
