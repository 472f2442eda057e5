"""A model as it was read: nodes, and tensors on the edges between them. Nothing about quantization here.

A graph is a frozen value over arrays; `Node` and `Tensor` are small frozen views of one row, made when asked for.
Edges are tensor names: a node produces some, consumes others. Build one with `errorflow.graph.build.GraphBuilder`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from errorflow.base import Progress, dataclass, field
from errorflow.base.arrays import CodedColumn, Ints, Ragged

if TYPE_CHECKING:
    import networkx as nx

Made = TypeVar("Made")
# One dimension: a size, a name for a size that is open until the model runs, or None for unknown.
Dim = int | str | None
# None: nothing is known, not even the rank. (): a scalar.
Shape = tuple[Dim, ...] | None


@dataclass(frozen=True, slots=True)
class Origin:
    """The tensor of the original model that a compiler says this one stands for."""

    name: str
    index: int = 0
    layout: str = ""
    dtype: str = ""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One value on an edge. `layout` and the `original_` fields are what an NPU compiler recorded, else empty."""

    name: str
    dtype: str = ""
    shape: Shape = None
    layout: str = ""
    original_layout: str = ""
    original_shape: Shape = None
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """One operator. Inputs that are left out have the name ""."""

    index: int
    name: str
    op_type: str
    domain: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, object]
    # Names of the source operators that a compiler merged into this one; None: it recorded nothing and the node
    # keeps its own name; (): the compiler inserted the node.
    origins: tuple[str, ...] | None = None
    # Nodes that must run before this one although no tensor flows between them.
    waits_for: tuple[str, ...] = ()
    # Positions in `Graph.subgraphs`.
    subgraphs: tuple[int, ...] = ()

    @property
    def title(self) -> str:
        """The name, or for a nameless node what tells it from others."""
        return _title(self.name, self.op_type, self.outputs)


def _title(name: str, op_type: str, outputs: Sequence[str]) -> str:
    return name if name else f"{op_type} → {next(filter(None, outputs), '?')}"


@dataclass(frozen=True, slots=True)
class Problem:
    """Oddity in a file that did not stop it from being read."""

    text: str
    where: str = ""
    # Of the two runs that are compared the one that it is in: candidate or reference; "": it is in neither, or in both.
    side: str = ""


