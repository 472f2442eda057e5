"""Reading of a quantized model in a file: a float one in another file, a plan and a calibration."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base import SILENT, FormatError, Progress, UsageError, dataclass
from errorflow.base.workers import run_apart
from errorflow.formats import read_model
from errorflow.formats.onnx.external import beside
from errorflow.graph.build import counted
from errorflow.graph.model import Graph
from errorflow.graph.qparams import QParams
from errorflow.quant.fake import fake_quantize
from errorflow.quant.insert import Inserted, write
from errorflow.quant.plan import FLOAT, Floating, Plan
from errorflow.quant.precision import Precision, precision_of
from errorflow.quant.ranges import Calibration, Range
from errorflow.quant.readback import KINDS
from errorflow.quant.readback.kind import Apart, ReadbackKind
from errorflow.quant.readback.rewrite import Rewrite

if TYPE_CHECKING:
    import onnx


# Float weights of the model that was quantized, in place of those that its codes stand for.
Array = NDArray[Any]


def restore(
    model: "onnx.ModelProto", coded: Mapping[str, QParams], floats: Mapping[str, Callable[[], Array]]
) -> tuple[int, int]:
    """Restores the float values of coded constants; returns how many got theirs, and how many there are.

    Only those whose codes come out the same: whatever else has the name, was fused or rounded in another way is left.
    """
    from onnx import numpy_helper

    wanted = [tensor for tensor in model.graph.initializer if tensor.name in coded]
    count = 0
    for tensor in wanted:
        read = floats.get(tensor.name)
        values = None if read is None else read()
        if values is None or values.dtype != np.float32 or values.shape != tuple(tensor.dims):
            continue
        if np.array_equal(fake_quantize(values, coded[tensor.name]), numpy_helper.to_array(tensor)):
            tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(values), tensor.name))
            count += 1
    return count, len(wanted)


TEXT = "Reading back how the model is quantized"
TIMEOUT = 600.0
METHOD = "the model's own scales"
_EXTERNAL = 1
ROUNDED = "Weights were rounded already when the model was quantized: the reference has the rounded ones."


@dataclass(frozen=True, eq=False)
class ReadBack:
    """A quantized model as what simulation takes."""

    # The float model.
    path: Path
    kind: ReadbackKind
    plan: Plan
    calibration: Calibration
    # Tensors of the quantized model that are gone, and which one of the float model has their values.
    names: Mapping[str, str]
    notes: tuple[str, ...] = ()


def kind_of(graph: Graph) -> ReadbackKind | None:
    """Finds how the model is quantized; None: it is not, or in a way that is not known."""
    types = frozenset(graph.op_types)
    return next((kind for kind in KINDS if any(map(kind.is_mark, types))), None)


def read_back(
    path: Path, kind: ReadbackKind, target: Path, progress: Progress = SILENT, reference: Path | None = None
) -> ReadBack:
    """Writes the float model to `target`; in a process of its own, since others' code reads the file.

    `reference`: the model that was quantized, whose weights are taken where the codes are those of them. Of a kind
    whose scales are apart it is the float model itself, and nothing is written.
    """
    if kind.apart is not None:
        return _beside(kind, read_apart(path, kind, kind.apart, reference, progress))
    original = "" if reference is None else str(reference)
    answer = run_apart(_rewrite, str(path), str(target), original, text=TEXT, progress=progress, timeout=TIMEOUT)
    given = {
        name: QParams(tuple(scales), tuple(zeros), *rest) for name, (scales, zeros, *rest) in answer["coded"].items()
    }
    constants = frozenset(answer["constants"])
    notes = [f"{name} stays as it is: {reason}." for name, reason in answer["notes"].items()]
    if reference is not None:
        found, wanted = answer["restored"]
        notes.insert(0, f"{found:,} of {wanted:,} coded constants have their float values from {reference.name}.")
    if answer["rounded"]:
        notes.insert(0, ROUNDED)
    facts = {"quantized as": kind.label, "reference": ROUNDED if answer["rounded"] else "the float values in the model"}
    ranges = {name: _range(qparams) for name, qparams in given.items() if name not in constants}
    calibration = Calibration(METHOD, ranges, facts=facts, given=given)
    return ReadBack(target, kind, _plan(given, constants), calibration, answer["names"], tuple(notes))


# Models whose operators nobody else runs: their scales, on the float model that they were made of.

# Of one kind of note.
SHOWN = 3


@dataclass(frozen=True, eq=False)
class FloatAndScales:
    """A float model, and the scales of its tensors."""

    path: Path
    given: Mapping[str, QParams]
    constants: frozenset[str]
    notes: tuple[str, ...]


def read_apart(
    path: Path, kind: ReadbackKind, apart: Apart, reference: Path | None = None, progress: Progress = SILENT
) -> FloatAndScales:
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
    return FloatAndScales(place, given, constants, notes)


def _unknown(path: Path, graph: Graph, kind: ReadbackKind) -> str:
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


def _beside(kind: ReadbackKind, found: FloatAndScales) -> ReadBack:
    ranges = {name: _range(qparams) for name, qparams in found.given.items() if name not in found.constants}
    facts = {"quantized as": kind.label, "reference": f"the float model {found.path.name}"}
    calibration = Calibration(METHOD, ranges, facts=facts, given=found.given)
    return ReadBack(found.path, kind, _plan(found.given, found.constants), calibration, {}, found.notes)


def _plan(given: Mapping[str, QParams], constants: frozenset[str]) -> Plan:
    """Biases keep the values that their codes stand for: they are floats in the plan."""
    found = {name: how for name, how in ((name, precision_of(qparams)) for name, qparams in given.items()) if how}
    activations = _usual(how for name, how in found.items() if name not in constants)
    weights = _usual(how for name, how in found.items() if name in constants)
    return Plan(activations, weights, biases=False, outputs=False, coded=tuple(sorted(found.items())))


def _usual(found: Iterable[Precision]) -> Precision | Floating:
    common = Counter(found).most_common(1)
    return common[0][0] if common else FLOAT


def _range(qparams: QParams) -> Range:
    """Finds where the values of all codes lie."""
    scale = np.asarray(qparams.scales)
    zero = np.asarray(qparams.zero_points)
    low, high = (qparams.low - zero) * scale, (qparams.high - zero) * scale
    return Range(float(low.min()), float(high.max()))


def _load(path: Path) -> "onnx.ModelProto":
    import onnx
    from google.protobuf.message import DecodeError

    try:
        return onnx.load(path, load_external_data=False)
    except (DecodeError, ValueError) as error:
        raise FormatError(
            f"{path.name} could not be loaded as a binary ONNX model.", "Save it with onnx.save."
        ) from error


def _floats(path: Path) -> "dict[str, partial[NDArray[Any]]]":
    return {tensor.name: partial(_array, path, tensor) for tensor in _load(path).graph.initializer}


def _rewrite(path: str, target: str, reference: str) -> dict[str, Any]:
    """Rewrites the model, in the process of its own."""
    source = Path(path)
    model = _load(source)
    array = partial(_array, source)
    work = Rewrite(model, array, KINDS)
    work.run()
    # Biases are no part of the plan, which would not round them again.
    coded = {name: qparams for name, qparams in work.coded.items() if precision_of(qparams) is not None}
    restored = restore(model, coded, _floats(Path(reference))) if reference else (0, 0)
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    write(Inserted(model, {}), lambda name: array(tensors[name]), Path(target))
    constants = {*tensors, *(node.output[0] for node in model.graph.node if node.op_type == "Constant")}
    return {
        "coded": {name: [list(q.scales), list(q.zero_points), q.bits, q.signed, q.axis] for name, q in coded.items()},
        "constants": sorted(constants),
        "names": work.names,
        "notes": work.notes,
        "rounded": work.rounded and (not reference or restored[0] < restored[1]),
        "restored": list(restored),
    }


def _array(model: Path, tensor: "onnx.TensorProto") -> NDArray[Any]:
    """The values of a constant, wherever they lie."""
    from onnx import helper, numpy_helper

    if tensor.data_location != _EXTERNAL:
        values: NDArray[Any] = numpy_helper.to_array(tensor)
        return values
    import onnx

    entries = {entry.key: entry.value for entry in tensor.external_data}
    file = beside(model, entries.get("location", ""))
    dtype = helper.tensor_dtype_to_np_dtype(tensor.data_type)
    inside = onnx.TensorProto(name=tensor.name, data_type=tensor.data_type, dims=tensor.dims)
    count = int(np.prod(tuple(tensor.dims), dtype=np.int64))
    bits = 4 if dtype.name.endswith("int4") else dtype.itemsize * 8
    try:
        with file.open("rb") as stream:
            stream.seek(int(entries.get("offset", "0")))
            inside.raw_data = stream.read((count * bits + 7) // 8)
        outside: NDArray[Any] = numpy_helper.to_array(inside)
    except (OSError, ValueError) as error:
        raise FormatError(
            f"The values of {tensor.name} could not be read from {file.name}.", "Copy or export the model again."
        ) from error
    return outside
