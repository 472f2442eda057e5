"""Whether a file is a ModelProto: told by its outermost fields and the beginning of its graph."""

from errorflow.files import Source
from errorflow.formats.onnx.schema import GRAPH, MODEL
from errorflow.formats.protobuf import BYTES, VARINT, Field, fields

# Number and wire type of everything that may stand in a ModelProto and in a GraphProto.
_MODEL = {(key >> 3, key & 7) for name, key in vars(MODEL).items() if name.isupper()}
_GRAPH = {(key >> 3, key & 7) for name, key in vars(GRAPH).items() if name.isupper()}
# Fields that a later version of ONNX may add lie above the known ones; other formats use far higher numbers.
_KNOWN, _NEWEST = 26, 64
_FIELDS = 1024
_GRAPH_FIELDS = 8
_MAX_IR_VERSION = 1000
_MAX_TEXT = 1000


def is_onnx(source: Source) -> bool:
    """True for a whole ONNX model, and for the beginning of one."""
    found = fields(source, limit=_FIELDS)
    if not found or not all(_may_be(field) for field in found):
        return False
    graphs = [field for field in found if field.number == MODEL.GRAPH >> 3]
    if graphs:
        return _is_graph(source, graphs[0])
    return _begins_model(source, found)


def _may_be(field: Field) -> bool:
    if field.number == MODEL.IR_VERSION >> 3 and field.size > _MAX_IR_VERSION:
        return False
    return (field.number, field.wire) in _MODEL or _KNOWN < field.number <= _NEWEST


def _is_graph(source: Source, field: Field) -> bool:
    end = min(field.start + field.size, source.size)
    if field.start >= end:
        return True
    inner = fields(source, field.start, end, limit=_GRAPH_FIELDS)
    return inner is not None and all((part.number, part.wire) in _GRAPH for part in inner)


def _begins_model(source: Source, found: list[Field]) -> bool:
    """Cut off before the graph: a version, then who made it, in readable words."""
    if (found[0].number, found[0].wire) != (1, VARINT) or len(found) < 2:
        return False
    texts = [field for field in found if field.wire == BYTES and field.number in (2, 3, 4)]
    cut_off = found[-1].start + found[-1].size >= source.size
    return cut_off and bool(texts) and all(_readable(source, field) for field in texts)


def _readable(source: Source, field: Field) -> bool:
    count = min(field.size, source.size - field.start)
    return field.size <= _MAX_TEXT and source.read(field.start, max(count, 0)).decode("utf-8", "replace").isprintable()