@dataclass(frozen=True, slots=True)
class Weight:
    """A constant tensor in the file: what it is, not its values."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    nbytes: int
    # Where it lies when not in the model file itself.
    location: str = ""


class Weights(Protocol):
    """The constants of one graph; values are read when asked for, one tensor at a time."""

    def names(self) -> Sequence[str]: ...

    def info(self, name: str) -> Weight: ...

    def read(self, name: str) -> NDArray[np.generic]: ...


@runtime_checkable
class PartialWeights(Protocol):
    """Weights of which some are known not to be there."""

    def lack_of(self, name: str) -> str:
        """Says why the values of one cannot be read; "": they can."""
        ...


class _NoWeights:
    def names(self) -> Sequence[str]:
        return ()

    def info(self, name: str) -> Weight:
        raise KeyError(name)

    def read(self, name: str) -> NDArray[np.generic]:
        raise KeyError(name)


NO_WEIGHTS: Weights = _NoWeights()


class Attributes(Protocol):
    """The attributes of each node, decoded when asked for: most are never looked at."""

    def __call__(self, node: int) -> Mapping[str, object]: ...


def no_attributes(node: int) -> Mapping[str, object]:  # noqa: ARG001 - the signature of `Attributes`
    return {}


@dataclass(frozen=True, eq=False)
class Subgraph:
    """The body of a control-flow node: `owner` runs it as its `role` (then_branch, body, …)."""

    owner: int
    role: str
    graph: "Graph"


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes in file order and the tensors between them. `-1` in `node_inputs` is an input that is left out."""

    name: str
    node_names: tuple[str, ...]
    op_types: CodedColumn[str]
    domains: CodedColumn[str]
    node_inputs: Ragged
    node_outputs: Ragged
    tensor_names: tuple[str, ...]
    dtypes: CodedColumn[str]
    shapes: CodedColumn[Shape]
    # Who makes each tensor: a node, or -1 (graph input, constant, or dangling).
    producers: Ints
    inputs: Ints
    outputs: Ints
    constants: Ints
    origins: CodedColumn[tuple[str, ...] | None]
    layouts: CodedColumn[str]
    original_layouts: CodedColumn[str]
    original_shapes: CodedColumn[Shape]
    tensor_origins: Mapping[int, Origin] = field(default_factory=dict)
    # Control edges: for each node, those that must run before it.
    waits_for: Ragged = field(default_factory=lambda: Ragged.of(()))
    subgraphs: tuple[Subgraph, ...] = ()
    attributes: Attributes = no_attributes
    weights: Weights = NO_WEIGHTS
    problems: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        return len(self.node_names)

    def node(self, index: int) -> Node:
        names = self.tensor_names
        return Node(
            index=index,
            name=self.node_names[index],
            op_type=self.op_types[index],
            domain=self.domains[index],
            inputs=tuple("" if i < 0 else names[i] for i in self.node_inputs[index].tolist()),
            outputs=tuple("" if i < 0 else names[i] for i in self.node_outputs[index].tolist()),
            attributes=self.attributes(index),
            origins=self.origins[index],
            waits_for=tuple(self.node_names[i] for i in self._waits(index).tolist()),
            subgraphs=tuple(self._bodies.get(index, ())),
        )

    def title(self, node: int) -> str:
        """`Node.title`, without decoding all of the node."""
        outputs = [self.tensor_names[tensor] for tensor in self.node_outputs[node].tolist() if tensor >= 0]
        return _title(self.node_names[node], self.op_types[node], outputs)

    def nodes(self) -> Iterator[Node]:
        return (self.node(index) for index in range(len(self)))

    def tensor(self, index: int) -> Tensor:
        return Tensor(
            name=self.tensor_names[index],
            dtype=self.dtypes[index],
            shape=self.shapes[index],
            layout=self.layouts[index],
            original_layout=self.original_layouts[index],
            original_shape=self.original_shapes[index],
            origin=self.tensor_origins.get(index),
        )

    def tensor_index(self, name: str) -> int | None:
        return self._tensor_ids.get(name)

    def node_index(self, name: str) -> int | None:
        """The first node of that name; "" is no name."""
        return self._node_ids.get(name)

    @cached_property
    def edges(self) -> tuple[Ints, Ints, Ints]:
        """Data edges between nodes as three equally long arrays: from node, to node, tensor."""
        tensors, readers = self.node_inputs.values, self.node_inputs.owners()
        if not len(tensors) or not len(self.producers):
            nothing = np.zeros(0, np.int32)
            return nothing, nothing, nothing
        makers = np.where(tensors >= 0, self.producers[tensors], -1).astype(np.int32)
        keep = makers >= 0
        return makers[keep], readers[keep], tensors[keep]

    @cached_property
    def consumers(self) -> Ragged:
        """Nodes that read each tensor, in file order."""
        tensors, readers = self.node_inputs.values, self.node_inputs.owners()
        used = tensors >= 0
        return Ragged.grouped(tensors[used], readers[used], len(self.tensor_names))

    def networkx(self) -> "nx.MultiDiGraph":
        """A copy for networkx: nodes are numbered as here, edges carry `tensor`."""
        import networkx as nx

        view = nx.MultiDiGraph(name=self.name)
        view.add_nodes_from(
            (i, {"name": n, "op_type": t}) for i, (n, t) in enumerate(zip(self.node_names, self.op_types, strict=True))
        )
        start, end, tensor = (column.tolist() for column in self.edges)
        view.add_edges_from(
            (a, b, {"tensor": self.tensor_names[t]}) for a, b, t in zip(start, end, tensor, strict=True)
        )
        return view

    def walk(self) -> Iterator[tuple[tuple[int, ...], "Graph"]]:
        """This graph and all below it, each with the positions in `subgraphs` that lead to it."""
        yield (), self
        for position, body in enumerate(self.subgraphs):
            for path, graph in body.graph.walk():
                yield (position, *path), graph

    def at(self, path: Sequence[int]) -> "Graph":
        """The graph that `walk` gave this path for."""
        graph = self
        for position in path:
            graph = graph.subgraphs[position].graph
        return graph

    def _waits(self, index: int) -> Ints:
        return self.waits_for[index] if len(self.waits_for) else np.zeros(0, np.int32)

    @cached_property
    def _tensor_ids(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.tensor_names)}

    @cached_property
    def _node_ids(self) -> dict[str, int]:
        ids: dict[str, int] = {}
        for index, name in enumerate(self.node_names):
            if name:
                ids.setdefault(name, index)
        return ids

    @cached_property
    def _bodies(self) -> dict[int, list[int]]:
        bodies: dict[int, list[int]] = {}
        for position, body in enumerate(self.subgraphs):
            bodies.setdefault(body.owner, []).append(position)
        return bodies


@dataclass(frozen=True, eq=False)
class Function:
    """A named graph that nodes of its type stand for."""

    domain: str
    name: str
    graph: Graph


@dataclass(frozen=True, eq=False)
class Model:
    """Model as its file describes it: its graph, functions, and facts such as producer and opset."""

    path: Path
    format: str
    graph: Graph
    facts: tuple[tuple[str, str], ...] = ()
    functions: tuple[Function, ...] = ()
    # Fills in missing shapes, which takes long enough to be done in the background; None: nothing to gain.
    infer_shapes: Callable[[Progress], "Model"] | None = None

    def graphs(self) -> Iterator[Graph]:
        for _, graph in self.graph.walk():
            yield graph
        for function in self.functions:
            for _, graph in function.graph.walk():
                yield graph

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(problem for graph in self.graphs() for problem in graph.problems)


def once(make: Callable[[Graph], Made]) -> Callable[[Graph], Made]:
    """Makes a function that works once per graph. Its result must not refer to the graph, which would keep it for
    ever.
    """
    known: WeakKeyDictionary[Graph, Made] = WeakKeyDictionary()

    @wraps(make)
    def found(graph: Graph) -> Made:
        made = known.get(graph)
        if made is None:
            made = known[graph] = make(graph)
        return made

    return found
