"""Reads the text forms of ONNX: its own syntax, protobuf's text and protobuf's JSON. They hold their weights inline."""

from collections.abc import Callable
from dataclasses import dataclass

from errorflow.errors import FormatError
from errorflow.files import Snapshot, Source
from errorflow.formats.format import Format
from errorflow.formats.onnx.model import build_model
from errorflow.formats.onnx.nesting import JSON_SYNTAX, ONNX_SYNTAX, PROTOBUF_SYNTAX, Syntax
from errorflow.formats.onnx.parse import MAX_DEPTH, parse_json, parse_onnx_text, parse_protobuf_text
from errorflow.formats.onnx.shapes import with_inference
from errorflow.formats.onnx.text_claims import is_json, is_onnx_text, is_protobuf_text
from errorflow.formats.wire import WireError
from errorflow.graph.model import Model
from errorflow.progress import Progress
from errorflow.workers import run_apart

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
)
ONNX_PROTOBUF_TEXT = Format(
    key="onnx-textproto",
    label=_PROTOBUF_TEXT.label,
    holds="model",
    extensions=(".textproto", ".txtpb", ".pbtxt"),
    claims=is_protobuf_text,
    read=_PROTOBUF_TEXT.read,
    obtain="onnx.save(model, 'model.textproto') writes it.",
)
ONNX_JSON = Format(
    key="onnx-json",
    label=_JSON.label,
    holds="model",
    extensions=(".onnxjson", ".json"),
    claims=is_json,
    read=_JSON.read,
    obtain="onnx.save(model, 'model.onnxjson') writes it.",
)
