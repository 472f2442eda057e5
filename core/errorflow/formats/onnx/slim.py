"""Copies a model out of its file without the large tensors: what remains is small enough to keep.

In place of its values, a tensor that is left out carries a note of where its message lies in the file. It looks like
external data, so ONNX's own code takes it for a tensor whose values are elsewhere, which is true.
"""

from collections.abc import Mapping

from errorflow.base import FormatError, Progress
from errorflow.base.files import Source
from errorflow.formats.onnx.schema import ATTRIBUTE, FUNCTION, GRAPH, MODEL, NODE, SPARSE, TENSOR
from errorflow.formats.onnx.window import OnnxWindow
from errorflow.formats.wire import BYTES, FIXED32, VARINT, WireError, encode_bytes, encode_number, encode_varint, tag

# A message up to this size is kept whole; it covers all vectors that steer shapes.
KEPT_BYTES = 2048
# Texts that are longer (compiled engines, mostly) are left out like tensors.
KEPT_TEXT_BYTES = 64 * 1024
MAX_FIELDS = 30_000_000
MAX_SLIM_BYTES = 512 * 1024 * 1024
MAX_DEPTH = 32
UNREAL = "No real model is that large; the file is probably broken."
PIECE_BYTES = 1024 * 1024
MARK = "errorflow.span"
_EXTERNAL = 1
_UINT8 = 2

# How a field that is larger than `KEPT_BYTES` is gone into: the kind of message in it, or one of these.
DROPPED, LONG_TEXT = "dropped", "text"
RULES: Mapping[str, Mapping[int, str]] = {
    "model": {MODEL.GRAPH: "graph", MODEL.FUNCTIONS: "function", MODEL.TRAINING_INFO: DROPPED},
    "graph": {GRAPH.NODE: "node", GRAPH.INITIALIZER: "tensor", GRAPH.SPARSE_INITIALIZER: "sparse"},
    "function": {FUNCTION.NODE: "node", FUNCTION.ATTRIBUTE_PROTO: "attribute"},
    "node": {NODE.ATTRIBUTE: "attribute"},
    "sparse": {SPARSE.VALUES: "tensor", SPARSE.INDICES: "tensor"},
    "attribute": {
        ATTRIBUTE.S: LONG_TEXT,
        ATTRIBUTE.T: "tensor",
        ATTRIBUTE.G: "graph",
        ATTRIBUTE.TENSORS: "tensor",
        ATTRIBUTE.GRAPHS: "graph",
        ATTRIBUTE.SPARSE_TENSOR: "sparse",
        ATTRIBUTE.SPARSE_TENSORS: "sparse",
    },
}
# A list has one field per value: millions, which are copied without being looked at.
_LISTS = {
    tag(number, wire)
    for number in (ATTRIBUTE.FLOATS_NUMBER, ATTRIBUTE.INTS_NUMBER)
    for wire in (VARINT, FIXED32, BYTES)
}


def slim(source: Source, progress: Progress) -> bytes:
    """The ModelProto in `source` as bytes, without large tensors and training graphs."""
    return b"".join(_Slimmer(OnnxWindow(source, progress)).message("model", 0, source.size, MAX_DEPTH))


class _Slimmer:
    def __init__(self, window: OnnxWindow) -> None:
        self._window = window
        self._total = 0
        self._fields = 0

    def message(self, kind: str, start: int, end: int, depth: int) -> list[bytes]:
        """Collects what is kept of a message, in pieces: they are put together once, at the end."""
        if not depth:
            raise WireError("graphs are nested too deeply")
        if kind == "tensor":
            return self._tensor(start, end)
        rules = RULES[kind]
        parts: list[bytes] = []
        pos = kept = start
        while pos < end:
            key, begin, stop = self._head(pos, end)
            if stop - begin > KEPT_BYTES and key in rules:
                self._keep(parts, kept, pos)
                parts += self._field(key, rules[key], begin, stop, depth)
                kept = stop
            elif kind == "attribute" and key in _LISTS:
                break
            pos = stop
        self._keep(parts, kept, end)
        return parts

    def _head(self, pos: int, end: int) -> tuple[int, int, int]:
        self._fields += 1
        if self._fields > MAX_FIELDS:
            raise FormatError(f"The model consists of more than {MAX_FIELDS:,} fields.", UNREAL)
        return self._window.head(pos, end)

    def _field(self, key: int, rule: str, start: int, stop: int, depth: int) -> list[bytes]:
        """Yields what stands for a large field."""
        if rule == DROPPED:
            return [encode_bytes(key >> 3, b"")]
        if rule == LONG_TEXT and stop - start > KEPT_TEXT_BYTES:
            size = encode_number(TENSOR.DIMS_NUMBER, stop - start) + encode_number(TENSOR.DATA_TYPE >> 3, _UINT8)
            return [encode_bytes(ATTRIBUTE.T >> 3, size + _mark(start, stop))]
        if rule == LONG_TEXT:
            parts: list[bytes] = []
            self._keep(parts, start, stop)
        else:
            parts = self.message(rule, start, stop, depth - 1 if rule == "graph" else depth)
        return [encode_varint(key) + encode_varint(sum(map(len, parts))), *parts]

    def _tensor(self, start: int, end: int) -> list[bytes]:
        """The tensor without its values, if it is they that make it large."""
        parts: list[bytes] = []
        pos = kept = start
        dropped = 0
        while pos < end:
            key, begin, stop = self._head(pos, end)
            if key >> 3 in TENSOR.PAYLOAD_NUMBERS:
                self._keep(parts, kept, pos)
                kept = stop
                dropped += stop - begin
            pos = stop
        self._keep(parts, kept, end)
        if dropped:
            parts.append(_mark(start, end))
        return parts

    def _keep(self, parts: list[bytes], start: int, end: int) -> None:
        self._total += end - start
        if self._total > MAX_SLIM_BYTES:
            raise FormatError(f"Without its tensors, the model still has more than {MAX_SLIM_BYTES:,} bytes.", UNREAL)
        for pos in range(start, end, PIECE_BYTES):
            parts.append(self._window.copy(pos, min(pos + PIECE_BYTES, end)))


def _mark(start: int, end: int) -> bytes:
    note = encode_bytes(1, MARK.encode()) + encode_bytes(2, f"{start}:{end}".encode())
    return encode_bytes(TENSOR.EXTERNAL_DATA >> 3, note) + encode_number(TENSOR.DATA_LOCATION >> 3, _EXTERNAL)


def marked_span(external: Mapping[str, str]) -> tuple[int, int] | None:
    """Finds where in the file the tensor lies that `slim` has left out; None where it holds its values itself."""
    start, colon, end = external.get(MARK, "").partition(":")
    if colon and start.isdecimal() and end.isdecimal():
        return int(start), int(end)
    return None
