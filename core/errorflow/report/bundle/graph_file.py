"""A graph as a file of its own: all that is painted of a model of any format, without its weights.

Whole numbers that shapes hang on, and the scales of quantization, stay: they are how the model computes, not what it
has learnt.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base import SILENT, ErrorflowError, FileError, FormatError, Progress, dataclass, field, replace
from errorflow.base.arrays import frozen
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Function, Graph, Model, Origin, Problem, Shape, Subgraph, Weight
from errorflow.report.bundle.model import plain

# How a model of a bundle calls itself.
FORMAT = "graph in a ticket bundle"
# So many whole numbers steer shapes and the like; more of them are weights in codes.
SMALL = 64
# Scales of quantization there may be one per channel.
MOST_SCALES = 1 << 16
_DEEPEST = 40
_LONGEST = 400
_MOST_LISTED = 256
_HINT = "Ask for the bundle once more; this one was changed or cut."


def plain_model(model: Model, progress: Progress = SILENT) -> dict[str, Any]:
    """Makes plain values of all of a model's graphs."""
    return {
        "format": model.format,
        "facts": [list(fact) for fact in model.facts],
        "graph": _plain_graph(model.graph, progress),
        "functions": [[each.domain, each.name, _plain_graph(each.graph, progress)] for each in model.functions],
    }


def _plain_graph(graph: Graph, progress: Progress) -> dict[str, Any]:
    progress.step(0, 0, "Writing the graph without weights")
    return {
        "name": graph.name,
        "tensors": [_plain_tensor(graph, tensor) for tensor in range(len(graph.tensor_names))],
        "nodes": [_plain_node(graph, node, progress) for node in range(len(graph))],
        **{key: getattr(graph, key).tolist() for key in ("inputs", "outputs", "constants")},
        "weights": [_plain_weight(graph, name) for name in graph.weights.names()],
        "values": dict(_kept_values(graph)),
        "bodies": [[body.owner, body.role, _plain_graph(body.graph, progress)] for body in graph.subgraphs],
        "problems": [[each.text, each.where, each.side] for each in graph.problems],
    }


def _plain_tensor(graph: Graph, tensor: int) -> list[Any]:
    origin = graph.tensor_origins.get(tensor)
    row = [
        graph.tensor_names[tensor],
        graph.dtypes[tensor],
        _listed(graph.shapes[tensor]),
        graph.layouts[tensor],
        graph.original_layouts[tensor],
        _listed(graph.original_shapes[tensor]),
        None if origin is None else [origin.name, origin.index, origin.layout, origin.dtype],
    ]
    while row[-1] in ("", None) and len(row) > 1:
        row.pop()
    return row


def _listed(shape: Shape) -> list[Any] | None:
    return None if shape is None else list(shape)


def _plain_node(graph: Graph, node: int, progress: Progress) -> list[Any]:
    if node % 500 == 0:
        progress.step(node, len(graph), "Writing the graph without weights")
    origins, waits = graph.origins[node], graph.waits_for[node].tolist() if len(graph.waits_for) else []
    return [
        graph.node_names[node],
        graph.op_types[node],
        graph.domains[node],
        graph.node_inputs[node].tolist(),
        graph.node_outputs[node].tolist(),
        None if origins is None else list(origins),
        [graph.node_names[other] for other in waits],
        _plain_attributes(graph, node),
    ]


def _plain_attributes(graph: Graph, node: int) -> dict[str, Any]:
    try:
        return {name: _plain_attribute(value) for name, value in graph.attributes(node).items()}
    except ErrorflowError:  # the file is gone by now; the node is painted all the same
        return {}


def _plain_attribute(value: object) -> Any:
    """Lists of floats may be weights: of those only how many there are."""
    if isinstance(value, str):
        return value[:_LONGEST]
    if value is None or isinstance(value, bool | int | float):
        return plain(value)
    if isinstance(value, list | tuple):
        is_long = len(value) > (SMALL if any(isinstance(each, float) for each in value) else _MOST_LISTED)
        return f"{len(value):,} values" if is_long else [_plain_attribute(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): _plain_attribute(entry) for key, entry in list(value.items())[:_MOST_LISTED]}
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"{value.dtype} {list(value.shape) if value.shape is not None else ''}".strip()
    return str(value)[:_LONGEST]


def _plain_weight(graph: Graph, name: str) -> list[Any]:
    found = graph.weights.info(name)
    return [name, found.dtype, list(found.shape), found.nbytes]


def _kept_values(graph: Graph) -> Iterator[tuple[str, list[Any]]]:
    scales = {graph.tensor_names[tensor] for tensor in _scales(graph)}
    for name in graph.weights.names():
        found = graph.weights.info(name)
        count = prod(found.shape)
        steers = count <= (SMALL if "float" not in found.dtype else 1)
        if steers or (name in scales and count <= MOST_SCALES):
            try:
                values = graph.weights.read(name)
            except (ErrorflowError, KeyError):
                continue
            if values.dtype.kind in "biuf":
                yield name, [values.dtype.name, list(values.shape), plain(values.ravel())]


