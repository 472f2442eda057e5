"""Texts about a box: on it, in its tooltip, to a screen reader."""

import re
from collections.abc import Iterator

import numpy as np

from errorflow.base.arrays import Ints
from errorflow.graph.describe import shape_text, tensor_text
from errorflow.graph.model import Graph, Tensor
from errorflow.layout.drawing import Drawing, Kind, shortened
from errorflow_viewer.canvas.whereabouts import group_round

_ROLES = {Kind.INPUT: "Input", Kind.OUTPUT: "Output", Kind.CONSTANT: "Constant"}
# A tooltip lists no more outputs than this, and of a group no more types of operators.
_OUTPUTS, _TYPES = 6, 4
# Characters of a name that one can read; text of thousands keeps Qt busy for seconds.
_LONGEST = 400
# At the end of a closed group's label.
_NODES = re.compile(r" \([\d,]+\)$")
# A word within a text such as GlobalAveragePool or self_attn; of each one, and of one alone, so many letters stay.
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_LETTERS, _LETTERS_ALONE = 3, 4


def lines_below(drawing: Drawing, graph: Graph, box: int) -> tuple[tuple[str, ...], ...]:
    """Lists what stands below the label when there is room, the most important first; each in forms from long to
    short.
    """
    kind, node = int(drawing.kinds[box]), int(drawing.nodes[box])
    if kind in _ROLES:
        return _known(_type_forms(graph.tensor(int(drawing.tensors[box]))))
    if node < 0:
        return ((_nodes(len(drawing.nodes_of_box(box))),),)
    outputs = [graph.tensor(tensor) for tensor in graph.node_outputs[node].tolist() if tensor >= 0]
    return _known(
        short_names(graph.node_names[node], graph.op_types[node]), *[_type_forms(tensor) for tensor in outputs[:1]]
    )


def short_names(name: str, op_type: str) -> tuple[str, ...]:
    """The part of a node's name that tells more than its type: the last two scopes, or the last one whole."""
    parts = [part for part in name.split("/") if part]
    if parts == [op_type]:
        return ()
    number = ""
    if len(parts) > 1 and re.fullmatch(rf"{re.escape(op_type)}(_\d+)?", parts[-1]):
        number = parts.pop()[len(op_type) :].strip("_")
    if len(parts) > 1 and parts[-1].lower() == op_type.lower():
        parts.pop()
    tail = f" · {number}" if number else ""
    both, last = "/".join(parts[-2:])[-_LONGEST:], "".join(parts[-1:])[-_LONGEST:]
    short = (cut_words(both, letters) for letters in (4, 3)) if both != last else ()
    forms = dict.fromkeys(f"{text}{tail}" for text in (both, *short, last))
    return tuple(form for form in forms if form)


def abbreviations(text: str) -> Iterator[str]:
    """Shorter ways to write a type, from long to short: the beginnings of its words, as in BatchNorm.

    Of four letters the last may go: no longer type becomes as short as that, so a Gem is a Gemm. At last the end of
    the last word goes, by which an ArgMa and an ArgMi are still told apart, or of four initials the last one.
    """
    words = _WORD.findall(text)
    longest = max(map(len, words), default=0)
    is_short = longest == _LETTERS_ALONE and not text.isupper()
    least = _LETTERS if len(words) > 1 or is_short else _LETTERS_ALONE
    for letters in range(longest - 1, least - 1, -1):
        yield cut_words(text, letters)
    last = words[-1] if words and text.endswith(words[-1]) else ""
    if len(words) > 1 and len(last) >= _LETTERS:
        yield cut_words(text, least)[:-1]
    elif text == last and text.isupper() and len(text) >= _LETTERS_ALONE:
        yield text[:-1]


def cut_words(text: str, letters: int) -> str:
    """Cuts each word to so many letters; numbers, by which things are told apart, stay."""
    return _WORD.sub(lambda word: word[0][:letters], text)


def _type_forms(tensor: Tensor) -> tuple[str, ...]:
    if tensor.shape is None:
        return (tensor.dtype,)
    return tensor_text(tensor), shape_text(tensor.shape)


