"""What is said about a box: on it, in its tooltip, to a screen reader."""

import re

from errorflow.describe import shape_text, tensor_text
from errorflow.graph.model import Graph, Tensor
from errorflow.layout.drawing import Drawing, Kind

_ROLES = {Kind.INPUT: "Input", Kind.OUTPUT: "Output", Kind.CONSTANT: "Constant"}
# A tooltip lists no more outputs than this.
_OUTPUTS = 6


def lines_below(drawing: Drawing, graph: Graph, box: int) -> tuple[tuple[str, ...], ...]:
    """What stands below the label when there is room, the most important first; each in forms from long to short."""
    kind, node = int(drawing.kinds[box]), int(drawing.nodes[box])
    if kind in _ROLES:
        return _known(_type_forms(graph.tensor(int(drawing.tensors[box]))))
    if node < 0:
        return ((_count(drawing, box),),)
    outputs = [graph.tensor(tensor) for tensor in graph.node_outputs[node].tolist() if tensor >= 0]
    return _known(
        short_names(graph.node_names[node], graph.op_types[node]), *[_type_forms(tensor) for tensor in outputs[:1]]
    )


def short_names(name: str, op_type: str) -> tuple[str, ...]:
    """The part of a node's name that tells more than its type: the last two scopes, or only the last."""
    parts = [part for part in name.split("/") if part]
    number = ""
    if len(parts) > 1 and re.fullmatch(rf"{re.escape(op_type)}(_\d+)?", parts[-1]):
        number = parts.pop()[len(op_type) :].strip("_")
    tail = f" · {number}" if number else ""
    forms = ("/".join(parts[-2:]) + tail, "".join(parts[-1:]) + tail)
    return tuple(dict.fromkeys(form for form in forms if form))


def _type_forms(tensor: Tensor) -> tuple[str, ...]:
    if tensor.shape is None:
        return (tensor.dtype,)
    return tensor_text(tensor), shape_text(tensor.shape)


def _known(*lines: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(forms for forms in lines if any(forms))


def tooltip(drawing: Drawing, graph: Graph, box: int) -> str:
    """Name, type, and what comes out: a line each."""
    kind, node = int(drawing.kinds[box]), int(drawing.nodes[box])
    if kind in _ROLES:
        tensor = graph.tensor(int(drawing.tensors[box]))
        return f"{tensor.name}\n{_ROLES[Kind(kind)]}  {_type(tensor)}".rstrip()
    if node < 0:
        return f"{drawing.labels[box]}\n{_count(drawing, box)}"
    shown = graph.node(node)
    outputs = [graph.tensor(t) for t in graph.node_outputs[node].tolist() if t >= 0]
    rows = [f"→ {tensor.name}  {_type(tensor)}".rstrip() for tensor in outputs[:_OUTPUTS]]
    if len(outputs) > _OUTPUTS:
        rows.append(f"→ {len(outputs) - _OUTPUTS} more")
    return "\n".join([shown.name or "(no name)", shown.op_type, *rows])


def spoken(drawing: Drawing, graph: Graph, box: int | None) -> str:
    """The selection in a sentence."""
    if box is None:
        return f"Graph of {len(graph)} nodes, none selected."
    return f"{drawing.labels[box]}: {tooltip(drawing, graph, box)}".replace("\n", ", ").replace("→", "gives")


def spoken_group(drawing: Drawing, group: int) -> str:
    """An open group in a sentence."""
    inside = int((drawing.groups == group).sum())
    label = drawing.group_labels[drawing.group_ids.tolist().index(group)]
    return f"{label}: open group, {inside} boxes directly in it."


def _type(tensor: Tensor) -> str:
    return tensor_text(tensor) if tensor.dtype or tensor.shape is not None else ""


def _count(drawing: Drawing, box: int) -> str:
    count = len(drawing.nodes_of_box(box))
    return f"{count} nodes" if count != 1 else "1 node"
