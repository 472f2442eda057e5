"""What is said about a box: on it, in its tooltip, to a screen reader."""

import re

from errorflow.describe import tensor_text
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing, Kind

_ROLES = {Kind.INPUT: "Input", Kind.OUTPUT: "Output", Kind.CONSTANT: "Constant"}
# A tooltip lists no more outputs than this.
_OUTPUTS = 6


def lines_below(drawing: Drawing, graph: Graph, box: int) -> tuple[str, ...]:
    """What stands below the label when there is room, the most important first."""
    kind, node = int(drawing.kinds[box]), int(drawing.nodes[box])
    if kind in _ROLES:
        return (tensor_text(graph.tensor(int(drawing.tensors[box]))),)
    if node < 0:
        return (_count(drawing, box),)
    name = short_name(graph.node_names[node], graph.op_types[node])
    outputs = [tensor_text(graph.tensor(tensor)) for tensor in graph.node_outputs[node].tolist() if tensor >= 0]
    return tuple(text for text in (name, *outputs[:1]) if text)


def short_name(name: str, op_type: str) -> str:
    """The part of a node's name that tells more than its type: the last scopes, without a trailing type and number."""
    parts = [part for part in name.split("/") if part]
    if len(parts) > 1 and re.fullmatch(rf"{re.escape(op_type)}(_\d+)?", parts[-1]):
        number = parts[-1][len(op_type) :].strip("_")
        parts = parts[:-1]
        return "/".join(parts[-2:]) + (f" · {number}" if number else "")
    return "/".join(parts[-2:])


def tooltip(drawing: Drawing, graph: Graph, box: int) -> str:
    """Name, type, and what comes out: a line each."""
    kind, node = int(drawing.kinds[box]), int(drawing.nodes[box])
    if kind in _ROLES:
        tensor = graph.tensor(int(drawing.tensors[box]))
        return f"{tensor.name}\n{_ROLES[Kind(kind)]}  {tensor_text(tensor)}".rstrip()
    if node < 0:
        return f"{drawing.labels[box]}\n{_count(drawing, box)}"
    shown = graph.node(node)
    outputs = [graph.tensor(t) for t in graph.node_outputs[node].tolist() if t >= 0]
    rows = [f"→ {tensor.name}  {tensor_text(tensor)}".rstrip() for tensor in outputs[:_OUTPUTS]]
    if len(outputs) > _OUTPUTS:
        rows.append(f"→ {len(outputs) - _OUTPUTS} more")
    return "\n".join([shown.name or "(no name)", shown.op_type, *rows])


def spoken(drawing: Drawing, graph: Graph, box: int | None) -> str:
    """The selection in a sentence."""
    if box is None:
        return f"Graph of {len(graph)} nodes, none selected."
    return f"{drawing.labels[box]}: {tooltip(drawing, graph, box)}".replace("\n", ", ").replace("→", "gives")


def _count(drawing: Drawing, box: int) -> str:
    count = len(drawing.nodes_of_box(box))
    return f"{count} nodes" if count != 1 else "1 node"