def _known(*lines: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(forms for forms in lines if any(forms))


def readable(text: str) -> str:
    """Breaks a text into lines that are not too long to read."""
    return "\n".join(shortened(line, _LONGEST) for line in text.split("\n"))


def tooltip(drawing: Drawing, graph: Graph, box: int) -> str:
    """Name, type, and what comes out: a line each."""
    kind, node = int(drawing.kinds[box]), int(drawing.nodes[box])
    if kind in _ROLES:
        tensor = graph.tensor(int(drawing.tensors[box]))
        return f"{tensor.name}\n{_ROLES[Kind(kind)]}  {_type(tensor)}".rstrip()
    if node < 0:
        name = _path(drawing, int(drawing.groups[box]), _NODES.sub("", drawing.labels[box]))
        return f"{name}\n{_summary(graph, drawing.nodes_of_box(box))}"
    outputs = [graph.tensor(t) for t in graph.node_outputs[node].tolist() if t >= 0]
    rows = [f"→ {tensor.name}  {_type(tensor)}".rstrip() for tensor in outputs[:_OUTPUTS]]
    if len(outputs) > _OUTPUTS:
        rows.append(f"→ {len(outputs) - _OUTPUTS} more")
    name = graph.node_names[node] or "(no name)"
    return "\n".join(dict.fromkeys([name, graph.op_types[node], *rows]))


def group_tooltip(drawing: Drawing, graph: Graph, group: int) -> str:
    """The same of an open group."""
    mine = drawing.group_ids == group
    middles = drawing.boxes[:, :2] + drawing.boxes[:, 2:] / 2
    inside = np.zeros(len(drawing), bool)
    for x, y, width, height in drawing.group_boxes[mine].tolist():
        inside |= ((middles >= (x, y)) & (middles <= (x + width, y + height))).all(axis=1)
    shown = drawing.node_boxes >= 0
    found = np.flatnonzero(shown & inside[np.where(shown, drawing.node_boxes, 0)]).astype(np.int32)
    name = drawing.group_labels[int(np.flatnonzero(mine)[0])]
    return f"{_path(drawing, group_round(drawing, group), name)}\n{_summary(graph, found)}"


def _path(drawing: Drawing, group: int, name: str) -> str:
    """A name behind those of the groups round it."""
    names = [name]
    while group >= 0:
        names.append(drawing.group_labels[int(np.flatnonzero(drawing.group_ids == group)[0])])
        group = group_round(drawing, group)
    return " › ".join(reversed(names))


def _summary(graph: Graph, nodes: Ints) -> str:
    """Summarizes how many nodes, and of which types most are."""
    counts = np.bincount(graph.op_types.codes[nodes], minlength=1)
    most = np.argsort(-counts, kind="stable")[:_TYPES]
    parts = [f"{int(counts[code]):,} {graph.op_types.values[code]}" for code in most.tolist() if counts[code]]
    rest = len(nodes) - int(counts[most].sum())
    if rest:
        parts.append(f"{rest:,} more")
    return "\n".join(filter(None, (_nodes(len(nodes)), " · ".join(parts))))


def spoken(drawing: Drawing, graph: Graph, box: int | None) -> str:
    """The selection in a sentence."""
    if box is None:
        return f"Graph of {len(graph)} nodes, none selected."
    told = readable(tooltip(drawing, graph, box))
    return f"{drawing.labels[box]}: {told}".replace("\n", ", ").replace("→", "gives")


def spoken_group(drawing: Drawing, group: int) -> str:
    """An open group in a sentence."""
    inside = int((drawing.groups == group).sum())
    label = drawing.group_labels[drawing.group_ids.tolist().index(group)]
    return f"{label}: open group, {inside} boxes directly in it."


def _type(tensor: Tensor) -> str:
    return tensor_text(tensor) if tensor.dtype or tensor.shape is not None else ""


def _nodes(count: int) -> str:
    return f"{count:,} nodes" if count != 1 else "1 node"
