"""What a model file says about itself, beside its graph."""

from collections.abc import Iterator, Mapping

from errorflow.formats.onnx.attributes import NodeAttributes
from errorflow.formats.onnx.graphs import Reading
from errorflow.formats.onnx.index import Parts
from errorflow.formats.onnx.schema import GRAPH, MODEL
from errorflow.formats.wire import VARINT, Message, entries, tag, text
from errorflow.graph.model import Graph

EXAMPLES = 3
MAX_TEXT = 400
MAX_ENTRIES = 200
# Before this IR version every initializer had to be listed as an input too, so it meant nothing.
FREE_INITIALIZERS = 4
DEFAULT_DOMAINS = ("", "ai.onnx")
Fact = tuple[str, str]


def facts(message: Message, parts: Parts, reading: Reading, graph: Graph) -> Iterator[Fact]:
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
    if isinstance(graph.attributes, NodeAttributes) and graph.attributes.annotations:
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


def _graph_facts(data: bytes, parts: Parts) -> Iterator[Fact]:
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
