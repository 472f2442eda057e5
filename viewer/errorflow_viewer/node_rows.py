"""The nodes of a graph as rows to search and sort, over arrays: 100 000 rows answer within a frame or two."""

import re
from functools import cached_property
from math import prod

import numpy as np

from errorflow.arrays import Column, Ints, Ragged
from errorflow.describe import shape_text, tensor_text, value_text, without_made_up
from errorflow.graph.model import Graph, Shape
from errorflow.graph.order import run_order
from errorflow.layout.shown import shown
from errorflow.progress import SILENT, Progress
from errorflow_viewer.text_index import TextIndex

NAME, TYPE, OUTPUT = range(3)
COLUMNS = ("Name", "Type", "Output")
# A word, or field:word, either in quotes. Quotes after `type:` ask for exactly that type.
_TERM = re.compile(r'(?:(name|type|tensor|attr):)?(?:"([^"]*)"?|(\S+))', re.IGNORECASE)
_UNFINISHED = ("name:", "type:", "tensor:", "attr:")
_OF_NODES = ("type", "attr")
# So much of an attribute's value can be searched for; nodes whose attributes are decoded in one go.
_VALUE, _PORTION = 200, 500
# A tooltip lists no more outputs than this.
_OUTPUTS = 6
_NUMBER = re.compile(r"\d+")
# Where a graph keeps them.
_ROWS = "_node_rows"


