"""What the details panel says about a node, a tensor or a whole model."""

from collections.abc import Iterator, Sequence

from errorflow.describe import facts, shape_text, size_text, tensor_text, value_text
from errorflow.errors import ErrorflowError
from errorflow.graph.model import Graph, Model, Node
from errorflow_viewer.document import Place
from errorflow_viewer.panels.sections import Line, Section, link, plain, soft

# Longer lists and values are cut, with a link that shows all.
MANY = 40
LONG = 160
LONGEST = 20_000

Page = tuple[str, str, list[Section]]
Expanded = frozenset[str]


def node_page(model: Model, graph: Graph, index: int, expanded: Expanded) -> Page:
    """Title, subtitle and sections for one node."""
    node = graph.node(index)
    subtitle = f"{node.op_type} · {node.domain}" if node.domain else node.op_type
    sections = [
        Section("", tuple(_function_lines(model, node))),
        _tensors("Inputs", "inputs", graph, graph.node_inputs[index].tolist(), expanded, from_node=index),
        _tensors("Outputs", "outputs", graph, graph.node_outputs[index].tolist(), expanded, from_node=index),
        Section("Attributes", tuple(_attribute_lines(graph, node, expanded))),
        Section("Subgraphs", tuple(_body_lines(graph, node))),
        Section("Stands for", tuple(_origin_lines(node, expanded))),
        Section("Runs after", tuple(_waits_lines(graph, node))),
    ]
    return node.title, subtitle, sections


def tensor_page(graph: Graph, index: int) -> Page:
    """Title, subtitle and sections for one tensor."""
    tensor = graph.tensor(index)
    lines = [Line("Shape", plain(shape_text(tensor.shape))), Line("Type", plain(tensor.dtype if tensor.dtype else "?"))]
    lines += _recorded(graph, index)
    made, read = graph.producers[index], graph.consumers[index].tolist()
    sections = [
        Section("Tensor", tuple(lines)),
        Section("Made by", (Line("", _node_link(graph, int(made))),) if made >= 0 else ()),
        Section("Read by", tuple(Line("", _node_link(graph, node)) for node in read[: MANY * 5])),
    ]
    return tensor.name, _role(graph, index), sections


def model_page(model: Model, graph: Graph, place: Place) -> Page:
    """Title, subtitle and sections for what is on view while nothing is selected."""
    if place == Place():
        return model.path.name, model.format, list(_fact_sections(model))
    count = f"{len(graph):,} nodes" if len(graph) != 1 else "1 node"
    title = graph.name if graph.name else "Subgraph"
    sections = [
        _tensors("Inputs", "inputs", graph, graph.inputs.tolist(), frozenset()),
        _tensors("Outputs", "outputs", graph, graph.outputs.tolist(), frozenset()),
        _operators(graph),
    ]
    return title, count, sections


def _fact_sections(model: Model) -> Iterator[Section]:
    rows: dict[str, list[Line]] = {}
    for fact in facts(model):
        if fact.section not in ("Problems", "Inputs", "Outputs", "Operators"):
            rows.setdefault(fact.section, []).append(Line(fact.label, plain(fact.value)))
    for title, lines in rows.items():
        yield Section(title, tuple(lines))
    graph = model.graph
    yield _tensors("Inputs", "inputs", graph, graph.inputs.tolist(), frozenset())
    yield _tensors("Outputs", "outputs", graph, graph.outputs.tolist(), frozenset())
    functions = (Line("", link(f"function:{i}", f.name)) for i, f in enumerate(model.functions[:MANY]))
    yield Section("Functions", tuple(functions))
    yield _operators(graph)
    count = len(model.problems)
    if count:
        text = "1 problem in the file" if count == 1 else f"{count:,} problems in the file"
        yield Section("Problems", (Line("", link("problems:", text)),))


def _operators(graph: Graph) -> Section:
    counts = graph.op_types.counts().items()
    lines = (Line(op_type, link(f'search:type:"{op_type}"', f"{count:,}")) for op_type, count in counts)
    return Section("Operators", tuple(lines), share=75)


