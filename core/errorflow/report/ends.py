"""Where a line goes on elsewhere: a chevron where a column is cut, a dot where only a short piece of it is drawn."""

from collections.abc import Iterator
from html import escape

from errorflow.draw.svg import number
from errorflow.draw.text import clean
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow.report.notes import counted, tensor_note

# Half a chevron's width and its height, and a dot's radius, in px.
_WIDE, _HIGH, _DOT = 3.5, 4.0, 2.5
_DOWN = f"l{_WIDE:g} {_HIGH:g}l{_WIDE:g} {-_HIGH:g}"
_RIGHT = f"l{_HIGH:g} {_WIDE:g}l{-_HIGH:g} {_WIDE:g}"


def ends(drawing: Drawing, graph: Graph) -> Iterator[str]:
    yield from _cuts(drawing, graph)
    yield from _stubs(drawing, graph)


def _cuts(drawing: Drawing, graph: Graph) -> Iterator[str]:
    """Of columns, or of rows where the flow runs to the right."""
    word = "row" if drawing.across else "column"
    back = (_HIGH / 2, _WIDE) if drawing.across else (_WIDE, _HIGH / 2)
    way = _RIGHT if drawing.across else _DOWN
    rows = zip(drawing.marks.tolist(), drawing.mark_tensors.tolist(), drawing.mark_ends.tolist(), strict=True)
    for (x, y), tensor, ahead in rows:
        words = f"goes on in the next {word}" if ahead else f"comes from the {word} before"
        start = f"M{number(x - back[0])} {number(y - back[1])}"
        yield f'<path class="cut" d="{start}{way}">{_title(graph, tensor, words)}</path>\n'


def _stubs(drawing: Drawing, graph: Graph) -> Iterator[str]:
    rows = zip(drawing.stubs.tolist(), drawing.stub_tensors.tolist(), drawing.stub_ends.tolist(), strict=True)
    for (x, y), tensor, leaving in rows:
        place = f'cx="{number(x)}" cy="{number(y)}" r="{_DOT:g}"'
        words = _readers(graph, tensor) if leaving else _maker(graph, tensor)
        yield f'<circle class="stub" {place}>{_title(graph, tensor, words)}</circle>\n'


def _readers(graph: Graph, tensor: int) -> str:
    return f"read by {counted(len(graph.consumers[tensor]), 'node')}" if tensor >= 0 else "goes on elsewhere"


def _maker(graph: Graph, tensor: int) -> str:
    maker = int(graph.producers[tensor]) if tensor >= 0 else -1
    return f"made by {graph.node_names[maker]}" if maker >= 0 and graph.node_names[maker] else "comes from elsewhere"


def _title(graph: Graph, tensor: int, words: str) -> str:
    name = tensor_note(graph, tensor) if tensor >= 0 else "control edge"
    return f"<title>{escape(clean(f'{name}{chr(10)}{words}'))}</title>"