class NodeRows:
    """What the list shows of a graph. Nothing here changes, so a job may fill the caches beforehand."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._attributes: TextIndex | None = None
        self._last: tuple[str, bool, Ints] | None = None

    def __len__(self) -> int:
        return len(self.graph)

    def cell(self, node: int, column: int) -> str:
        if column == NAME:
            return self.title(node)
        if column == TYPE:
            return self.graph.op_types[node]
        return self.output_text(node)

    def title(self, node: int) -> str:
        """The name, or for a nameless node that of what it makes: the type stands beside it."""
        name = self.graph.node_names[node]
        if name:
            return name
        outputs = self._real_outputs(node)
        return f"→ {self.graph.tensor_names[int(outputs[0])]}" if len(outputs) else "(no name)"

    def output_text(self, node: int) -> str:
        """The shape of the first output, and how many more there are."""
        outputs = self._real_outputs(node)
        if not len(outputs):
            return ""
        text = shape_text(without_made_up(self.graph.shapes[int(outputs[0])]))
        return text if len(outputs) == 1 else f"{text}  +{len(outputs) - 1}"

    def tip(self, node: int) -> str:
        """All that columns may have cut or left out: name, type, and what comes out, a line each."""
        outputs = [self.graph.tensor(tensor) for tensor in self._real_outputs(node).tolist()]
        lines = [f"→ {tensor.name}  {tensor_text(tensor)}" for tensor in outputs[:_OUTPUTS]]
        if len(outputs) > _OUTPUTS:
            lines.append(f"→ {len(outputs) - _OUTPUTS:,} more")
        return "\n".join([self.title(node), self.graph.op_types[node], *lines])

    def search(self, query: str, tensors: bool = True) -> Ints:
        """The nodes that match every term of the query, in file order. `tensors`: also by what they read and make."""
        if self._last is not None and self._last[:2] == (query, tensors):
            return self._last[2]  # the list and the graph ask for the same
        keep = np.ones(len(self), bool)
        for field, quoted, plain in _TERM.findall(query):
            if plain.lower() in _UNFINISHED:
                continue
            keep &= self._matching(field.lower(), quoted if quoted else plain, exact=bool(quoted), tensors=tensors)
        found = np.flatnonzero(keep).astype(np.int32)
        self._last = query, tensors, found
        return found

    def find_tensors(self, query: str) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        """Which tensors have every term of the query in their names; none has a term for nodes."""
        found = np.full(len(self.graph.tensor_names), bool(query.strip()))
        for field, quoted, plain in _TERM.findall(query):
            if plain.lower() not in _UNFINISHED:
                text = quoted if quoted else plain
                found &= field.lower() not in _OF_NODES and self._tensors.containing(text)
        return found

    def lacks_attributes(self, query: str) -> bool:
        """Whether the query asks for attributes and they are not known yet: then nothing matches it."""
        return self._attributes is None and any(field.lower() == "attr" for field, _, _ in _TERM.findall(query))

    def read_attributes(self, progress: Progress = SILENT) -> TextIndex:
        """Decodes the attributes of all nodes, which may take seconds; hand the result to `take_attributes`."""
        total = len(self)
        texts = []
        for node in range(total):
            if node % _PORTION == 0:
                progress.step(node, total, "Reading attributes")
            values = self.graph.attributes(node).items()
            texts.append(" ".join(f"{name}={value_text(value, _VALUE)}" for name, value in values))
        return TextIndex(texts)

    def take_attributes(self, index: TextIndex) -> None:
        self._attributes, self._last = index, None

    def order(self, column: int) -> Ints:
        """All nodes, sorted by a column; equal ones stay in file order."""
        if column == NAME:
            return self._by_name
        return np.argsort(self._type_ranks if column == TYPE else self._output_sizes, kind="stable").astype(np.int32)

    @cached_property
    def drawn(self) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        """Which nodes the picture shows: not those that only make constants."""
        visible = shown(self.graph, constants=False)
        drawn = visible.nodes.copy()
        given = self.graph.producers[visible.inputs]
        drawn[given[given >= 0]] = True  # some formats have nodes that stand for inputs
        return drawn

    @cached_property
    def natural(self) -> Ints:
        """All nodes as they run, those that are not drawn behind the others."""
        order = run_order(self.graph)
        drawn = self.drawn[order]
        return np.concatenate([order[drawn], order[~drawn]])

    def prepare(self) -> None:
        """Fills the caches that take longest."""
        self.search("-")
        self.order(NAME)

    def _matching(
        self, field: str, text: str, exact: bool, tensors: bool
    ) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        if field == "type":
            return self._type_matches(text, exact)
        if field == "name":
            return self._names.containing(text)
        if field == "attr":
            return np.zeros(len(self), bool) if self._attributes is None else self._attributes.containing(text)
        if field == "tensor":
            return self._reads_or_makes(text)
        found = self._names.containing(text) | self._type_matches(text, exact=False)
        return found | self._makes_or_is_given(text) if tensors else found

    def _type_matches(self, text: str, exact: bool) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        wanted = text.lower()
        types = self.graph.op_types.values
        hits = [t.lower() == wanted if exact else wanted in t.lower() for t in types]
        return np.array(hits, bool)[self.graph.op_types.codes] if types else np.zeros(0, bool)

    def _reads_or_makes(self, text: str) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        hits = self._tensors.containing(text)
        return self._linked(self.graph.node_inputs, hits) | self._linked(self.graph.node_outputs, hits)

    def _makes_or_is_given(self, text: str) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        """Tensors are named after who makes them: who is after a Softmax is not after what reads it. Inputs are."""
        hits = self._tensors.containing(text)
        given = hits & (self.graph.producers < 0)
        return self._linked(self.graph.node_inputs, given) | self._linked(self.graph.node_outputs, hits)

    def _linked(
        self, links: Ragged, hits: "np.ndarray[tuple[int], np.dtype[np.bool_]]"
    ) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        """Which nodes have one of some tensors."""
        found = np.zeros(len(self), bool)
        real = links.values >= 0
        found[links.owners()[real][hits[links.values[real]]]] = True
        return found

    def _real_outputs(self, node: int) -> Ints:
        outputs = self.graph.node_outputs[node]
        return outputs[outputs >= 0]

    @cached_property
    def _names(self) -> TextIndex:
        return TextIndex([name if name else self.title(i) for i, name in enumerate(self.graph.node_names)])

    @cached_property
    def _tensors(self) -> TextIndex:
        return TextIndex(self.graph.tensor_names)

    @cached_property
    def _by_name(self) -> Ints:
        # Numbers are padded, so that layer2 comes before layer10.
        keys = [_NUMBER.sub(_padded, name.lower()) for name in self.graph.node_names]
        return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int32)

    @cached_property
    def _type_ranks(self) -> Ints:
        return _ranks(self.graph.op_types)

    @cached_property
    def _output_sizes(self) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        starts, values = self.graph.node_outputs.starts, self.graph.node_outputs.values
        sizes = np.array([_elements(shape) for shape in self.graph.shapes.values], float)
        result = np.full(len(self), -2.0)
        some = np.flatnonzero(np.diff(starts) > 0)
        first = values[starts[some]]
        known = first >= 0
        result[some[known]] = sizes[self.graph.shapes.codes[first[known]]]
        return result


def rows_of(graph: Graph) -> NodeRows:
    """The rows of a graph; whoever asks gets the same, with caches that are filled already.

    They lie beside the graph, as what it has found of itself does: in a table that is not the graph's they would keep
    it for ever, for they refer to it.
    """
    beside = vars(graph)
    rows = beside.get(_ROWS)
    if not isinstance(rows, NodeRows):
        rows = beside[_ROWS] = NodeRows(graph)
    return rows


def _ranks(column: Column[str]) -> Ints:
    order = sorted(range(len(column.values)), key=lambda i: column.values[i].lower())
    ranks = np.zeros(len(order), np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    return ranks[column.codes]


def _elements(shape: Shape) -> float:
    if shape is None:
        return -1.0
    return float(prod(dim for dim in shape if isinstance(dim, int)))


def _padded(match: "re.Match[str]") -> str:
    return match[0].zfill(10)
