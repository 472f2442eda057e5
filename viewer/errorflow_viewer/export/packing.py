"""A picture as plain data and back, to be painted in another process."""

from dataclasses import fields, replace

import numpy as np

from errorflow.base.arrays import CodedColumn, Ragged
from errorflow.base.values import word_list
from errorflow.base.workers import Plain
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow.layout.prepare import sealed
from errorflow.report.box_signs import BoxSigns
from errorflow.report.caption import Caption
from errorflow.report.fold import BoxErrors
from errorflow.report.paint import Paint
from errorflow.report.svg import Picture

# Of a graph: names, types and shapes, what each node makes, and who reads it.
_GRAPH = word_list(
    "node_names op_types tensor_names dtypes shapes layouts original_layouts original_shapes node_inputs "
    "node_outputs producers"
)
_ARRAY, _COLUMN, _RAGGED, _TUPLE = "array", "column", "ragged", "tuple"


def packed(picture: Picture) -> list[Plain]:
    drawing = [_packed(getattr(picture.drawing, field.name)) for field in fields(Drawing)]
    graph = [_packed(getattr(picture.graph, name)) for name in _GRAPH]
    return [drawing, graph, sound(picture.title), sound(picture.note), *_packed_rest(picture)]


def unpacked(data: list[Plain]) -> Picture:
    """The same picture. Its graph holds no more than the painter needs."""
    match data:
        case [list(drawing), list(graph), str(title), str(note), list(paint), list(told), str(end)]:
            names = [field.name for field in fields(Drawing)]
            made = Drawing(**_named(names, drawing))  # type: ignore[arg-type]  # they were that before they were packed
            caption = Caption(tuple(map(str, told)), end)
            return Picture(sealed(made), _graph(graph), title, note, paint=_paint(paint), caption=caption)
    raise ValueError("this was not packed here")


def _packed_rest(picture: Picture) -> tuple[Plain, ...]:
    told: list[Plain] = [sound(text) for text in picture.caption.told]
    return _packed_paint(picture.paint), told, sound(picture.caption.end)


def _packed_paint(paint: Paint | None) -> list[Plain]:
    """Empty: there is none. What the pointer is told stays behind."""
    if paint is None:
        return []
    errors = [_packed(getattr(paint.errors, field.name)) for field in fields(BoxErrors)]
    signs = paint.signs
    beside = [] if signs is None else [_packed(getattr(signs, field.name)) for field in fields(BoxSigns)]
    words: list[Plain] = [
        paint.measure,
        paint.formula,
        paint.good,
        paint.bad,
        paint.bar,
        paint.told_from,
        paint.palette,
    ]
    return [errors, beside, _packed(paint.tints), words]


def _paint(values: list[Plain]) -> Paint | None:
    match values:
        case [list(errors), list(beside), tints, [*words, palette]]:
            measure, formula, good, bad, bar, told_from = map(str, words)
            names, others = ([field.name for field in fields(sort)] for sort in (BoxErrors, BoxSigns))
            signs = BoxSigns(**_named(others, beside)) if beside else None  # type: ignore[arg-type]  # see above
            made = BoxErrors(**_named(names, errors))  # type: ignore[arg-type]  # see above
            paint = Paint(made, measure, formula, good, bad, signs=signs, bar=bar, told_from=told_from)
            return replace(paint, tints=_unpacked(tints), palette=palette)  # type: ignore[arg-type]  # see above
    return None


def _graph(values: list[Plain]) -> Graph:
    return replace(GraphBuilder().build(), **_named(_GRAPH, values))  # type: ignore[arg-type]  # see above


def _named(names: "list[str] | tuple[str, ...]", values: list[Plain]) -> dict[str, object]:
    return {name: _unpacked(value) for name, value in zip(names, values, strict=True)}


def sound(text: str) -> str:
    """A text that a message can hold: half a character, as names of files and tensors may have, becomes a sign."""
    return text.encode("utf-8", "replace").decode()


def _packed(value: object) -> Plain:
    if isinstance(value, np.ndarray):
        return [_ARRAY, str(value.dtype), list(value.shape), value.tobytes()]
    if isinstance(value, CodedColumn):
        return [_COLUMN, _packed(value.codes), _packed(value.values)]
    if isinstance(value, Ragged):
        return [_RAGGED, _packed(value.starts), _packed(value.values)]
    if isinstance(value, tuple):
        return [_TUPLE, [_packed(each) for each in value]]
    if isinstance(value, str):
        return sound(value)
    assert value is None or isinstance(value, int | float), "all that drawings and graphs are made of"
    return value


def _unpacked(value: Plain) -> object:
    match value:
        case [str(kind), str(dtype), list(shape), bytes(data)] if kind == _ARRAY:
            return np.frombuffer(data, dtype).reshape([int(side) for side in shape if isinstance(side, int)])
        case [str(kind), first, second] if kind == _COLUMN:
            return CodedColumn(_unpacked(first), _unpacked(second))  # type: ignore[arg-type]  # see above
        case [str(kind), first, second] if kind == _RAGGED:
            return Ragged(_unpacked(first), _unpacked(second))  # type: ignore[arg-type]  # see above
        case [str(kind), list(values)] if kind == _TUPLE:
            return tuple([_unpacked(each) for each in values])
    return value
