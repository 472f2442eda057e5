"""Reads the text forms of ONNX: its own syntax, protobuf's text and protobuf's JSON. They hold their weights inline."""

import re
from collections.abc import Callable, Iterator

import numpy as np

from errorflow.base import FormatError, Progress, dataclass
from errorflow.base.files import PIECE_BYTES, Snapshot, Source
from errorflow.base.workers import run_apart
from errorflow.formats.format import Format
from errorflow.formats.onnx.model import build_model
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


# Strings, which may hold brackets and comment signs, and comments, which may hold quotes. A string that is not closed
# ends with the text or the line: looked for again behind each of its quotes, it would take hours.
_DOUBLE = rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)'
_SINGLE = rb"'(?:[^'\\\n]++|\\.)*+(?:'|\\?\Z|(?=\n))"
_COMMENT = rb"#[^\n]*+"


@dataclass(frozen=True, slots=True)
class Syntax:
    """Syntax of a language: what opens and closes, and what is to be overlooked."""

    opening: bytes
    closing: bytes
    overlooked: "re.Pattern[bytes]"

    def structure(self, text: bytes) -> bytes:
        """The text without strings and comments."""
        return self.overlooked.sub(b" ", text)

    def depth(self, text: bytes) -> int:
        """The deepest nesting; a bracket that closes nothing does not count."""
        brackets = self.structure(text).translate(None, delete=_all_but(self.opening + self.closing))
        if not brackets:
            return 0
        steps = np.full(256, -1, np.int64)
        steps[list(self.opening)] = 1
        deepest = depth = 0
        for start in range(0, len(brackets), PIECE_BYTES):  # as numbers they take many times the memory
            piece = np.frombuffer(brackets, np.uint8, min(PIECE_BYTES, len(brackets) - start), start)
            depths = depth + np.cumsum(steps[piece])
            deepest, depth = max(deepest, int(depths.max())), int(depths[-1])
        return deepest


def _all_but(kept: bytes) -> bytes:
    return bytes(set(range(256)) - set(kept))


JSON_SYNTAX = Syntax(b"{[", b"}]", re.compile(_DOUBLE, re.DOTALL))
PROTOBUF_SYNTAX = Syntax(b"{<[", b"}>]", re.compile(_DOUBLE + b"|" + _SINGLE + b"|" + _COMMENT, re.DOTALL))
# The arrow between inputs and outputs is no bracket.
ONNX_SYNTAX = Syntax(b"{<[(", b"}>])", re.compile(_DOUBLE + b"|" + _COMMENT + b"|=>", re.DOTALL))


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


# Turns the text forms of ONNX into a binary ModelProto, with the parsers of onnx and protobuf.
#
# They recurse, take long and ask nobody whether to go on: large texts are parsed in a process of their own.

# Limit of protobuf's own parsers, too.
MAX_DEPTH = 100
MAX_REASON = 300
HINT = "Mend the text or export it again; the binary form of the model can be opened as well."


def parse_onnx_text(data: bytes) -> bytes:
    """Parses ONNX's own syntax."""
    from onnx.onnx_cpp2py_export import parser

    text = _text(data)
    try:
        good, reason, model = parser.parse_model(text)
    except (
        RuntimeError,
        ValueError,
        IndexError,
        OverflowError,
    ) as error:  # C++ exceptions that the parser lets through
        raise _broken(str(error)) from error
    if not good:
        lines = [line.strip() for line in reason.decode("utf-8", "replace").splitlines() if line.strip()]
        position = lines[0].partition("(")[2].rstrip(")]") if lines else ""
        raise _broken(f"{position}: {lines[-1] if lines else 'it cannot be parsed'}")
    return model


def parse_protobuf_text(data: bytes) -> bytes:
    """Parses protobuf's text format."""
    from google.protobuf import text_format
    from onnx import ModelProto

    model = ModelProto()
    try:
        text_format.Parse(_text(data), model, allow_unknown_field=True)
    except (text_format.ParseError, ValueError, TypeError) as error:
        raise _broken(str(error)) from error
    binary: bytes = model.SerializeToString()
    return binary


def parse_json(data: bytes) -> bytes:
    """Parses protobuf's JSON."""
    from google.protobuf import json_format
    from onnx import ModelProto

    model = ModelProto()
    try:
        json_format.Parse(_text(data), model, ignore_unknown_fields=True, max_recursion_depth=MAX_DEPTH)
    except (json_format.ParseError, ValueError, TypeError) as error:
        raise _broken(str(error)) from error
    binary: bytes = model.SerializeToString()
    return binary


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"It is no UTF-8 text: byte {error.start:,} is {data[error.start]:#04x}.", HINT) from error


def _broken(reason: str) -> FormatError:
    line = " ".join(reason.split())
    return FormatError(f"It cannot be parsed: {line[:MAX_REASON].rstrip('.')}.", HINT)


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
