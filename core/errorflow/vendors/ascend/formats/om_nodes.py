"""Plain data of one operator of an offline model: only what building needs is decoded."""

from errorflow.formats.compiled import NODE_ATTRIBUTES, TENSOR_ATTRIBUTES, ConstantPlace, NodeText, TensorText, whole
from errorflow.formats.ge_names import dtype_name
from errorflow.vendors.ascend.formats import values
from errorflow.vendors.ascend.formats.messages import MAX_ITEMS, MESSAGE_ITEMS, Decoder

_NAME, _TYPE, _INPUT, _ATTRIBUTE, _NUMBER, _OUTPUT, _SUBGRAPH = 1, 2, 5, 10, 21, 34, 35
_DTYPE, _SHAPE, _LAYOUT, _TENSOR_ATTRIBUTE = 2, 3, 4, 5
_WEIGHT, _DESC, _DATA = 12, 1, 2
_VALUE = "value"
Range = tuple[int, int]
_MAX_FIELDS = MAX_ITEMS // MESSAGE_ITEMS
_NODE_KEYS = NODE_ATTRIBUTES | {_VALUE}


def node(decoder: Decoder, start: int, end: int) -> NodeText:
    """The operator between two places of the file."""
    window = decoder.window
    texts: dict[int, list[str]] = {_NAME: [], _TYPE: [], _INPUT: [], _SUBGRAPH: []}
    outputs: list[TensorText] = []
    found: dict[str, Range] = {}
    place = 0
    for count, (number, begin, stop) in enumerate(window.fields(start, end)):
        if count > _MAX_FIELDS:
            raise window.broken(begin)
        if number == _ATTRIBUTE:
            stored, inside, outside = window.entry(begin, stop)
            key = decoder.dictionary.name(stored)
            if key in _NODE_KEYS:
                found[key] = (inside, outside)
        elif number in texts:
            texts[number].append(window.copy(begin, stop).decode(errors="replace"))
        elif number == _OUTPUT:
            outputs.append(_tensor(decoder, begin, stop))
        elif number == _NUMBER:
            place = window.number(begin, stop)
    value = found.pop(_VALUE, None)
    return NodeText(
        name=_last(texts[_NAME]),
        op_type=_last(texts[_TYPE]),
        inputs=tuple(texts[_INPUT]),
        outputs=tuple(outputs),
        subgraphs=tuple(texts[_SUBGRAPH]),
        attributes={key: values.plain(decoder.value(key, *span)) for key, span in found.items()},
        start=start,
        end=end,
        number=place,
        constant=None if value is None else _constant(decoder, *value),
    )


def _tensor(decoder: Decoder, start: int, end: int) -> TensorText:
    window, dims = decoder.window, list[int]()
    dtype, layout, attributes, described = 0, "", dict[str, object](), False
    for number, begin, stop in window.fields(start, end):
        if number == _DTYPE:
            dtype = window.number(begin, stop)
        elif number == _LAYOUT:
            layout = window.copy(begin, stop).decode(errors="replace")
        elif number == _SHAPE:
            dims = decoder.message("Shape", begin, stop).get("dim", [])
        elif number == _TENSOR_ATTRIBUTE:
            described = True
            stored, inside, outside = window.entry(begin, stop)
            key = decoder.dictionary.name(stored)
            if key in TENSOR_ATTRIBUTES:
                attributes[key] = values.plain(decoder.value(key, inside, outside))
    # A scalar has no shape, but a tensor of which nothing is known has none either.
    return TensorText(dtype, layout, tuple(dims) if dims or dtype else None, attributes, described)


def _constant(decoder: Decoder, start: int, end: int) -> ConstantPlace | None:
    """Reads what the attribute `value` of a constant says of its type and shape, and where the bytes are."""
    window, data, desc = decoder.window, (0, 0), dict[str, object]()
    for number, begin, stop in window.fields(start, end):
        if number != _WEIGHT:
            return None
        for inner, inside, outside in window.fields(begin, stop):
            if inner == _DATA:
                data = (inside, outside)
            elif inner == _DESC:
                desc = decoder.message("Tensor", inside, outside)
    inline = data[1] > data[0]
    merged = values.attributes(desc.get("attr")).get("merged_offset", desc.get("data_offset", 0))
    return ConstantPlace(
        dtype=dtype_name(desc.get("dtype", 0)),
        shape=values.dims(desc.get("shape")),
        start=data[0] if inline else whole(merged),
        nbytes=data[1] - data[0] if inline else whole(desc.get("weight_size", 0)),
        inline=inline,
    )


def _last(texts: list[str]) -> str:
    return texts[-1] if texts else ""
