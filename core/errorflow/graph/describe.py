"""Says in words and numbers what a file holds: for `errorflow inspect`, the details panel and tickets alike."""

import re
from collections.abc import Iterator, Mapping

from errorflow.base.values import dataclass, replace
from errorflow.graph.dump import Dump, TensorInfo
from errorflow.graph.model import Graph, Model, Shape, Tensor

UNITS = ("bytes", "kB", "MB", "GB", "TB")
TENSOR_ROWS = 20
_MADE_UP = re.compile(r"(?<![\w.])(unk(nown)?_*\d+|DynamicDimension\.\d+)(?![\w.])")
# Sizes with longer names or formulas are not read by anybody.
_LONGEST_SIZE = 24


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of what is known, under the heading `section`."""

    section: str
    label: str
    value: str


def facts(content: Model | Dump, weights: tuple[int, int] | None = None) -> tuple[Fact, ...]:
    """Lists everything worth a line, in reading order. `weights`: the result of `weighed`, where it is known
    already.
    """
    rows = _model_facts(content, weights) if isinstance(content, Model) else _dump_facts(content)
    return tuple(rows)


def summary(content: Model | Dump) -> dict[str, object]:
    """The same for programs: plain values that `json` takes."""
    return _model_summary(content) if isinstance(content, Model) else _dump_summary(content)


def shape_text(shape: Shape) -> str:
    """`1×3×224×224`, `N×80`, `scalar`, or `?` where even the rank is unknown."""
    if shape is None:
        return "?"
    return "×".join("?" if dim is None else str(dim) for dim in shape) if shape else "scalar"


def without_made_up(shape: Shape) -> Shape:
    """Replaces sizes that a converter or a shape inference numbered (`unk__0`), and formulas of such sizes or
    long ones, by unknown ones."""
    return (
        None if shape is None else tuple(None if isinstance(dim, str) and _says_nothing(dim) else dim for dim in shape)
    )


def _says_nothing(dim: str) -> bool:
    return len(dim) > _LONGEST_SIZE or _MADE_UP.search(dim) is not None


def tensor_text(tensor: Tensor) -> str:
    """Type and shape of a tensor: `float32 1×3×224×224`."""
    parts = [tensor.dtype, shape_text(tensor.shape) if tensor.shape is not None or not tensor.dtype else ""]
    return " ".join(part for part in parts if part)


def known_text(tensor: Tensor) -> str:
    """The same without what says nothing of sizes: `float32 ?×3×?×?`."""
    return tensor_text(replace(tensor, shape=without_made_up(tensor.shape)))


def stored_text(info: TensorInfo) -> str:
    """The same for a tensor of a dump: `float16 1×1×8×8×16 NC1HWC0, originally 1×5×8×8`."""
    text = " ".join(part for part in (info.dtype, shape_text(info.shape), info.layout) if part)
    differs = info.original_shape is not None and info.original_shape != info.shape
    return f"{text}, originally {shape_text(info.original_shape)}" if differs else text


def size_text(count: int) -> str:
    """`1.2 GB`, in steps of a thousand."""
    value = float(count)
    for unit in UNITS[:-1]:
        if value < 1000:
            return f"{count} bytes" if unit == "bytes" else f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} {UNITS[-1]}"


def value_text(value: object, limit: int = 10_000) -> str:
    """An attribute's value for people, cut at about `limit` characters."""
    text = _render(value, limit)
    return text if len(text) <= limit else f"{text[:limit]}…"


def _render(value: object, budget: int) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, bytes):
        return f"{len(value)} bytes: {value[: budget // 2].hex(' ')}"
    if isinstance(value, Mapping):
        return "{" + _joined((f"{key}: {_render(item, budget)}" for key, item in value.items()), budget) + "}"
    if isinstance(value, list | tuple):
        return "[" + _joined((_render(item, budget) for item in value), budget) + "]"
    return str(value)


def _joined(parts: Iterator[str], budget: int) -> str:
    taken: list[str] = []
    for part in parts:
        if budget <= 0:
            taken.append("…")
            break
        taken.append(part)
        budget -= len(part) + 2
    return ", ".join(taken)


