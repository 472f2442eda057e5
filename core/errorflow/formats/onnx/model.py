"""Builds the `Model` from a slim model: its graphs, functions and what is missing beside it."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from errorflow.base import ErrorflowError, Progress
from errorflow.base.files import Snapshot
from errorflow.formats.onnx.attributes import OnnxNodeAttributes
from errorflow.formats.onnx.external import beside, is_there
from errorflow.formats.onnx.graphs import ModelReading, read_function, read_graph
from errorflow.formats.onnx.index import FieldIndex
from errorflow.formats.onnx.schema import FUNCTION, GRAPH, MODEL
from errorflow.formats.wire import VARINT, Message, Span, WireError, entries, tag, text
from errorflow.graph.model import Function, Graph, Model, Problem

LABEL = "ONNX model"
MAX_LOOKED_FOR = 1000
FIRST_WITH_OPSETS = 3


def build_model(data: bytes, file: Snapshot, progress: Progress, label: str = LABEL) -> Model:
    """The model in the bytes of a ModelProto, whose large tensors may have been left out."""
    message = Message.of(data)
    if MODEL.GRAPH not in message:
        raise WireError("it ends before its graph begins")
    reading = ModelReading(data, file, progress)
    parts = FieldIndex.of(data, message.all(MODEL.GRAPH), progress)
    graph = read_graph(reading, parts)
    functions = tuple(_function(reading, span) for span in message.all(MODEL.FUNCTIONS))
    graph = with_problems(graph, *_missing_end(message), *_missing_files(reading))
    return Model(file.path, label, graph, tuple(facts(message, parts, reading, graph)), functions)


def with_problems(graph: Graph, *problems: Problem) -> Graph:
    return replace(graph, problems=graph.problems + problems) if problems else graph


def _function(reading: ModelReading, span: Span) -> Function:
    message = Message.of(reading.data, *span)
    name, overload = message.text(FUNCTION.NAME), message.text(FUNCTION.OVERLOAD)
    title = f"{name}:{overload}" if overload else name
    return Function(message.text(FUNCTION.DOMAIN), title, replace(read_function(reading, span), name=title))


def _missing_end(message: Message) -> Iterator[Problem]:
    """A file that was cut off right behind its graph looks whole but for this."""
    if MODEL.OPSET_IMPORT not in message and message.number(MODEL.IR_VERSION) >= FIRST_WITH_OPSETS:
        yield Problem("It does not say which version of the operators it means; the end of the file may be missing.")


def _missing_files(reading: ModelReading) -> Iterator[Problem]:
    """Values that will not be found when they are asked for."""
    missing: list[str] = []
    refused: list[str] = []
    for name in sorted(reading.locations)[:MAX_LOOKED_FOR]:
        try:
            missing += [] if is_there(beside(reading.file.path, name)) else [name]
        except ErrorflowError as error:
            refused.append(error.message)
    if missing:
        yield Problem(f"Files with its values are missing; copy them into the folder of the model: {listed(missing)}.")
    yield from map(Problem, refused[:EXAMPLES])


# What a model file says about itself, beside its graph.

EXAMPLES = 3
MAX_TEXT = 400
MAX_ENTRIES = 200
# Before this IR version every initializer had to be listed as an input too, so it meant nothing.
FREE_INITIALIZERS = 4
DEFAULT_DOMAINS = ("", "ai.onnx")
Fact = tuple[str, str]


def facts(message: Message, parts: FieldIndex, reading: ModelReading, graph: Graph) -> Iterator[Fact]:
    """Label and text of everything that the file tells, in reading order."""
    ir_version = message.number(MODEL.IR_VERSION)
    yield from _texts(message, ir_version)
    yield from _graph_facts(reading.data, parts)
    pairs = entries([Message.of(message.data, *span) for span in message.all(MODEL.METADATA)[:MAX_ENTRIES]])
    yield from ((name, cut(value)) for name, value in pairs.items())
    training = len(message.all(MODEL.TRAINING_INFO))
    if training:
        yield "Training graphs", f"{training:,} (not shown)"
    devices = [device.text(tag(1)) for device in message.messages(MODEL.CONFIGURATION)]
    if devices:
        yield "Device configurations", listed(devices)
    if reading.optional_inputs and ir_version >= FREE_INITIALIZERS:
        yield "Inputs with a default", listed(reading.optional_inputs)
    if isinstance(graph.attributes, OnnxNodeAttributes) and graph.attributes.annotations:
        yield "Quantization annotations", listed([_annotation(*row) for row in graph.attributes.annotations.items()])
    if reading.locations:
        yield "Values in", listed(sorted(reading.locations))


def _texts(message: Message, ir_version: int) -> Iterator[Fact]:
    producer = f"{message.text(MODEL.PRODUCER_NAME)} {message.text(MODEL.PRODUCER_VERSION)}".strip()
    opsets = [(o.text(tag(1)), o.number(tag(2, VARINT))) for o in message.messages(MODEL.OPSET_IMPORT)]
    version = message.number(MODEL.MODEL_VERSION)
    rows = (
        ("Producer", producer),
        ("IR version", str(ir_version) if ir_version else ""),
        ("Opset", ", ".join(_opset(*row) for row in sorted(opsets)[:MAX_ENTRIES])),
        ("Model version", str(version) if version else ""),
        ("Domain", message.text(MODEL.DOMAIN)),
        ("Description", message.text(MODEL.DOC_STRING)),
    )
    for label, value in rows:
        if value:
            yield label, cut(value)


def _opset(domain: str, version: int) -> str:
    return str(version) if domain in DEFAULT_DOMAINS else f"{domain} {version}"


def _graph_facts(data: bytes, parts: FieldIndex) -> Iterator[Fact]:
    for start, end in parts.spans(GRAPH.DOC_STRING):
        if end > start:
            yield "Graph description", cut(text(data[start:end]))
    for start, end in list(parts.spans(GRAPH.METADATA))[:MAX_ENTRIES]:
        for key, value in entries([Message.of(data, start, end)]).items():
            yield f"Graph: {key}", cut(value)


def _annotation(tensor: str, notes: Mapping[str, str]) -> str:
    return f"{tensor} ({', '.join(f'{key} = {value}' for key, value in notes.items())})"


def listed(names: list[str]) -> str:
    """The first few, and how many more."""
    rest = len(names) - EXAMPLES
    return cut(", ".join(names[:EXAMPLES])) + (f" and {rest:,} more" if rest > 0 else "")


def cut(value: str) -> str:
    return value if len(value) <= MAX_TEXT else f"{value[:MAX_TEXT]}…"