def _tensors(
    title: str, key: str, graph: Graph, tensors: Sequence[int], expanded: Expanded, from_node: int = -1
) -> Section:
    shown = tensors if key in expanded else tensors[:MANY]
    lines = [
        Line(str(i) if len(tensors) > 1 else "", _tensor_text(graph, tensor, from_node))
        for i, tensor in enumerate(shown)
    ]
    if len(shown) < len(tensors):
        lines.append(Line("", link(f"more:{key}", f"Show all {len(tensors):,}")))
    return Section(title, tuple(lines), share=14)


def _tensor_text(graph: Graph, index: int, from_node: int) -> str:
    if index < 0:
        return soft("left out")
    tensor = graph.tensor(index)
    parts = [link(f"tensor:{index}", tensor.name)]
    known = tensor_text(tensor)
    parts.append(soft("shape not known") if known in ("", "?") else plain(known))
    parts += [f"{soft(line.label)} {line.value}" for line in _recorded(graph, index)]
    neighbours = _neighbours(graph, index, from_node)
    if neighbours:
        parts.append(neighbours)
    return "<br>".join(parts)


def _neighbours(graph: Graph, index: int, from_node: int) -> str:
    """Who makes the tensor, or for what the node itself makes, who reads it."""
    made = int(graph.producers[index])
    if made >= 0 and made != from_node:
        return f"{soft('from')} {_node_link(graph, made)}"
    if made < 0:
        return soft(_role(graph, index).lower())
    read = [node for node in dict.fromkeys(graph.consumers[index].tolist()) if node != from_node]
    links = ", ".join(_node_link(graph, node) for node in read[:5])
    more = f" {soft(f'and {len(read) - 5:,} more')}" if len(read) > 5 else ""
    return f"{soft('to')} {links}{more}" if links else soft(_role(graph, index).lower())


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
        lines.append(Line("Stands for", plain(f"{tensor.origin.name}:{tensor.origin.index}")))
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
        lines.append(Line("Stored in", plain(weight.location)))
    return lines


def _role(graph: Graph, index: int) -> str:
    if index in graph.constants:
        return "Constant"
    if index in graph.inputs:
        return "Input of the graph"
    if index in graph.outputs:
        return "Output of the graph"
    if graph.producers[index] < 0:
        return "From an enclosing graph, or missing"
    return "Tensor" if len(graph.consumers[index]) else "Read by nobody"


def _attribute_lines(graph: Graph, node: Node, expanded: Expanded) -> Iterator[Line]:
    bodies = {graph.subgraphs[position].role for position in node.subgraphs}  # these have a section of their own
    try:
        attributes = [(name, value) for name, value in node.attributes.items() if name not in bodies]
    except ErrorflowError as error:  # they are read when asked for, and the file may be gone by then
        yield Line("", soft(str(error)))
        return
    for name, value in attributes:
        key = f"attribute {name}"
        text = value_text(value, LONGEST if key in expanded else LONG)
        shown = plain(text)
        if len(text) > LONG and key not in expanded:
            shown += f" {link(f'more:{key}', 'Show all')}"
        yield Line(name, shown)


def _function_lines(model: Model, node: Node) -> Iterator[Line]:
    for position, function in enumerate(model.functions):
        if function.name == node.op_type and function.domain == node.domain:
            yield Line("", link(f"function:{position}", f"Open function {function.name}"))


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
        yield Line("", plain(name))
    if len(shown) < len(node.origins):
        yield Line("", link("more:origins", f"Show all {len(node.origins):,}"))


def _waits_lines(graph: Graph, node: Node) -> Iterator[Line]:
    for name in node.waits_for[:MANY]:
        index = graph.node_index(name)
        yield Line("", plain(name) if index is None else _node_link(graph, index))


def _node_link(graph: Graph, index: int) -> str:
    return link(f"node:{index}", graph.node(index).title)
