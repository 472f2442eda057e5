"""Details of what is selected: a node, a tensor, or while nothing is, the model."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QTextOption
from PySide6.QtWidgets import QTextBrowser, QToolButton, QWidget

from errorflow.base.arrays import Ints, Ragged
from errorflow.base.language import Verbatim, say
from errorflow.base.values import dataclass, replace
from errorflow.graph.describe import facts, known_text, shape_text, size_text, tensor_text, weighed, without_made_up
from errorflow.graph.model import Graph, Model, Node, Shape, Tensor
from errorflow.layout.reads import reads
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.texts import offer_text
from errorflow_viewer.document.derived_table import listed
from errorflow_viewer.document.node_rows import rows_of
from errorflow_viewer.document.state import Place, State
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.layouts import fill, pages
from errorflow_viewer.kit.look import PADDING
from errorflow_viewer.panels.attributes import Expanded, attribute_sections, cut_line
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.panels.note_lines import NOTES, node_note, session_note
from errorflow_viewer.panels.precision_lines import follow_switch, precision_section, with_section
from errorflow_viewer.panels.sections import (
    Line,
    Section,
    as_text,
    counted,
    hinted,
    link,
    page,
    plain,
    soft,
    without_breaks,
)

if TYPE_CHECKING:
    from errorflow.explain.findings.model import Findings


KEY = "details.weights"
_SELECTED = frozenset(("node", "tensor", "group", "place"))
_WRITTEN = frozenset(("model", "redrawn", "session.note", "session.notes"))
_FOUND = "findings", "session.simulation", "simulated"
# So many weights are weighed within a frame.
AT_ONCE = 500
# In ms: the graph is painted first.
CALM = 150


# What the details panel says about a node, a tensor or a whole model.

# Longer lists are cut, with a link that shows all; of a whole graph or a group sooner, as more follows below them.
MANY, FEW = 40, 6
# A list with so few more is not worth cutting.
_SPARE = 2

Page = tuple[str, str, list[Section]]


# Who makes a tensor and who reads it, also across the border of a body of control flow.

NEIGHBOURS_FEW = 5


@dataclass(frozen=True, eq=False, slots=True)
class SurroundingGraphs:
    """The graph on view, and those that it lies in, from the nearest to the outermost."""

    graph: Graph
    outer: tuple[Graph, ...] = ()

    @classmethod
    def of(cls, model: Model, place: Place) -> "SurroundingGraphs":
        depths = range(len(place.path) - 1, -1, -1)
        outer = tuple(Place(place.path[:depth], place.function).graph(model) for depth in depths)
        return cls(place.graph(model), outer)

    def outside(self, tensor: int) -> tuple[int, int] | None:
        """Finds where a tensor comes from that the graph itself does not know: how many graphs further out, its
        number.
        """
        name = self.graph.tensor_names[tensor]
        for position, graph in enumerate(self.outer):
            index = graph.tensor_index(name)
            if index is not None and is_known(graph, index):
                return position + 1, index
        return None


def is_known(graph: Graph, tensor: int) -> bool:
    """Whether the graph makes the tensor, is given it or holds it."""
    return bool(graph.producers[tensor] >= 0 or tensor in graph.inputs or tensor in graph.constants)


def body_readers(graph: Graph, tensor: int) -> list[int]:
    """The nodes a body of which reads the tensor without saying so."""
    if not graph.subgraphs:
        return []
    read = reads(graph)
    hits = read.readers[read.tensors == tensor].tolist()
    return list(dict.fromkeys(hits[len(graph.consumers[tensor]) :]))  # those that say so come first


def origin_text(around: SurroundingGraphs, tensor: int) -> str:
    """Says where a tensor comes from that no node of the graph makes."""
    found = around.outside(tensor)
    if found is None:
        return soft(role(around.graph, tensor).lower())
    steps, index = found
    graph = around.outer[steps - 1]
    made = int(graph.producers[index])
    target, name = (
        (f"node:{made}", Verbatim(graph.node(made).title)) if made >= 0 else (f"tensor:{index}", "open it there")
    )
    return f"{soft('from the enclosing graph:')} {link(f'outer:{steps}:{target}', name)}"


def readers_text(graph: Graph, tensor: int, besides: int) -> str:
    """Names the first nodes that read a tensor, but for one of them; "" if there are no others."""
    direct = [node for node in dict.fromkeys(graph.consumers[tensor].tolist()) if node != besides]
    inner = body_readers(graph, tensor)
    links = [node_link(graph, node) for node in direct[:NEIGHBOURS_FEW]]
    links += [body_link(graph, node) for node in inner[: NEIGHBOURS_FEW - len(links)]]
    left = len(direct) + len(inner) - len(links)
    more = f" {soft(f'and {left:,} more')}" if left > 0 else ""
    return f"{soft('to')} {', '.join(links)}{more}" if links else ""


def node_link(graph: Graph, index: int) -> str:
    return link(f"node:{index}", Verbatim(graph.node(index).title))


def body_link(graph: Graph, owner: int) -> str:
    """A node a body of which reads something."""
    return f"{node_link(graph, owner)} {soft('(a body reads it)')}"


def role(graph: Graph, index: int) -> str:
    """Says what a tensor is to its graph."""
    if index in graph.constants:
        return "Constant"
    if index in graph.inputs:
        return "Input of the graph"
    if index in graph.outputs:
        return "Output of the graph"
    if graph.producers[index] < 0:
        return "From an enclosing graph, or missing"
    return "Tensor" if len(graph.consumers[index]) or body_readers(graph, index) else "Read by nobody"


def node_page(
    model: Model,
    around: SurroundingGraphs,
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


def tensor_page(
    around: SurroundingGraphs, index: int, drawn_with: int | None = None, findings: "Findings | None" = None
) -> Page:
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
    """Takes findings; None: they are of another graph than the one on view."""
    return None if findings is None or findings.graph.tensor_names != graph.tensor_names else findings


def _tip(tensor: Tensor, shown: Tensor, text: str) -> str:
    """Writes what the model says of a tensor, in full."""
    if shown.shape == tensor.shape:
        return text
    return f"In the run; the model says {text}" if tensor.shape is not None else "In the run; the model does not say it"


def _drawn_section(graph: Graph, drawn_with: int | None) -> Section:
    lines = () if drawn_with is None else (Line("Drawn with", node_link(graph, drawn_with)),)
    return Section("In the graph", lines)


def _behind_section(graph: Graph, tensors: Sequence[int], findings: "Findings | None") -> Section:
    """Says where was measured what was not measured itself."""
    if findings is None:
        return Section("Measured", ())
    behind = findings.placed.behind
    makers = dict.fromkeys(int(graph.producers[behind[tensor]]) for tensor in tensors if tensor in behind)
    lines = (Line(f"Behind its {graph.op_types[node]}", node_link(graph, node)) for node in makers)
    return Section("Measured", tuple(lines))


def group_page(around: SurroundingGraphs, name: str, nodes: Ints, drawn: int, expanded: Expanded) -> Page:
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
    """Lists what some rows hold, each once, without what is left out."""
    values = rows.values[of[rows.owners()] & (rows.values >= 0)]
    return list(dict.fromkeys(values.tolist()))


def model_page(
    model: Model,
    around: SurroundingGraphs,
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
    model: Model, around: SurroundingGraphs, expanded: Expanded, drawn: int | None, weights: tuple[int, int] | None
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
    around: SurroundingGraphs,
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


def _tensor_text(around: SurroundingGraphs, index: int, from_node: int, findings: "Findings | None" = None) -> str:
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


def _neighbours(around: SurroundingGraphs, index: int, from_node: int) -> str:
    """Names the maker of the tensor, or for what the node itself makes, its readers."""
    graph = around.graph
    made = int(graph.producers[index])
    if made >= 0 and made != from_node:
        return f"{soft('from')} {node_link(graph, made)}"
    if made < 0:
        return origin_text(around, index)
    readers = readers_text(graph, index, besides=from_node)
    return readers if readers else soft(role(graph, index).lower())


def _recorded(graph: Graph, index: int) -> list[Line]:
    """Lists what the file says of a tensor beyond type and shape: layout, what it was before the compiler, its
    bytes.
    """
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


class DetailsPanel(QWidget):
    """A page of text with links to the neighbours."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self._expanded: Expanded = frozenset()
        self._page: Page | None = None
        # The file that was weighed last: read again, or known better, it mostly weighs the same.
        self._weighed: tuple[Path, tuple[int, int]] | None = None
        self.text = _Text()
        self.text.setOpenLinks(False)
        self.text.setAcceptDrops(False)
        self.text.setAccessibleName("Details")
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.text.document().setDocumentMargin(PADDING)
        self.text.anchorClicked.connect(self._follow)
        offer_text(desk, self.text, "details", self.plain_text)
        self.copy = self._make_copy()
        self.title_buttons = (self.copy,)
        self.nothing = Empty("What is known about a node or a model stands here.", "Open a model…", desk.ask_for_file)
        self.stack = pages(self.text, self.nothing)
        fill(self, self.stack)
        weights = listed(KEY, "Weighing the model", (), _heavy, _weights, self._take_weights)
        desk.derived.add(replace(weights, calm=CALM))
        follow(self, self._document.changed, self._on_changed, (*_SELECTED, *_WRITTEN, *_FOUND))
        desk.appearance.changed.connect(self._write)
        self._write()

    def plain_text(self) -> str:
        """The page as it is copied."""
        return "" if self._page is None else as_text(*self._page)

    def _make_copy(self) -> QToolButton:
        copy = QToolButton()
        icons.follow(copy, "copy")
        copy.setToolTip("Copy the details as text")
        copy.setAccessibleName("Copy the details as text")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.plain_text()))
        return copy

    def _on_changed(self, fields: Collection[str]) -> None:
        is_other = not _SELECTED.isdisjoint(fields)
        if is_other:
            self._expanded = frozenset()
        if is_other or not _WRITTEN.isdisjoint(fields):
            self._write(keep_scroll=not is_other)
        else:
            self._take_findings()

    def _take_findings(self) -> None:
        """They come several times a second while one may be reading, and mostly say nothing new."""
        state = self._document.state
        told = state.node is not None or state.tensor is not None
        if told and self._make_page() != self._page:
            self._write(keep_scroll=True)

    def _write(self, _theme: object = None, keep_scroll: bool = False) -> None:
        self._page = self._make_page()
        self.stack.setCurrentWidget(self.nothing if self._page is None else self.text)
        self.copy.setEnabled(self._page is not None)
        if self._page is None:
            return
        bar = self.text.verticalScrollBar()
        place = bar.value() if keep_scroll else 0
        self.text.setHtml(page(*self._page, self._desk.appearance.theme))
        bar.setValue(place)

    def _make_page(self) -> Page | None:
        state, model = self._document.state, self._document.model
        if model is None:
            return None
        around, selection = SurroundingGraphs.of(model, state.place), self._desk.selection
        if state.node is not None:
            found = node_page(model, around, state.node, self._expanded, selection.drawn_with, state.findings)
            found = with_section(found, node_note(self._document, state.node))
            return with_section(found, precision_section(self._document, state.node))
        if state.tensor is not None:
            return tensor_page(around, state.tensor, selection.drawn_with, state.findings)
        if state.group is not None:
            return group_page(around, selection.name, selection.group_nodes, selection.group_drawn, self._expanded)
        found = model_page(model, around, state.place, self._expanded, selection.drawn_nodes, self._weights_of(model))
        return with_section(found, session_note(self._document))

    def _weights_of(self, model: Model) -> tuple[int, int] | None:
        """Counts weights; None: they are few; of many it is not known at once, and written when it is."""
        if not _is_heavy(model):
            return None
        return (0, 0) if self._weighed is None or self._weighed[0] != model.path else self._weighed[1]

    def _take_weights(self, found: tuple[Path, tuple[int, int]]) -> None:
        before, self._weighed = self._weighed, found
        if self._document.state.is_bare and before != self._weighed:
            self._write(keep_scroll=True)

    def _follow(self, url: QUrl) -> None:
        if follow_switch(self._desk, url):
            return
        follow: dict[str, Callable[[str], None]] = {
            "node": lambda text: self._document.go(self._document.state.place, node=int(text)),
            "tensor": lambda text: self._document.go(self._document.state.place, tensor=int(text)),
            "body": lambda text: self._document.go(self._document.state.place.inside(int(text))),
            "function": lambda text: self._document.go(Place(function=int(text))),
            "outer": self._leave,
            "search": self._search,
            "problems": lambda _: self._desk.panels.show("problems"),
            NOTES: lambda field: self._desk.panels.show("notes", field),
            "more": self._expand,
        }
        follow[url.scheme()](url.path(QUrl.ComponentFormattingOption.FullyDecoded))

    def _leave(self, text: str) -> None:
        """`2:node:7`: so many graphs outwards, and what to select there."""
        steps, kind, number = text.split(":")
        place = self._document.state.place
        outer = replace(place, path=place.path[: -int(steps)])
        index = int(number)
        self._document.go(outer, node=index if kind == "node" else None, tensor=index if kind == "tensor" else None)

    def _search(self, text: str) -> None:
        self._desk.panels.show("nodes")
        self._document.search_for(text)

    def _expand(self, key: str) -> None:
        self._expanded |= {key}
        self._write(keep_scroll=True)


def _is_heavy(model: Model) -> bool:
    return sum(len(graph.weights.names()) for graph in model.graphs()) > AT_ONCE


def _heavy(state: State) -> Model | None:
    return state.model if state.model is not None and _is_heavy(state.model) else None


def _weights(model: Model) -> tuple[Path, tuple[int, int]]:
    return model.path, weighed(model)


class _Text(QTextBrowser):
    """Text whose copies are what stands in the file."""

    def createMimeDataFromSelection(self) -> QMimeData:
        data = QMimeData()
        data.setText(without_breaks(self.textCursor().selection().toPlainText()))
        return data
