"""Makes a `Graph` from what a reader found, and writes down what is odd about it.

Every reader ends here, so all formats are checked alike: names given twice, tensors made twice, inputs that nothing
makes, cycles. None of these stops a file from being shown.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from errorflow.base import FormatError, dataclass, field
from errorflow.base.arrays import CodedColumn, Ints, Ragged, T, frozen
from errorflow.base.language import say
from errorflow.graph.model import (
    NO_WEIGHTS,
    Attributes,
    Graph,
    Origin,
    Problem,
    Shape,
    Subgraph,
    Weights,
    no_attributes,
)
from errorflow.graph.order import cyclic_nodes

MAX_NODES = 2_000_000
MAX_LINKS = 20_000_000
EXAMPLES = 3


@dataclass(slots=True)
class GraphBuilder:
    """Collects nodes and tensors, then `build`s. Names are given as strings; numbers are handed out here."""

    name: str = ""
    attributes: Attributes = no_attributes
    weights: Weights = NO_WEIGHTS
    problems: list[Problem] = field(default_factory=list)
    subgraphs: list[Subgraph] = field(default_factory=list)
    _node_names: list[str] = field(default_factory=list)
    _op_types: list[str] = field(default_factory=list)
    _domains: list[str] = field(default_factory=list)
    # Rows one behind the other, and where each ends: a list per node would take five times the memory.
    _inputs: "array[int]" = field(default_factory=lambda: array("i"))
    _input_ends: "array[int]" = field(default_factory=lambda: array("i", [0]))
    _outputs: "array[int]" = field(default_factory=lambda: array("i"))
    _output_ends: "array[int]" = field(default_factory=lambda: array("i", [0]))
    _waits: list[tuple[int, str]] = field(default_factory=list)
    _origins: list[tuple[str, ...] | None] = field(default_factory=list)
    _tensor_ids: dict[str, int] = field(default_factory=dict)
    _dtypes: dict[int, str] = field(default_factory=dict)
    _shapes: dict[int, Shape] = field(default_factory=dict)
    _layouts: dict[int, str] = field(default_factory=dict)
    _original_layouts: dict[int, str] = field(default_factory=dict)
    _original_shapes: dict[int, Shape] = field(default_factory=dict)
    _tensor_origins: dict[int, Origin] = field(default_factory=dict)
    _graph_inputs: list[int] = field(default_factory=list)
    _graph_outputs: list[int] = field(default_factory=list)
    _constants: list[int] = field(default_factory=list)
    _outer: frozenset[str] = frozenset()

    def tensor(
        self,
        name: str,
        dtype: str = "",
        shape: Shape = None,
        layout: str = "",
        original_layout: str = "",
        original_shape: Shape = None,
        origin: Origin | None = None,
    ) -> int:
        """Says what is known about a tensor; may be called again with more."""
        index = self._tensor_ids.setdefault(name, len(self._tensor_ids))
        for value, column in (
            (dtype, self._dtypes),
            (layout, self._layouts),
            (original_layout, self._original_layouts),
        ):
            if value:
                column[index] = value
        if shape is not None:
            self._shapes[index] = shape
        if original_shape is not None:
            self._original_shapes[index] = original_shape
        if origin is not None:
            self._tensor_origins[index] = origin
        return index

    def node(
        self,
        op_type: str,
        inputs: Iterable[str],
        outputs: Iterable[str],
        name: str = "",
        domain: str = "",
        origins: tuple[str, ...] | None = None,
        waits_for: Sequence[str] = (),
    ) -> int:
        """Adds a node and returns its number. "" stands for an input or output that is left out."""
        index = len(self._node_names)
        ids = self._tensor_ids
        self._inputs.extend([ids.setdefault(i, len(ids)) if i else -1 for i in inputs])
        self._outputs.extend([ids.setdefault(o, len(ids)) if o else -1 for o in outputs])
        self._input_ends.append(len(self._inputs))
        self._output_ends.append(len(self._outputs))
        if index >= MAX_NODES or len(self._inputs) + len(self._outputs) > MAX_LINKS:
            raise FormatError(
                f"The graph has more than {MAX_NODES:,} nodes or {MAX_LINKS:,} links.",
                "No real model is that large; the file is probably broken.",
            )
        self._node_names.append(name)
        self._op_types.append(op_type)
        self._domains.append(domain)
        self._origins.append(origins)
        self._waits.extend((index, other) for other in waits_for)
        return index

    def input(self, name: str) -> None:
        self._graph_inputs.append(self.tensor(name))

    def output(self, name: str) -> None:
        self._graph_outputs.append(self.tensor(name))

    def constant(self, name: str) -> None:
        self._constants.append(self.tensor(name))

    def type_of(self, name: str) -> tuple[str, Shape] | None:
        """Element type and shape, as far as they were told; None where the tensor was not mentioned so far."""
        index = self._tensor_ids.get(name)
        return None if index is None else (self._dtypes.get(index, ""), self._shapes.get(index))

    def tensor_names(self) -> Iterable[str]:
        """The tensors that were mentioned so far."""
        return self._tensor_ids

    def seen_from_outside(self, names: Iterable[str]) -> None:
        """Tensors of the enclosing graphs, which a subgraph may read without saying so."""
        self._outer = self._outer.union(names)

    def build(self) -> Graph:
        node_inputs = Ragged(frozen(self._input_ends), frozen(self._inputs))
        node_outputs = Ragged(frozen(self._output_ends), frozen(self._outputs))
        names = tuple(self._tensor_ids)
        producers = self._producers(node_outputs, names)
        self._note_twice("node", [n for n in self._node_names if n])
        self._note_dangling(node_inputs, producers, names)
        waits = self._resolve_waits()
        graph = Graph(
            name=self.name,
            node_names=tuple(self._node_names),
            op_types=CodedColumn.of(self._op_types),
            domains=CodedColumn.of(self._domains),
            node_inputs=node_inputs,
            node_outputs=node_outputs,
            tensor_names=names,
            dtypes=self._column(self._dtypes, ""),
            shapes=self._column(self._shapes, None),
            producers=producers,
            inputs=frozen(self._graph_inputs),
            outputs=frozen(self._graph_outputs),
            constants=frozen(self._constants),
            origins=CodedColumn.of(self._origins),
            layouts=self._column(self._layouts, ""),
            original_layouts=self._column(self._original_layouts, ""),
            original_shapes=self._column(self._original_shapes, None),
            tensor_origins=self._tensor_origins,
            waits_for=waits,
            subgraphs=tuple(self.subgraphs),
            attributes=self.attributes,
            weights=self.weights,
        )
        self._note_cycle(graph)
        object.__setattr__(graph, "problems", tuple(self.problems))  # not seen by anyone yet
        return graph

    def _column(self, known: Mapping[int, T], nothing: T) -> CodedColumn[T]:
        count = len(self._tensor_ids)
        if not known and count:
            return CodedColumn(frozen(np.zeros(count, np.int32)), (nothing,))
        return CodedColumn.of([known.get(i, nothing) for i in range(count)])

    def _producers(self, node_outputs: Ragged, names: tuple[str, ...]) -> Ints:
        producers = np.full(len(names), -1, np.int32)
        made, makers = node_outputs.values, node_outputs.owners()
        real = made >= 0
        made, makers = made[real], makers[real]
        producers[made[::-1]] = makers[::-1]  # the first maker wins
        twice = np.flatnonzero(np.bincount(made, minlength=len(names)) > 1)
        if len(twice):
            text = counted(len(twice), "tensor is made by more than one node", "tensors are made by more than one node")
            self._note(text, [names[i] for i in twice[: EXAMPLES + 1]])
        producers.flags.writeable = False
        return producers

    def _note(self, text: str, examples: Sequence[str]) -> None:
        self.problems.append(Problem(noted(text, examples), self.name))

    def _note_twice(self, what: str, names: list[str]) -> None:
        if len(set(names)) == len(names):
            return
        twice = [name for name, count in Counter(names).items() if count > 1]
        self._note(counted(len(twice), f"{what} name is given", f"{what} names are given") + " more than once", twice)

    def _note_dangling(self, node_inputs: Ragged, producers: Ints, names: tuple[str, ...]) -> None:
        known = producers >= 0
        known[self._graph_inputs] = True
        known[self._constants] = True
        read = np.zeros(len(names), bool)
        read[node_inputs.values[node_inputs.values >= 0]] = True
        read[self._graph_outputs] = True
        missing = [names[i] for i in np.flatnonzero(read & ~known) if names[i] not in self._outer]
        if missing:
            self._note(counted(len(missing), "tensor is", "tensors are") + " read but made nowhere", missing)

    def _resolve_waits(self) -> Ragged:
        if not self._waits:
            return Ragged.of(())
        numbers: dict[str, int] = {}
        for index, name in enumerate(self._node_names):
            numbers.setdefault(name, index)
        rows: list[list[int]] = [[] for _ in self._node_names]
        unknown = []
        for index, name in self._waits:
            if name in numbers:
                rows[index].append(numbers[name])
            else:
                unknown.append(name)
        if unknown:
            starts = counted(len(unknown), "control edge starts at a node", "control edges start at nodes")
            self._note(starts + (" that does not exist" if len(unknown) == 1 else " that do not exist"), unknown)
        return Ragged.of(rows)

    def _note_cycle(self, graph: Graph) -> None:
        cyclic = cyclic_nodes(graph)
        if len(cyclic):
            titles = [graph.title(i) for i in cyclic[: EXAMPLES + 1].tolist()]
            self._note(
                counted(len(cyclic), "node waits for itself", "nodes wait for each other") + " in a cycle", titles
            )


def noted(text: str, examples: Sequence[str]) -> str:
    """A problem with the first of those it is about."""
    more = ", …" if len(examples) > EXAMPLES else "."
    return f"{text}: {', '.join(examples[:EXAMPLES])}{more}"


def counted(count: int, one: str, many: str) -> str:
    """`1 tensor is` or `3 tensors are`."""
    return say(f"{{}} {one if count == 1 else many}", f"{count:,}")
