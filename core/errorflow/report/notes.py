"""Notes on a picture, and on each of its boxes: its name, its type, and what comes out."""

from errorflow.graph.describe import tensor_text
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing, Kind

_ROLES = {Kind.INPUT: "Input", Kind.OUTPUT: "Output", Kind.CONSTANT: "Constant"}
# More outputs are counted.
_OUTPUTS = 6


def drawing_note(graph: Graph, drawing: Drawing) -> str:
    """Says how much there is, in a line."""
    drawn, closed = int((drawing.node_boxes >= 0).sum()), int((drawing.folds >= 0).sum())
    parts = [counted(drawn, "node")]
    if drawn < len(graph):
        parts.append(f"{counted(len(graph) - drawn, 'node')} of constants left out")
    if closed:
        parts.append(f"{counted(closed, 'group')} closed")
    return " · ".join(parts)


def counted(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def box_note(drawing: Drawing, graph: Graph, box: int) -> str:
    """A line each."""
    kind, node = int(drawing.kinds[box]), int(drawing.nodes[box])
    if kind in _ROLES:
        return f"{tensor_note(graph, int(drawing.tensors[box]))}\n{_ROLES[Kind(kind)]}"
    if node < 0:
        count = len(drawing.nodes_of_box(box))
        return f"{drawing.labels[box]}\n{count:,} node{'' if count == 1 else 's'}"
    outputs = [tensor for tensor in graph.node_outputs[node].tolist() if tensor >= 0]
    rows = [f"→ {tensor_note(graph, tensor)}" for tensor in outputs[:_OUTPUTS]]
    if len(outputs) > _OUTPUTS:
        rows.append(f"→ {len(outputs) - _OUTPUTS:,} more")
    return "\n".join([graph.node_names[node], graph.op_types[node], *rows]).lstrip("\n")


def tensor_note(graph: Graph, tensor: int) -> str:
    """Name, type and shape as far as they are known."""
    shown = graph.tensor(tensor)
    known = tensor_text(shown) if shown.dtype or shown.shape is not None else ""
    return f"{shown.name}  {known}".rstrip()
