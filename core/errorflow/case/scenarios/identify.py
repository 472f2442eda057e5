"""Says of one file what it is, by its content, without keeping anything of it."""

from collections.abc import Callable, Mapping
from pathlib import Path

from errorflow.base.files import Source
from errorflow.base.progress import SILENT, Progress
from errorflow.case.scenarios.found import FoundFile, Kind
from errorflow.compare.results import importer_of
from errorflow.formats import FORMATS, read, read_listing
from errorflow.formats.amct.record import read_record
from errorflow.formats.arrays.npz import EXTENSION
from errorflow.formats.arrays.zipped import members
from errorflow.formats.folders.raw import shape_texts
from errorflow.formats.format import Format
from errorflow.formats.npu.names import written
from errorflow.graph.model import Model

SESSION = ".errorflow"
# Larger ones are no record of scales, and are not parsed to find that out.
MAX_RECORD = 4 << 20
# No model has more inputs: an archive with more tensors is a run.
MAX_INPUTS = 1_000
_RECORD_MARK = b"record"
# Values that say nothing of themselves.
_BARE = ".bin"
_KINDS: Mapping[str, Kind] = {"atc-json": "atc-json", "om": "om", "amct-quant": "quant-info", "npy": "array"}
_QUANTIZING = frozenset(
    ("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "ConvInteger", "MatMulInteger", "FakeQuantize")
)
_QUANTIZED_PREFIX = "QLinear"


def identify_file(path: Path, progress: Progress = SILENT) -> FoundFile | None:
    """Identifies a file; None where no comparison could use it. A file that is broken is an `ErrorflowError`."""
    if path.suffix == SESSION:
        return FoundFile(path, "session", "Errorflow session")
    with Source(path) as source:
        row = next((row for row in FORMATS if row.claims(source)), None)
        if row is not None:
            return _of_format(path, row, progress)
        importer = importer_of(source)
        if importer is not None:
            return FoundFile(path, "table", importer.label)
        if path.suffix.lower() == _BARE:
            return FoundFile(path, "raw-file", "", f"{source.size:,} bytes")
        looks_like_record = source.size <= MAX_RECORD and _RECORD_MARK in source.head
    return _record(path, progress) if looks_like_record and path.suffix == ".txt" else None


def is_quantized(model: Model) -> bool:
    """Whether operators of it quantize."""
    types = {name for graph in model.graphs() for name in graph.op_types}
    return bool(types & _QUANTIZING) or any(name.startswith(_QUANTIZED_PREFIX) for name in types)


def _of_format(path: Path, row: Format, progress: Progress) -> FoundFile | None:
    look = _LOOKS.get(row.key)
    if look is not None:
        return look(path, row, progress)
    kind = _KINDS.get(row.key)
    return None if kind is None else FoundFile(path, kind, row.label)


def _onnx(path: Path, row: Format, progress: Progress) -> FoundFile | None:
    content = read(path, progress)
    if not isinstance(content, Model):
        return None
    count = f"{len(content.graph):,} operators"
    quantized = is_quantized(content)
    label = f"quantized {row.label}" if quantized else row.label
    graph = content.graph
    inputs = tuple(graph.tensor_names[tensor] for tensor in graph.inputs.tolist())
    shapes = shape_texts(graph, graph.inputs.tolist())
    return FoundFile(path, "onnx-quantized" if quantized else "onnx", label, count, (graph.name,), inputs, shapes)


def _npz(path: Path, row: Format, progress: Progress) -> FoundFile:  # noqa: ARG001 - the table of contents is read at once
    with Source(path) as source:
        held = [member.name.removesuffix(EXTENSION) for member in members(source)]
    return FoundFile(path, "arrays", row.label, tensors=tuple(held) if len(held) <= MAX_INPUTS else ())


def _atc_json(path: Path, row: Format, progress: Progress) -> FoundFile | None:
    listed = read_listing(path, progress)
    operators = frozenset(written(node.name) for graph in listed.graphs for node in graph)
    detail = f"model {listed.names[0]}" if listed.names else ""
    return FoundFile(path, "atc-json", row.label, detail, tuple(listed.names), operators=operators)


def _network(path: Path, row: Format, progress: Progress) -> FoundFile:
    content = read(path, progress)
    names = content.graph.node_names if isinstance(content, Model) else ()
    return FoundFile(path, "model", row.label, operators=frozenset(written(name) for name in names))


_LOOKS: Mapping[str, Callable[[Path, Format, Progress], FoundFile | None]] = {
    **dict.fromkeys(("onnx", "onnx-text", "onnx-textproto", "onnx-json"), _onnx),
    "atc-json": _atc_json,
    "caffe-prototxt": _network,
    "npz": _npz,
}


def _record(path: Path, progress: Progress) -> FoundFile | None:
    layers = len(read_record(path, progress).layers)
    return FoundFile(path, "record", "AMCT scale and offset record", f"{layers:,} layers") if layers else None
