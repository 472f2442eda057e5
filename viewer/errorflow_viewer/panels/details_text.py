"""What the details panel says about a node, a tensor or a whole model."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from errorflow.base.arrays import Ints, Ragged
from errorflow.base.language import Verbatim, say
from errorflow.graph.describe import facts, known_text, shape_text, size_text, tensor_text, without_made_up
from errorflow.graph.model import Graph, Model, Node, Shape, Tensor
from errorflow_viewer.document.node_rows import rows_of
from errorflow_viewer.document.state import Place
from errorflow_viewer.panels.attributes import Expanded, attribute_sections, cut_line
from errorflow_viewer.panels.neighbours import (
    Around,
    body_link,
    body_readers,
    node_link,
    origin_text,
    readers_text,
    role,
)
from errorflow_viewer.panels.sections import Line, Section, counted, hinted, link, plain, soft

if TYPE_CHECKING:
    from errorflow.explain.findings.model import Findings

# Longer lists are cut, with a link that shows all; of a whole graph or a group sooner, as more follows below them.
MANY, FEW = 40, 6
# A list with so few more is not worth cutting.
_SPARE = 2

Page = tuple[str, str, list[Section]]


def node_page(
    model: Model,
    around: Around,
    index: int,
    expanded: Expanded,
    drawn_with: int | None = None,
    findings: "Findings | None" = None,
) -> Page:
    """Title, subtitle and sections for one node. `drawn_with`: the node at which it is seen if it has no box."""
    graph = around.graph
    node = graph.node(index)
    subtitle = f"{node.op_type} · {node.domain}" if node.domain else node.op_type
    seen = _of_graph(findings, graph)
    sections = [
        Section("", tuple(_function_lines(model, node))),
        _drawn_section(graph, drawn_with),
        _behind_section(graph, graph.node_outputs[index].tolist(), seen),
        Section("Stands for", tuple(_origin_lines(node, expanded))),
        _tensors("Outputs", "outputs", around, graph.node_outputs[index].tolist(), expanded, index, findings=seen),
        _tensors("Inputs", "inputs", around, graph.node_inputs[index].tolist(), expanded, index, findings=seen),
        Section("Subgraphs", tuple(_body_lines(graph, node))),
        Section("Runs after", tuple(_waits_lines(graph, node))),
        *attribute_sections(graph, node, expanded),
    ]
    return Verbatim(node.title), Verbatim(subtitle), sections


def tensor_page(around: Around, index: int, drawn_with: int | None = None, findings: "Findings | None" = None) -> Page:
    """Title, subtitle and sections for one tensor, as for a node."""
    graph = around.graph
    tensor = graph.tensor(index)
    unknown = soft("not known")
    seen = _of_graph(findings, graph)
    shown = tensor if seen is None else replace(tensor, shape=seen.shape(index))
    tip = _tip(tensor, shown, shape_text(tensor.shape))
    shape = hinted(shape_text(without_made_up(shown.shape)), tip)
    lines = [Line("Shape", unknown if shown.shape is None else shape)]
    lines.append(Line("Type", plain(tensor.dtype) if tensor.dtype else unknown))
    lines += _recorded(graph, index)
    made, read = int(graph.producers[index]), graph.consumers[index].tolist()
    readers = [*(node_link(graph, node) for node in read), *(body_link(graph, n) for n in body_readers(graph, index))]
    source = (
        node_link(graph, made) if made >= 0 else "" if around.outside(index) is None else origin_text(around, index)
    )
    sections = [
        _drawn_section(graph, drawn_with),
        _behind_section(graph, [index], seen),
        Section("Tensor", tuple(lines)),
        Section("Made by", (Line("", source),) if source else ()),
        Section("Read by", tuple(Line("", reader) for reader in readers[: MANY * 5])),
    ]
    return Verbatim(tensor.name), role(graph, index), sections


def _of_graph(findings: "Findings | None", graph: Graph) -> "Findings | None":
    """None: they are of another graph than the one on view."""
    return None if findings is None or findings.graph.tensor_names != graph.tensor_names else findings


def _tip(tensor: Tensor, shown: Tensor, text: str) -> str:
    """What the model says of a tensor, in full."""
    if shown.shape == tensor.shape:
        return text
    return f"In the run; the model says {text}" if tensor.shape is not None else "In the run; the model does not say it"


def _drawn_section(graph: Graph, drawn_with: int | None) -> Section:
    lines = () if drawn_with is None else (Line("Drawn with", node_link(graph, drawn_with)),)
    return Section("In the graph", lines)


def _behind_section(graph: Graph, tensors: Sequence[int], findings: "Findings | None") -> Section:
    """Where was measured what was not measured itself."""
    if findings is None:
        return Section("Measured", ())
    behind = findings.placed.behind
    makers = dict.fromkeys(int(graph.producers[behind[tensor]]) for tensor in tensors if tensor in behind)
    lines = (Line(f"Behind its {graph.op_types[node]}", node_link(graph, node)) for node in makers)
    return Section("Measured", tuple(lines))


def group_page(around: Around, name: str, nodes: Ints, drawn: int, expanded: Expanded) -> Page:
    """Title, subtitle and sections for a group of nodes: what goes in and out of it, and what it is made of."""
    graph = around.graph
    count = f"Group of {counted(len(nodes), 'node', drawn)}"
    inside = np.zeros(len(graph), bool)
    inside[nodes] = True
    read = _distinct(graph.node_inputs, inside)
    made = _distinct(graph.node_outputs, inside)
    given = set(graph.outputs.tolist())
    constants = set(graph.constants.tolist())
    leaving = [t for t in made if t in given or not inside[graph.consumers[t]].all()]
    own = inside | ~rows_of(graph).drawn  # what makes constants is drawn with what reads them
    entering = [t for t in read if t not in constants and (graph.producers[t] < 0 or not own[graph.producers[t]])]
    sections = [
        _tensors("Inputs", "inputs", around, entering, expanded, most=FEW),
        _tensors("Outputs", "outputs", around, leaving, expanded, most=FEW),
        _operators(Counter(graph.op_types[node] for node in nodes.tolist())),
    ]
    return Verbatim(name), count, sections


def _distinct(rows: Ragged, of: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> list[int]:
    """What some rows hold, each once, without what is left out."""
    values = rows.values[of[rows.owners()] & (rows.values >= 0)]
    return list(dict.fromkeys(values.tolist()))


def model_page(
    model: Model,
    around: Around,
    place: Place,
    expanded: Expanded,
    drawn: int | None = None,
    weights: tuple[int, int] | None = None,
) -> Page:
    """Title, subtitle and sections for what is on view while nothing is selected. `drawn`: how many nodes are."""
    graph = around.graph
    if place == Place():
        return Verbatim(model.path.name), model.format, list(_fact_sections(model, around, expanded, drawn, weights))
    count = counted(len(graph), "node", drawn)
    title = Verbatim(graph.name) if graph.name else "Subgraph"
    sections = [
        _tensors("Inputs", "inputs", around, graph.inputs.tolist(), expanded, most=FEW),
        _tensors("Outputs", "outputs", around, graph.outputs.tolist(), expanded, most=FEW),
        _operators(graph.op_types.counts()),
    ]
    return title, count, sections


def _fact_sections(
    model: Model, around: Around, expanded: Expanded, drawn: int | None, weights: tuple[int, int] | None
) -> Iterator[Section]:
    rows: dict[str, list[Line]] = {}
    for fact in facts(model, weights):
        if fact.section not in ("Problems", "Inputs", "Outputs", "Operators"):
            nodes = (fact.section, fact.label) == ("Graph", "Nodes")
            value = counted(len(around.graph), "", drawn) if nodes else fact.value
            line = cut_line(fact.label, value, f"fact {fact.label}", expanded)
            rows.setdefault(fact.section, []).append(line)
    for title, lines in rows.items():
        yield Section(title, tuple(lines))
    graph = model.graph
    yield _tensors("Inputs", "inputs", around, graph.inputs.tolist(), expanded, most=FEW)
    yield _tensors("Outputs", "outputs", around, graph.outputs.tolist(), expanded, most=FEW)
    functions = (Line("", link(f"function:{i}", Verbatim(f.name))) for i, f in enumerate(model.functions[:MANY]))
    yield Section("Functions", tuple(functions))
    yield _operators(graph.op_types.counts())
    count = len(model.problems)
    if count:
        text = "1 problem in the file" if count == 1 else f"{count:,} problems in the file"
        yield Section("Problems", (Line("", link("problems:", text)),))


def _operators(counts: Mapping[str, int]) -> Section:
    rows = sorted(counts.items(), key=lambda row: -row[1])
    lines = (Line(Verbatim(op_type), link(f'search:type:"{op_type}"', f"{count:,}")) for op_type, count in rows)
    return Section("Operators", tuple(lines), share=75)


def _tensors(
    title: str,
    key: str,
    around: Around,
    tensors: Sequence[int],
    expanded: Expanded,
    from_node: int = -1,
    most: int = MANY,
    findings: "Findings | None" = None,
) -> Section:
    shown = tensors if key in expanded or len(tensors) <= most + _SPARE else tensors[:most]
    lines = [
        Line(str(i) if len(tensors) > 1 else "", _tensor_text(around, tensor, from_node, findings))
        for i, tensor in enumerate(shown)
    ]
    if len(shown) < len(tensors):
        lines.append(Line("", link(f"more:{key}", f"Show all {len(tensors):,}")))
    return Section(title, tuple(lines), share=14)


def _tensor_text(around: Around, index: int, from_node: int, findings: "Findings | None" = None) -> str:
    if index < 0:
        return soft("left out")
    graph = around.graph
    tensor = graph.tensor(index)
    parts = [link(f"tensor:{index}", Verbatim(tensor.name))]
    parts.append(_type_text(tensor, tensor.shape if findings is None else findings.shape(index)))
    parts += [f"{soft(line.label)} {line.value}" for line in _recorded(graph, index)]
    parts.append(_neighbours(around, index, from_node))
    return "<br>".join(parts)


def _type_text(tensor: Tensor, shape: Shape) -> str:
    """Type and shape, which may be that of the run; the tooltip has what the model says of it in full."""
    shown = replace(tensor, shape=shape)
    known = known_text(shown)
    return soft("shape not known") if known in ("", "?") else hinted(known, _tip(tensor, shown, tensor_text(tensor)))


def _neighbours(around: Around, index: int, from_node: int) -> str:
    """Who makes the tensor, or for what the node itself makes, who reads it."""
    graph = around.graph
    made = int(graph.producers[index])
    if made >= 0 and made != from_node:
        return f"{soft('from')} {node_link(graph, made)}"
    if made < 0:
        return origin_text(around, index)
    readers = readers_text(graph, index, besides=from_node)
    return readers if readers else soft(role(graph, index).lower())


def _recorded(graph: Graph, index: int) -> list[Line]:
    """What the file says of a tensor beyond type and shape: layout, what it was before the compiler, its bytes."""
    tensor = graph.tensor(index)
    lines = []
    if tensor.layout:
        lines.append(Line("Layout", plain(tensor.layout)))
    if tensor.original_layout or tensor.original_shape is not None:
        before = [tensor.original_layout]
        if tensor.original_shape is not None:
            before.append(shape_text(tensor.original_shape))
        lines.append(Line("Originally", plain(" ".join(part for part in before if part))))
    if tensor.origin is not None:
        lines.append(Line("Stands for", plain(Verbatim(f"{tensor.origin.name}:{tensor.origin.index}"))))
    if index in graph.constants:
        lines += _weight_lines(graph, tensor.name)
    return lines


def _weight_lines(graph: Graph, name: str) -> list[Line]:
    try:
        weight = graph.weights.info(name)
    except KeyError:  # a constant without values in this file
        return []
    lines = [Line("Size", plain(size_text(weight.nbytes)))]
    if weight.location:
        lines.append(Line("Stored in", plain(Verbatim(weight.location))))
    return lines


def _function_lines(model: Model, node: Node) -> Iterator[Line]:
    for position, function in enumerate(model.functions):
        if function.name == node.op_type and function.domain == node.domain:
            yield Line("", link(f"function:{position}", say("Open function {}", function.name)))


def _body_lines(graph: Graph, node: Node) -> Iterator[Line]:
    for position in node.subgraphs:
        body = graph.subgraphs[position]
        count = len(body.graph)
        text = f"{count:,} node" if count == 1 else f"{count:,} nodes"
        yield Line(body.role if body.role else "body", link(f"body:{position}", f"Open {text}"))


def _origin_lines(node: Node, expanded: Expanded) -> Iterator[Line]:
    if node.origins is None:
        return
    if not node.origins:
        yield Line("", soft("Inserted by the compiler; the original model has no such operator."))
        return
    shown = node.origins if "origins" in expanded else node.origins[:MANY]
    if len(node.origins) > 1:
        yield Line("", soft(f"Fused from {len(node.origins)} operators of the original model:"))
    for name in shown:
        yield Line("", plain(Verbatim(name)))
    if len(shown) < len(node.origins):
        yield Line("", link("more:origins", f"Show all {len(node.origins):,}"))


def _waits_lines(graph: Graph, node: Node) -> Iterator[Line]:
    for name in node.waits_for[:MANY]:
        index = graph.node_index(name)
        yield Line("", plain(Verbatim(name)) if index is None else node_link(graph, index))
