"""The nodes of a graph as rows to search and sort, over arrays: 100 000 rows answer within a frame or two."""

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from math import prod

import numpy as np

from errorflow.base import SILENT, ErrorflowError, Progress
from errorflow.base.arrays import CodedColumn, Ints
from errorflow.base.language import Verbatim, joined, say
from errorflow.explain.findings.distinct import NameForms
from errorflow.explain.findings.fields import Computed, NodeKnowledge
from errorflow.explain.findings.model import Findings
from errorflow.explain.findings.parse import parse
from errorflow.explain.findings.query import Query, QueryError
from errorflow.explain.findings.select import asks_for_attributes, asks_for_findings, matching, matching_tensors
from errorflow.explain.findings.text_index import TextIndex
from errorflow.explain.findings.texts import Bools, Texts, real_outputs, title_of
from errorflow.graph.describe import shape_text, tensor_text, without_made_up
from errorflow.graph.model import Graph, Model, Shape
from errorflow.graph.order import run_order
from errorflow.layout.shown import shown

NAME, TYPE, OUTPUT = range(3)
COLUMNS = ("Name", "Type", "Output")
# Names of so many nodes are put in order while one waits.
_AT_ONCE = 5000
# A tooltip lists no more outputs than this.
_OUTPUTS = 6
_NUMBER = re.compile(r"\d+")
# Where a graph keeps them.
_ROWS = "_node_rows"