def _model_facts(model: Model, weights: tuple[int, int] | None = None) -> Iterator[Fact]:
    yield Fact("File", "Name", model.path.name)
    yield Fact("File", "Format", model.format)
    for label, value in model.facts:
        yield Fact("Model", label, value)
    graph = model.graph
    yield Fact("Graph", "Name", graph.name if graph.name else "(none)")
    yield Fact("Graph", "Nodes", f"{len(graph):,}")
    yield Fact("Graph", "Tensors", f"{len(graph.tensor_names):,}")
    if graph.subgraphs or model.functions:
        yield Fact("Graph", "Subgraphs", f"{sum(1 for _ in graph.walk()) - 1:,}")
        yield Fact("Graph", "Functions", f"{len(model.functions):,}")
    yield from _tensor_facts("Inputs", graph, graph.inputs.tolist())
    yield from _tensor_facts("Outputs", graph, graph.outputs.tolist())
    for op_type, count in graph.op_types.counts().items():
        yield Fact("Operators", op_type, f"{count:,}")
    count, nbytes = weighed(model) if weights is None else weights
    if count:
        yield Fact("Weights", "Tensors", f"{count:,}")
        yield Fact("Weights", "Size", size_text(nbytes))
    for problem in model.problems:
        yield Fact("Problems", problem.where if problem.where else graph.name, problem.text)


def _tensor_facts(section: str, graph: Graph, tensors: list[int]) -> Iterator[Fact]:
    for index in tensors[:TENSOR_ROWS]:
        tensor = graph.tensor(index)
        yield Fact(section, tensor.name, known_text(tensor))
    if len(tensors) > TENSOR_ROWS:
        yield Fact(section, "…", f"{len(tensors) - TENSOR_ROWS:,} more")


def weighed(model: Model) -> tuple[int, int]:
    """Counts the weights, and how large all are together; of many thousands that takes a while."""
    sizes = [graph.weights.info(name).nbytes for graph in model.graphs() for name in graph.weights.names()]
    return len(sizes), sum(sizes)


def _dump_facts(dump: Dump) -> Iterator[Fact]:
    names = dump.names()
    yield Fact("Tensors", "Format", dump.label)
    yield Fact("Tensors", "Count", f"{len(names):,}")
    yield Fact("Tensors", "Size", size_text(sum(dump.info(name).nbytes for name in names)))
    for name in names[:TENSOR_ROWS]:
        info = dump.info(name)
        yield Fact("First tensors", name, stored_text(info))
    for problem in dump.problems:
        yield Fact("Problems", problem.where if problem.where else dump.label, problem.text)


def _model_summary(model: Model) -> dict[str, object]:
    count, nbytes = weighed(model)
    return {
        "file": str(model.path),
        "format": model.format,
        "holds": "model",
        "facts": dict(model.facts),
        "graph": _graph_summary(model.graph),
        "functions": [{"domain": f.domain, "name": f.name, "nodes": len(f.graph)} for f in model.functions],
        "weights": {"tensors": count, "bytes": nbytes},
        "problems": [{"text": problem.text, "where": problem.where} for problem in model.problems],
    }


def _graph_summary(graph: Graph) -> dict[str, object]:
    return {
        "name": graph.name,
        "nodes": len(graph),
        "tensors": len(graph.tensor_names),
        "inputs": [_tensor_summary(graph.tensor(i)) for i in graph.inputs.tolist()],
        "outputs": [_tensor_summary(graph.tensor(i)) for i in graph.outputs.tolist()],
        "operators": graph.op_types.counts(),
        "subgraphs": [
            {"node": graph.node_names[body.owner] if body.owner >= 0 else "", "role": body.role}
            | _graph_summary(body.graph)
            for body in graph.subgraphs
        ],
    }


def _tensor_summary(tensor: Tensor) -> dict[str, object]:
    shape = None if tensor.shape is None else list(tensor.shape)
    return {"name": tensor.name, "dtype": tensor.dtype, "shape": shape}


def _dump_summary(dump: Dump) -> dict[str, object]:
    rows = [dump.info(name) for name in dump.names()]
    return {
        "format": dump.label,
        "holds": "tensors",
        "tensors": [_stored_summary(row) for row in rows],
        "problems": [{"text": problem.text, "where": problem.where} for problem in dump.problems],
    }


def _stored_summary(info: TensorInfo) -> dict[str, object]:
    """Summarizes what an NPU writes down besides, only where it did."""
    row: dict[str, object] = {"name": info.name, "dtype": info.dtype, "shape": list(info.shape), "bytes": info.nbytes}
    if info.layout:
        row["layout"] = info.layout
    if info.original_shape is not None:
        row["original_shape"] = list(info.original_shape)
    return row