def _scales(graph: Graph) -> Iterator[int]:
    for node, op_type in enumerate(graph.op_types):
        if "quantizelinear" in op_type.lower():
            yield from (tensor for tensor in graph.node_inputs[node].tolist()[1:] if tensor >= 0)


@dataclass(frozen=True, slots=True)
class KeptWeights:
    """Weights that stayed behind: what is known of them, and the values of the few that came along."""

    rows: Mapping[str, Weight]
    values: Mapping[str, NDArray[np.generic]] = field(default_factory=dict)

    def names(self) -> Sequence[str]:
        return tuple(self.rows)

    def info(self, name: str) -> Weight:
        return self.rows[name]

    def lack_of(self, name: str) -> str:
        return "" if name in self.values else f"The values of {name} are weights, which are not in the bundle."

    def read(self, name: str) -> NDArray[np.generic]:
        found = self.values.get(name)
        if found is None:
            hint = "Ask for a bundle with the model, or open the model itself."
            raise FileError(self.lack_of(self.rows[name].name), hint)
        return found


def model_of(rows: dict[str, Any], path: Path) -> Model:
    """Reads what `plain_model` wrote; a `FormatError` for anything else."""
    try:
        facts = tuple((str(label), str(text)) for label, text in rows["facts"])
        functions = tuple(Function(str(d), str(name), _graph(inner, 0)) for d, name, inner in rows["functions"])
        return Model(path, FORMAT, _graph(rows["graph"], 0), facts, functions)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, SyntaxError) as error:
        raise FormatError("The graph of the bundle is broken.", _HINT) from error


def _graph(rows: dict[str, Any], depth: int) -> Graph:
    if depth > _DEEPEST:
        raise ValueError("nested too deeply")
    tensors, nodes = rows["tensors"], rows["nodes"]
    names = [str(row[0]) for row in tensors]
    if len(set(names)) != len(names):
        raise ValueError("a tensor is given twice")
    attributes = [{str(key): _attribute(value) for key, value in row[7].items()} for row in nodes]
    builder = GraphBuilder(str(rows["name"]), lambda node: attributes[node], _weights(rows))
    for row in tensors:
        _add_tensor(builder, row)
    for row in nodes:
        reads, makes = (["" if end < 0 else names[end] for end in row[place]] for place in (3, 4))
        origins = None if row[5] is None else tuple(map(str, row[5]))
        waits = list(map(str, row[6]))
        builder.node(str(row[1]), reads, makes, str(row[0]), str(row[2]), origins, waits)
    builder.subgraphs = [
        Subgraph(_within(owner, len(nodes)), str(role), _graph(inner, depth + 1))
        for owner, role, inner in rows["bodies"]
    ]
    inputs, outputs, constants = (
        frozen([_within(end, len(names)) for end in rows[key]]) for key in ("inputs", "outputs", "constants")
    )
    problems = tuple(Problem(str(text), str(where), str(side)) for text, where, side in rows["problems"])
    return replace(builder.build(), inputs=inputs, outputs=outputs, constants=constants, problems=problems)


def _within(number: int, count: int) -> int:
    if not 0 <= number < count:
        raise ValueError("no such number")
    return number


def _add_tensor(builder: GraphBuilder, row: list[Any]) -> None:
    rest: list[Any] = [*row[1:], *[None] * (7 - len(row))]
    dtype, shape, layout, original_layout, original_shape, origin = rest
    builder.tensor(
        str(row[0]),
        "" if dtype is None else str(dtype),
        _shape(shape),
        "" if layout is None else str(layout),
        "" if original_layout is None else str(original_layout),
        _shape(original_shape),
        None if origin is None else Origin(str(origin[0]), int(origin[1]), str(origin[2]), str(origin[3])),
    )


def _shape(found: list[Any] | None) -> Shape:
    if found is None:
        return None
    if not all(dim is None or isinstance(dim, str | int) for dim in found):
        raise ValueError("no shape")
    return tuple(found)


def _attribute(value: Any) -> object:
    if isinstance(value, list):
        return tuple(map(_attribute, value))
    if isinstance(value, dict):
        return float(value["number"]) if set(value) == {"number"} else {k: _attribute(v) for k, v in value.items()}
    return value


def _weights(rows: dict[str, Any]) -> KeptWeights:
    known = {
        str(name): Weight(str(name), str(dtype), tuple(map(int, shape)), int(nbytes))
        for name, dtype, shape, nbytes in rows["weights"]
    }
    values = {str(name): _values(*row) for name, row in rows["values"].items() if name in known}
    return KeptWeights(known, values)


def _values(dtype: str, shape: list[int], values: list[Any]) -> NDArray[np.generic]:
    if len(values) > MOST_SCALES or np.dtype(dtype).kind not in "biuf":
        raise ValueError("no such values")
    found = np.array([_attribute(value) for value in values], np.dtype(dtype)).reshape(shape)
    found.flags.writeable = False
    return found
