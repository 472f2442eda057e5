"""Whether a file is a ModelProto: told by its outermost fields and the beginning of its graph."""

from pathlib import Path

from errorflow.base.errors import FormatError
from errorflow.base.files import Source, is_file
from errorflow.formats.onnx.schema import GRAPH, MODEL
from errorflow.formats.onnx.window import OnnxWindow
from errorflow.formats.wire import Span, WireError, signed, varint

_MODEL = frozenset(key for name, key in vars(MODEL).items() if name.isupper())
_GRAPH = frozenset(key for name, key in vars(GRAPH).items() if name.isupper())
# Fields that a later version of ONNX may add lie right above the known ones; other formats use far higher numbers.
_KNOWN, _NEWEST = 26, 64
_MOST_FIELDS = 1024
_GRAPH_FIELDS = 8
_MAX_IR_VERSION = 1000
_MAX_TEXT = 1000
_TEXTS = (MODEL.PRODUCER_NAME, MODEL.PRODUCER_VERSION, MODEL.DOMAIN)
# A field that reaches beyond the end of the file is no reason to refuse it here.
_ANYWHERE = 1 << 65


def can_be_run(path: Path) -> bool:
    """Whether it is a model of the kind that is run."""
    if not is_file(path):
        return False
    with Source(path) as source:
        return is_onnx(source)


def is_onnx(source: Source) -> bool:
    """True for an ONNX model, also for one that is cut off or spoiled behind its beginning."""
    window = OnnxWindow(source)
    try:
        return _is_model(window)
    except WireError:
        return False


def _is_model(window: OnnxWindow) -> bool:
    seen: dict[int, Span] = {}
    pos = count = 0
    while pos < window.size and count < _MOST_FIELDS:
        field = _head(window, pos)
        if field is None:
            break
        key, start, pos = field
        if not _may_be(window, *field):
            return False
        if key == MODEL.GRAPH and not _is_graph(window, start, min(pos, window.size)):
            return False
        seen[key] = start, pos
        if MODEL.GRAPH in seen and MODEL.IR_VERSION in seen:
            return True
        count += 1
    if MODEL.GRAPH in seen:
        return pos == window.size and MODEL.OPSET_IMPORT in seen
    return count < _MOST_FIELDS and _begins_model(window, seen)


def _head(window: OnnxWindow, pos: int) -> tuple[int, int, int] | None:
    """The field at `pos`, None where the file ends within its head."""
    try:
        return window.head(pos, _ANYWHERE)
    except FormatError:
        return None


def _may_be(window: OnnxWindow, key: int, start: int, stop: int) -> bool:
    if key == MODEL.IR_VERSION:
        return 0 <= signed(varint(window.copy(start, stop), 0)[0]) <= _MAX_IR_VERSION
    return key in _MODEL or _KNOWN < key >> 3 <= _NEWEST


def _is_graph(window: OnnxWindow, pos: int, end: int) -> bool:
    for _ in range(_GRAPH_FIELDS):
        field = _head(window, pos) if pos < end else None
        if field is None:
            break
        key, _, pos = field
        if key not in _GRAPH:
            return False
    return True


def _begins_model(window: OnnxWindow, seen: dict[int, Span]) -> bool:
    """Cut off before the graph: a version, then who made it, in readable words."""
    texts = [seen[key] for key in _TEXTS if key in seen]
    return MODEL.IR_VERSION in seen and bool(texts) and all(_is_readable(window, *span) for span in texts)


def _is_readable(window: OnnxWindow, start: int, stop: int) -> bool:
    if stop - start > _MAX_TEXT:
        return False
    return window.copy(start, min(stop, window.size)).decode("utf-8", "replace").isprintable()
