"""Whether a text is one of the text forms of ONNX, told by its first 64 kB."""

import re
from collections.abc import Iterator

from errorflow.files import Source
from errorflow.formats.onnx.nesting import ONNX_SYNTAX, PROTOBUF_SYNTAX

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