class NodeRows:
    """Rows of a graph's list. Nothing of the graph changes, so a job may fill the caches beforehand."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._texts = Texts(graph)
        self._findings: Findings | None = None
        self._notes: Mapping[str, str] = {}
        self._computed: Computed | None = None
        # The last question, its answer, and what is wrong with it: the list and the graph ask for the same.
        self._last: tuple[str, bool, Ints, ErrorflowError | None] | None = None

    def __len__(self) -> int:
        return len(self.graph)

    def cell(self, node: int, column: int) -> str:
        text = self.title(node) if column == NAME else self.graph.op_types[node] if column == TYPE else ""
        return Verbatim(text if column != OUTPUT else self.output_text(node))

    def title(self, node: int) -> str:
        """The name, or for a nameless node that of what it makes: the type stands beside it."""
        return title_of(self.graph, node)

    def output_text(self, node: int) -> str:
        """The shape of the first output, and how many more there are."""
        outputs = real_outputs(self.graph, node)
        if not len(outputs):
            return ""
        text = shape_text(without_made_up(self.graph.shapes[int(outputs[0])]))
        return text if len(outputs) == 1 else f"{text}  +{len(outputs) - 1}"

    def tip(self, node: int) -> str:
        """Writes all that columns may have cut or left out: name, type, and what comes out, a line each."""
        outputs = [self.graph.tensor(tensor) for tensor in real_outputs(self.graph, node).tolist()]
        lines = [say("→ {}  {}", tensor.name, tensor_text(tensor)) for tensor in outputs[:_OUTPUTS]]
        if len(outputs) > _OUTPUTS:
            lines.append(say("→ {} more", f"{len(outputs) - _OUTPUTS:,}"))
        note = self.note(node)
        lines += [say("Note: {}", note)] if note else []
        return joined("\n", [self.title(node), self.graph.op_types[node], *lines])

    def note(self, node: int) -> str:
        """Finds the user's note on a node; "": nothing."""
        name = self.graph.node_names[node]
        return self._notes.get(name, "") if name else ""

    def know(self, findings: "Findings | None", notes: Mapping[str, str], computed: Computed | None = None) -> bool:
        """Takes what else can be searched for; says whether that is news."""
        news = findings is not self._findings or notes != self._notes or computed is not self._computed
        if news:
            self._findings, self._notes, self._computed, self._last = findings, notes, computed, None
        return news

    def search(self, query: str, tensors: bool = True) -> Ints:
        """The nodes that match the query, in file order; none if it makes no sense, see `problem`.

        `tensors`: also by what they read and make.
        """
        if self._last is not None and self._last[:2] == (query, tensors):
            return self._last[2]
        problem: ErrorflowError | None = None
        try:
            known = NodeKnowledge(self._texts, self._findings, self._notes, tensors, self._computed)
            keep = matching(known, parse(query)) if query.strip() else np.ones(len(self), bool)
        except QueryError as error:
            keep, problem = np.zeros(len(self), bool), error
        found = np.flatnonzero(keep).astype(np.int32)
        self._last = query, tensors, found, problem
        return found

    def problem(self, query: str) -> ErrorflowError | None:
        """Finds why nothing can be found, if it is the query's fault."""
        self.search(query)
        return None if self._last is None else self._last[3]

    def why_nothing(self, query: str) -> str:
        """Explains why a query that makes sense finds no node, and what is nearest."""
        from errorflow.explain.findings.nothing import why_nothing

        return why_nothing(
            NodeKnowledge(self._texts, self._findings, self._notes, computed=self._computed), parse(query)
        )

    def find_tensors(self, query: str) -> Bools:
        """Marks the tensors that have every term of the query in their names; none has a term for nodes."""
        if not query.strip():
            return np.zeros(len(self.graph.tensor_names), bool)
        try:
            return matching_tensors(self._texts, parse(query))
        except QueryError:
            return np.zeros(len(self.graph.tensor_names), bool)

    def lacks_attributes(self, query: str) -> bool:
        """Whether the query asks for attributes and they are not known yet: then nothing matches it."""
        return self._texts.attributes is None and _asks(query, asks_for_attributes)

    def follows_findings(self, query: str) -> bool:
        """Whether what is found changes with what is found out about nodes."""
        return _asks(query, asks_for_findings)

    def read_attributes(self, progress: Progress = SILENT) -> TextIndex:
        """Decodes the attributes of all nodes, which may take seconds; hand the result to `take_attributes`."""
        return self._texts.read_attributes(progress)

    def take_attributes(self, index: TextIndex) -> None:
        self._texts.attributes, self._last = index, None

    def order(self, column: int) -> Ints:
        """Sorts all nodes by a column; equal ones stay in file order."""
        if column == NAME:
            return self._by_name
        return np.argsort(self._type_ranks if column == TYPE else self._output_sizes, kind="stable").astype(np.int32)

    def name_forms(self, node: int) -> tuple[str, ...]:
        """The name from long to short, each apart from all others; of very many only once `prepare` has sorted them."""
        title = self.title(node)
        at_hand = len(self) <= _AT_ONCE or "_distinct" in vars(self)
        return self._distinct.forms(title) if at_hand else (title,)

    @cached_property
    def _distinct(self) -> NameForms:
        return NameForms([self.title(node) for node in range(len(self))])

    @cached_property
    def drawn(self) -> Bools:
        """Nodes that the picture shows: not those that only make constants."""
        visible = shown(self.graph, constants=False)
        drawn = visible.nodes.copy()
        given = self.graph.producers[visible.inputs]
        drawn[given[given >= 0]] = True  # some formats have nodes that stand for inputs
        return drawn

    @cached_property
    def natural(self) -> Ints:
        """Nodes as they run, those that are not drawn behind the others."""
        order = run_order(self.graph)
        drawn = self.drawn[order]
        return np.concatenate([order[drawn], order[~drawn]])

    def prepare(self) -> None:
        """Fills the caches that take longest."""
        self.search("-")
        self.order(NAME)
        self._distinct.forms("")

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
    """Makes the rows of a graph; all callers get the same, with caches that are filled already.

    They lie beside the graph, as what it has found of itself does: in a table that is not the graph's they would keep
    it for ever, for they refer to it. `forget_rows` parts both.
    """
    beside = vars(graph)
    rows = beside.get(_ROWS)
    if not isinstance(rows, NodeRows):
        rows = beside[_ROWS] = NodeRows(graph)
    return rows


def forget_rows(model: Model | None, but: Model | None) -> None:
    """Forgets the rows when one model takes the place of another: what each graph and its rows hold is freed at once,
    and not when garbage is looked for.
    """
    kept = set() if but is None else set(but.graphs())
    for graph in () if model is None else model.graphs():
        if graph not in kept:
            vars(graph).pop(_ROWS, None)


def _asks(query: str, what: Callable[[Query], bool]) -> bool:
    try:
        return bool(query.strip()) and what(parse(query))
    except QueryError:
        return False


def _ranks(column: CodedColumn[str]) -> Ints:
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
