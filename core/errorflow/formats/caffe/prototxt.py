"""Caffe's network description (.prototxt): the graph without weights."""

from collections.abc import Iterator

from errorflow.base import FormatError, Progress
from errorflow.base.files import Source
from errorflow.formats.format import Format
from errorflow.formats.prototext import Token, UnknownToken, tokens
from errorflow.graph.model import Model, Problem

# A network of 1000 layers has some 300 kB.
MAX_BYTES = 32 * 1024**2
_BOM = b"\xef\xbb\xbf"
_NET_FIELDS = frozenset(
    {"name", "input", "input_dim", "input_shape", "force_backward", "state", "debug_info", "layer", "layers"}
)
_LAYERS = frozenset({"layer", "layers"})
# What every layer says, in any generation of the format.
_LAYER_MARKS = frozenset({"type", "layer"})


def _claims(source: Source) -> bool:
    """A layer that has a type, among nothing but fields of a network."""
    if b"\0" in source.head:
        return False
    try:
        for path in _paths(tokens(_decoded(source.head))):
            if path[0] not in _NET_FIELDS:
                return False
            if len(path) == 2 and path[0] in _LAYERS and path[1] in _LAYER_MARKS:
                return True
    except UnknownToken:
        return False
    return False


def _paths(stream: Iterator[Token]) -> Iterator[tuple[str, ...]]:
    """Each field's name with the names of the messages around it."""
    path: list[str] = []
    name, before = "", None
    for token in stream:
        if token.kind == "mark" and token.text in ":{<[" and before is not None and before.kind == "name":
            name = before.text
            yield (*path, name)
        if token.kind == "mark" and token.text in "{<":
            path.append(name)
        elif token.kind == "mark" and token.text in "}>" and path:
            path.pop()
        before = token


def _read(source: Source, progress: Progress) -> Model:
    from errorflow.formats.caffe.net import build
    from errorflow.formats.prototext import parse

    if source.size > MAX_BYTES:
        raise FormatError(
            f"{source.name} is larger than {MAX_BYTES >> 20} MB, which no network description is.",
            "If it carries weights as text, export the network without them.",
        )
    progress.step(0, source.size, f"Reading {source.name}")
    data = b"".join(source.pieces())
    if b"\0" in data:
        raise FormatError(
            f"{source.name} holds zero bytes, which no text does.", "Its copy is incomplete; copy it again."
        )
    net = parse(_decoded(data), source.name, progress)
    graph, facts = build(net, _encoding_problems(data, net.text("name")))
    return Model(source.path, CAFFE_PROTOTXT.label, graph, facts)


def _decoded(data: bytes) -> str:
    """Comments are often in another encoding than UTF-8; such bytes stay visible as escapes."""
    return data.removeprefix(_BOM).decode(errors="backslashreplace")


def _encoding_problems(data: bytes, name: str) -> list[Problem]:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return [Problem(f"The file is not UTF-8 text at byte {error.start:,}; such bytes are shown as \\xNN.", name)]
    return []


CAFFE_PROTOTXT = Format(
    key="caffe-prototxt",
    label="Caffe network",
    holds="model",
    extensions=(".prototxt",),
    claims=_claims,
    read=_read,
    obtain="It lies beside the .caffemodel with its weights; AMCT writes one for the quantized network.",
)
