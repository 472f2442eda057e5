"""Nodes from JSON text: one operator, or what is left around them, as plain data."""

from collections.abc import Mapping
from typing import Any

import msgspec

from errorflow.base.errors import FormatError
from errorflow.base.files import Snapshot
from errorflow.formats.compiled import NODE_ATTRIBUTES, TENSOR_ATTRIBUTES, ModelText, NodeText, TensorText, whole
from errorflow.vendors.ascend.formats import values
from errorflow.vendors.ascend.formats.cut import Cut

_NULL = msgspec.Raw(b"null")
# They are given with the node itself, or say the same as its inputs once more.
_SHOWN_ELSEWHERE = frozenset(
    {"name", "type", "input", "attr", "subgraph_name", "src_name", "src_index", "dst_name", "dst_index", "has_out_attr"}
)


class _Entry(msgspec.Struct, gc=False):
    key: str | None = None
    value: msgspec.Raw = _NULL


class _Dims(msgspec.Struct, gc=False):
    dim: list[int | str | None] | None = None


class _Desc(msgspec.Struct):
    dtype: str | int | None = None
    layout: str | int | None = None
    shape: _Dims | None = None
    attr: list[_Entry | None] | None = None


class _Node(msgspec.Struct):
    name: str | None = None
    type: str | None = None
    input: list[str | None] | None = None
    output_desc: list[_Desc | None] | None = None
    subgraph_name: list[str | None] | None = None
    id: int | str | None = None
    attr: list[_Entry | None] | None = None


class GraphRest(msgspec.Struct):
    """A graph without its operators: of those only the numbers under which they were cut out."""

    name: str | None = None
    input: list[str | None] | None = None
    output: list[str | None] | None = None
    op: list[int | None] | None = None


class _Rest(msgspec.Struct):
    name: str | None = None
    version: int | str | None = None
    custom_version: int | str | None = None
    graph: list[GraphRest | None] | None = None
    attr: list[_Entry | None] | None = None


_node_decoder = msgspec.json.Decoder(_Node)
_rest_decoder = msgspec.json.Decoder(_Rest)
_AGAIN = "Print it again with `atc --mode=1 --om=… --json=…`, or copy it again."


def node(cut: Cut, name: str, problems: list[str]) -> NodeText:
    """The operator in `cut` of the file `name`; what is of the wrong kind in it is left out and noted."""
    try:
        parsed = _parsed(cut, problems)
        return NodeText(
            name=_text(parsed.name),
            op_type=_text(parsed.type),
            inputs=texts(parsed.input),
            outputs=tuple(_tensor(desc) for desc in _list(parsed.output_desc)),
            subgraphs=texts(parsed.subgraph_name),
            attributes=_wanted(parsed.attr, NODE_ATTRIBUTES),
            start=cut.start,
            end=cut.start + len(cut.text),
            number=whole(parsed.id),
        )
    except msgspec.DecodeError as error:
        raise FormatError(f"{name} is broken in the operator at byte {cut.start:,}: {error}.", _AGAIN) from error


def _parsed(cut: Cut, problems: list[str]) -> _Node:
    try:
        return _node_decoder.decode(cut.text)
    except msgspec.ValidationError as error:
        problems.append(f"the operator at byte {cut.start:,} ({error})")
        return _salvaged(cut.text)


def rest(text: bytes, name: str) -> tuple[ModelText, list[GraphRest]]:
    """Reads what stands around the operators: the model, and its graphs with the numbers of their operators."""
    try:
        parsed = _rest_decoder.decode(text.removeprefix(b"\xef\xbb\xbf"))
        found = _wanted(parsed.attr, None)
    except msgspec.ValidationError as error:
        raise FormatError(f"{name} is not laid out as ATC prints a model: {error}.", _AGAIN) from error
    except msgspec.DecodeError as error:
        raise FormatError(f"{name} is broken outside of its operators: {error}.", _AGAIN) from error
    model = ModelText(
        name=_text(parsed.name),
        version=_text(parsed.version),
        custom_version=_text(parsed.custom_version),
        attributes=found,
    )
    return model, [graph for graph in _list(parsed.graph) if graph is not None]


def attributes(snapshot: Snapshot, start: int, end: int) -> Mapping[str, object]:
    """Reads everything that the file says about the operator between two bytes, fields of the operator as `op.…`."""
    try:
        fields: dict[str, Any] = msgspec.json.decode(snapshot.read(start, end))
    except msgspec.DecodeError as error:
        raise FormatError(f"{snapshot.path.name} is broken at byte {start:,}: {error}.", _AGAIN) from error
    return node_attributes({"id": 0} | fields)


def node_attributes(fields: Mapping[str, Any]) -> dict[str, object]:
    found = values.attributes(fields.get("attr"))
    for key in sorted(fields.keys() - _SHOWN_ELSEWHERE):
        value = fields[key]
        if value == []:
            continue  # the printer leaves out what is empty
        if key in ("input_desc", "output_desc"):
            value = tuple(values.tensor(desc) for desc in _list(value))
        found[f"op.{key}"] = tuple(value) if isinstance(value, list) else value
    return found


def _salvaged(text: bytes) -> _Node:
    """An operator of which some fields are not of the kind they should be: without those."""
    fields = msgspec.json.decode(text)
    kept: dict[str, object] = {}
    for key in _Node.__struct_fields__:
        try:
            value = {key: fields[key]}
            _node_decoder.decode(msgspec.json.encode(value))
        except (KeyError, msgspec.ValidationError):
            continue
        kept |= value
    return _node_decoder.decode(msgspec.json.encode(kept))


def _tensor(desc: _Desc | None) -> TensorText:
    if desc is None:
        return TensorText()
    dims = tuple(whole(dim) for dim in _list(desc.shape.dim)) if desc.shape is not None else ()
    # A scalar has no shape, but a tensor of which nothing is known has none either.
    known = bool(dims) or desc.dtype is not None
    found = _wanted(desc.attr, TENSOR_ATTRIBUTES)
    return TensorText(desc.dtype, desc.layout, dims if known else None, found, desc.attr is not None)


def _wanted(entries: list[_Entry | None] | None, keys: frozenset[str] | None) -> dict[str, object]:
    if entries is None:
        return {}
    return {
        entry.key: values.plain(msgspec.json.decode(entry.value))
        for entry in entries
        if entry is not None and entry.key is not None and (keys is None or entry.key in keys)
    }


def _list(items: list[Any] | None) -> list[Any]:
    return [] if items is None else items


def _text(value: str | int | None) -> str:
    return "" if value is None else str(value)


def texts(items: list[str | None] | None) -> tuple[str, ...]:
    return () if items is None else tuple("" if item is None else item for item in items)
