"""Reads the text forms of ONNX: its own syntax, protobuf's text and protobuf's JSON. They hold their weights inline."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from errorflow.base.errors import FormatError
from errorflow.base.files import Snapshot, Source
from errorflow.base.progress import Progress
from errorflow.base.workers import run_apart
from errorflow.formats.format import Format
from errorflow.formats.onnx.model import build_model
from errorflow.formats.onnx.nesting import JSON_SYNTAX, ONNX_SYNTAX, PROTOBUF_SYNTAX, Syntax
from errorflow.formats.onnx.parse import MAX_DEPTH, parse_json, parse_onnx_text, parse_protobuf_text
from errorflow.formats.onnx.shapes import with_inference
from errorflow.formats.wire import WireError
from errorflow.graph.model import Model

_BOM = b"\xef\xbb\xbf"
# Fields of ModelProto, as protobuf's text has them; JSON may also write them irVersion.
_FIELDS = frozenset(
    b"ir_version producer_name producer_version domain model_version doc_string graph opset_import metadata_props"
    b" training_info functions configuration".split()
)
_TELLING = frozenset((b"ir_version", b"opset_import"))
_HEADER = re.compile(rb"\s*<\s*[a-z_]+\s*:")
_HEADER_KEY = re.compile(rb"[<,]\s*(?:ir_version|opset_import)\s*:")
_TOKEN = re.compile(rb"\b(\w++)\s*+(?=[:{<])|([{<])|([}>])")
_JSON_TOKEN = re.compile(rb'"((?:[^"\\]++|\\.)*+)(?:"|\\?\Z)(\s*+:)?|([{\[])|([}\]])', re.DOTALL)


def is_onnx_text(source: Source) -> bool:
    """ONNX's own syntax begins with `< ir_version: …`."""
    structure = ONNX_SYNTAX.structure(_head(source))
    return bool(_HEADER.match(structure) and _HEADER_KEY.search(structure.partition(b"{")[0]))


def is_protobuf_text(source: Source) -> bool:
    """Outermost are fields of ModelProto, and nothing else."""
    names = set(_outer_names(PROTOBUF_SYNTAX.structure(_head(source))))
    return bool(names & _TELLING) and names <= _FIELDS


def is_json(source: Source) -> bool:
    """An object with the keys of a ModelProto, in either spelling."""
    head = _head(source)
    if not head.lstrip().startswith(b"{"):
        return False
    names = {_snake(name) for name in _outer_keys(head)}
    return bool(names & _TELLING) and bool(names & {b"graph", b"producer_name"})


def _head(source: Source) -> bytes:
    head = source.head.removeprefix(_BOM)
    return b"" if b"\0" in head else head


def _outer_names(structure: bytes) -> Iterator[bytes]:
    depth = 0
    for token in _TOKEN.finditer(structure):
        name, opens, closes = token.groups()
        if name is not None and not depth:
            yield name
        depth += (opens is not None) - (closes is not None)


def _outer_keys(head: bytes) -> Iterator[bytes]:
    depth = 0
    for token in _JSON_TOKEN.finditer(head):
        name, colon, opens, closes = token.groups()
        if depth == 1 and colon is not None:
            yield name
        depth += (opens is not None) - (closes is not None)


def _snake(name: bytes) -> bytes:
    return re.sub(rb"[A-Z]", lambda letter: b"_" + letter.group().lower(), name)


MAX_BYTES = 256 * 1024 * 1024
# Up to here a text is parsed at once: it takes less time than a process takes to start.
AT_ONCE_BYTES = 64 * 1024
BINARY = "Convert it to the binary form: onnx.save(onnx.load(path), 'model.onnx')."


@dataclass(frozen=True, slots=True)
class TextForm:
    """One way to write a ModelProto as text. `parse` makes the binary form of it."""

    label: str
    syntax: Syntax
    parse: Callable[[bytes], bytes]

    def read(self, source: Source, progress: Progress) -> Model:
        if source.size > MAX_BYTES:
            raise FormatError(f"{source.name} has {source.size:,} bytes, too much for a text.", BINARY)
        try:
            data = self._binary(source, progress)
            file = Snapshot.of(source)
            return with_inference(build_model(data, file, progress, self.label), data, file)
        except WireError as error:
            raise FormatError(f"{source.name} holds a broken model: {error}.", BINARY) from error

    def _binary(self, source: Source, progress: Progress) -> bytes:
        text = f"Reading {source.name}"
        parts: list[bytes] = []
        for part in source.pieces():
            progress.step(len(parts), 0, text)
            parts.append(part)
        written = b"".join(parts)
        if self.syntax.depth(written) > MAX_DEPTH:
            raise FormatError(f"{source.name} is nested more than {MAX_DEPTH} levels deep.", BINARY)
        try:
            if len(written) <= AT_ONCE_BYTES:
                return self.parse(written)
            return run_apart(self.parse, written, text=text, progress=progress)
        except FormatError as error:
            raise FormatError(f"{source.name} is a broken {self.label}. {error.message}", error.hint) from error


_TEXT = TextForm("ONNX text", ONNX_SYNTAX, parse_onnx_text)
_PROTOBUF_TEXT = TextForm("ONNX model as protobuf text", PROTOBUF_SYNTAX, parse_protobuf_text)
_JSON = TextForm("ONNX model as JSON", JSON_SYNTAX, parse_json)

ONNX_TEXT = Format(
    key="onnx-text",
    label=_TEXT.label,
    holds="model",
    extensions=(".onnxtxt", ".onnxtext"),
    claims=is_onnx_text,
    read=_TEXT.read,
    obtain="onnx.printer.to_text writes it.",
    rank=-1,
)
ONNX_PROTOBUF_TEXT = Format(
    key="onnx-textproto",
    label=_PROTOBUF_TEXT.label,
    holds="model",
    extensions=(".textproto", ".txtpb", ".pbtxt"),
    claims=is_protobuf_text,
    read=_PROTOBUF_TEXT.read,
    obtain="onnx.save(model, 'model.textproto') writes it.",
    rank=-1,
)
ONNX_JSON = Format(
    key="onnx-json",
    label=_JSON.label,
    holds="model",
    extensions=(".onnxjson", ".json"),
    claims=is_json,
    read=_JSON.read,
    obtain="onnx.save(model, 'model.onnxjson') writes it.",
    rank=-1,
)
