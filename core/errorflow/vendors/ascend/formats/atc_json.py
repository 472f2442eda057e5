"""ATC JSON, which `atc --mode=1` prints from an offline model, and the quantization information of AMCT."""

import re
from dataclasses import replace

from errorflow.base import ErrorflowError, Progress
from errorflow.base.arrays import frozen
from errorflow.base.files import Source
from errorflow.formats.compiled import GraphListing
from errorflow.formats.format import Format
from errorflow.graph.model import Model, Problem
from errorflow.vendors.ascend.formats.structure import Structure, TextBracket

_QUANT_INFO = Problem(
    "This is AMCT's quantization information, not a network: it lists which original layers each operator of the "
    "quantized model stands for, without connections. It is used when an original model is compared with a quantized "
    "one. What flows where is not known."
)


def _read_model(source: Source, progress: Progress) -> Model:
    from errorflow.vendors.ascend.formats.json_model import read

    return read(source, ATC_JSON.label, progress)


def _read_quant_info(source: Source, progress: Progress) -> Model:
    from errorflow.vendors.ascend.formats.json_model import read

    model = read(source, AMCT_QUANT.label, progress, listed=True)
    problem = replace(_QUANT_INFO, where=model.graph.name)
    # A list has no ends: what is read before it and behind it is not known.
    graph = replace(model.graph, problems=(problem, *model.graph.problems), inputs=frozen([]))
    return replace(model, graph=graph, facts=(("Content", "AMCT quantization information"), *model.facts))


def _list(source: Source, progress: Progress) -> GraphListing:
    from errorflow.vendors.ascend.formats.listing import of_json

    return of_json(source, progress)


# Tells an ATC JSON from other JSON by its first bytes.

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


def _step(head: bytes, bracket: TextBracket) -> bytes:
    """Says how one gets to the thing that a bracket opens: its key, if it has one, and the bracket."""
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


ATC_JSON = Format(
    key="atc-json",
    label="ATC JSON of an Ascend offline model",
    holds="model",
    extensions=(".json",),
    claims=is_atc_json,
    read=_read_model,
    obtain="Print it from the offline model with `atc --mode=1 --om=model.om --json=model.json`.",
    listing=_list,
)
AMCT_QUANT = Format(
    key="amct-quant",
    label="AMCT quantization information",
    holds="model",
    extensions=(".json",),
    claims=is_quant_info,
    read=_read_quant_info,
    obtain="AMCT writes it beside the quantized model, as <prefix>_quant.json.",
    listing=_list,
)
