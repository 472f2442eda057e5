"""Tells an ATC JSON from other JSON by its first bytes."""

import re

from errorflow.base.errors import ErrorflowError
from errorflow.base.files import Source
from errorflow.vendors.ascend.formats.structure import Bracket, Structure

MAX_QUANT_INFO_BYTES = 64 * 1024**2
_PIECE_BYTES = 1024 * 1024
_KEY = re.compile(rb'"((?:[^"\\]|\\.){1,64})"\s{0,64}:\s{0,64}$', re.DOTALL)
_LOOK_BACK = 256
_VALUE = rb'"value"\s*:\s*(?:null|\{\s*(?:\}|"(?:[sifbtg]|bt|dt|td|func|list|list_list_\w+)"\s*:))'
_ENTRY = re.compile(rb'\{\s*(?:"key"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*)?' + _VALUE, re.DOTALL)
_FIRST_KEY = re.compile(rb'\{\s*(?:"(\w+)"\s*:|\})')
_NODE_KEYS = frozenset(
    b"name type input attr has_out_attr id stream_id input_name src_name src_index dst_name dst_index input_i output_i"
    b" workspace workspace_bytes is_input_const input_desc output_desc subgraph_name".split()
)
# A printed model names inputs, at least "" for each of its own inputs; the quantization information has none at all.
_CONNECTED = re.compile(rb'"(?:input|input_desc|src_name)"\s{0,64}:')
_ORIGINS = b'"_datadump_original_op_names"'
_OVERLAP = 128


def is_atc_json(source: Source) -> bool:
    """Whether it is a JSON object with graph[].op[], or with attributes printed as `ge.proto` maps are."""
    return _is_model(source) and not is_quant_info(source)


def is_quant_info(source: Source) -> bool:
    """Whether it is the same grammar, but lists operators only: no edges, no description of inputs."""
    if source.size > MAX_QUANT_INFO_BYTES or not _is_model(source):
        return False
    origins, before = False, b""
    for piece in source.pieces(_PIECE_BYTES):
        text = before + piece
        if _CONNECTED.search(text):
            return False
        origins = origins or _ORIGINS in text
        before = text[-_OVERLAP:]
    return origins


def _is_model(source: Source) -> bool:
    head = source.head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
    if not head.startswith(b"{") or b"\0" in head:
        return False
    try:
        brackets = Structure(source.name).brackets(head)
    except ErrorflowError:
        return False
    path: list[bytes] = []
    for bracket in brackets:
        del path[bracket.level - 1 :]
        if bracket.opens:
            path.append(_step(head, bracket))
            verdict = _verdict(head, bracket.at, path)
            if verdict is not None:
                return verdict
    return False


def _step(head: bytes, bracket: Bracket) -> bytes:
    """How one gets to the thing that a bracket opens: its key, if it has one, and the bracket."""
    key = _KEY.search(head[max(0, bracket.at - _LOOK_BACK) : bracket.at])
    return (key[1] if key else b"") + head[bracket.at : bracket.at + 1]


def _verdict(head: bytes, at: int, path: list[bytes]) -> bool | None:
    """Whether the thing at the end of `path` settles the question."""
    if len(path) == 2 and path[1] not in (b"attr[", b"graph["):
        return False
    if path[1:] in ([b"attr[", b"{"], [b"graph[", b"{", b"attr[", b"{"]):
        return bool(_ENTRY.match(head, at))
    if path[1:] == [b"graph[", b"{", b"op[", b"{"]:
        first = _FIRST_KEY.match(head, at)
        return first is not None and (first[1] is None or first[1] in _NODE_KEYS)
    return None
