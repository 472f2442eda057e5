"""Builds the graphs of an Ascend model from plain data; the JSON and the .om both end here."""

from collections import Counter, deque
from collections.abc import Mapping, Sequence

import numpy as np

from errorflow.base import FormatError, dataclass, field
from errorflow.base.arrays import Longs
from errorflow.formats.compiled import ConstantPlace, NodeText, TensorText, whole
from errorflow.formats.ge_names import dtype_name, layout_name, shape_of
from errorflow.graph.build import GraphBuilder, noted
from errorflow.graph.model import Function, Graph, Origin, Problem, Shape, Subgraph

INPUT_TYPES = frozenset({"Data", "RefData", "AnnData", "AippData", "Input"})
OUTPUT_TYPES = frozenset({"NetOutput"})
CONSTANT_TYPES = frozenset({"Const", "Constant", "ConstPlaceHolder", "FileConstant"})
# What the subgraphs of a control-flow operator are for, in the order in which it lists them.
_ROLES = {"If": ("then_branch", "else_branch"), "While": ("cond", "body"), "For": ("body",), "PartitionedCall": ("f",)}
# Outputs that an operator does not describe but others read are believed up to here.
MAX_OUTPUTS = 1024
# Far beyond any model that was ever compiled; what is collected takes memory before the graph is built.
MAX_NODES = 1_000_000
MAX_LINKS = 5_000_000
MAX_GRAPHS = 10_000


@dataclass(frozen=True, slots=True)
class _Row:
    """A node while the graph is collected: edges not resolved yet."""

    name: str
    op_type: str
    inputs: tuple[str, ...]
    waits_for: tuple[str, ...]
    outputs: int
    origins: tuple[str, ...] | None
    subgraphs: tuple[str, ...]


@dataclass(slots=True)
class GraphDraft:
    """One graph of the file: `add` its operators in their order, then `assemble` all drafts."""

    name: str = ""
    builder: GraphBuilder = field(default_factory=GraphBuilder)
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    rows: list[_Row] = field(default_factory=list)
    constants: dict[str, ConstantPlace] = field(default_factory=dict)
    _links: int = 0
    _places: list[int] = field(default_factory=list)
    _most_read: dict[str, int] = field(default_factory=dict)

    def add(self, node: NodeText) -> None:
        self._count(len(node.inputs) + len(node.outputs) + len(node.subgraphs))
        inputs, waits_for = [], []
        for text in node.inputs:
            producer, index = split_input(text)
            if not producer:
                inputs.append("")
            elif index < 0:
                waits_for.append(producer)
            else:
                inputs.append(f"{producer}:{index}")
                self._most_read[producer] = max(index + 1, self._most_read.get(producer, 0))
        for index, output in enumerate(node.outputs):
            self._describe(f"{node.name}:{index}", index, output)
        origins = _origins(node.attributes.get("_datadump_original_op_names", _ABSENT))
        self.rows.append(
            _Row(node.name, node.op_type, tuple(inputs), tuple(waits_for), len(node.outputs), origins, node.subgraphs)
        )
        self._places += (node.start, node.end)
        if node.constant is not None:
            self.constants[f"{node.name}:0"] = node.constant

    def _count(self, links: int) -> None:
        self._links += links
        if len(self.rows) > MAX_NODES or self._links > MAX_LINKS:
            raise too_large()

    @property
    def places(self) -> Longs:
        """Ranges of the file's bytes that describe each node."""
        return np.array(self._places, np.int64).reshape(-1, 2)

    def _describe(self, name: str, index: int, tensor: TensorText) -> None:
        known = tensor.attributes
        self.builder.tensor(
            name,
            dtype=dtype_name(tensor.dtype),
            shape=shape_of(tensor.dims),
            layout=layout_name(tensor.layout),
            original_layout=layout_name(known.get("origin_format")),
            original_shape=_shape(known.get("origin_shape")),
            origin=_origin(known, index),
        )

    def fill(self) -> None:
        """Hands all nodes to the builder, now that it is known which outputs are read."""
        builder, undescribed = self.builder, []
        for row in self.rows:
            outputs = row.outputs
            read = self._most_read.get(row.name, 0)
            if outputs < read <= MAX_OUTPUTS:
                undescribed.append(row.name)
                self._count(read - outputs)
                outputs = read
            builder.node(
                row.op_type,
                row.inputs,
                [f"{row.name}:{index}" for index in range(outputs)],
                name=row.name,
                origins=row.origins,
                waits_for=row.waits_for,
            )
            if row.op_type in CONSTANT_TYPES and outputs:
                builder.constant(f"{row.name}:0")
        builder.name = self.name
        if undescribed:
            note(builder, f"{len(undescribed)} operators are read at outputs that they do not describe", undescribed)
        for name in self._input_tensors():
            builder.input(name)
        for name in self._output_tensors():
            builder.output(name)

    def _input_tensors(self) -> list[str]:
        made = {
            f"{row.name}:0": None
            for row in self.rows
            if row.op_type in INPUT_TYPES and (row.outputs or row.name in self._most_read)
        }
        listed = [name for name in map(_normal, self.inputs) if name in made]
        return list(dict.fromkeys([*listed, *made]))

    def _output_tensors(self) -> list[str]:
        ends = [row for row in self.rows if row.op_type in OUTPUT_TYPES]
        names = [name for row in ends for name in row.inputs] if ends else [_normal(name) for name in self.outputs]
        return [name for name in names if name] if names else self._unread()

    def _unread(self) -> list[str]:
        """Lists outputs where a file names none, as hand-made ones do: what connected operators make and no node
        reads.
        """
        read = {name for row in self.rows for name in row.inputs}
        made = [f"{row.name}:{index}" for row in self.rows if any(row.inputs) for index in range(row.outputs)]
        return [name for name in made if name not in read]


def split_input(text: str) -> tuple[str, int]:
    """The producer and the number of its output; -1 is a control edge. Names may hold colons: the last one counts."""
    producer, colon, index = text.rpartition(":")
    if colon and len(index) < 10 and index.isascii() and index.removeprefix("-").isdecimal():
        return producer, int(index)
    return text, 0


def assemble(drafts: Sequence[GraphDraft]) -> tuple[Graph, tuple[Function, ...]]:
    """Assembles the main graph with the others below the operators that own them, and those without an owner."""
    if len(drafts) > MAX_GRAPHS:
        raise too_large()
    for draft in drafts:
        draft.fill()
    tree = grow([draft.name for draft in drafts], [_links(draft) for draft in drafts])
    for text, examples in tree.oddities:
        note(drafts[0].builder, text, examples)
    graphs: dict[int, Graph] = {}
    for position in reversed(tree.order):
        builder = drafts[position].builder
        builder.subgraphs.extend(Subgraph(link.owner, link.role, graphs[link.child]) for link in tree.below[position])
        graphs[position] = builder.build()
    return graphs[0], tuple(Function("", graphs[root].name, graphs[root]) for root in tree.roots[1:])


def too_large() -> FormatError:
    return FormatError(
        f"The model has more than {MAX_NODES:,} operators, {MAX_LINKS:,} links or {MAX_GRAPHS:,} graphs.",
        "No real model is that large; the file is probably broken.",
    )


def note(builder: GraphBuilder, text: str, examples: Sequence[str]) -> None:
    """Writes down something odd that several operators or graphs share."""
    builder.problems.append(Problem(noted(text, examples), builder.name))


def _links(draft: GraphDraft) -> list[tuple[int, str, str]]:
    """Owner, role and name of each subgraph that the graph's operators ask for."""
    found = []
    for owner, row in enumerate(draft.rows):
        roles = _ROLES.get(row.op_type.removeprefix("Stateless").removeprefix("Stateful").removeprefix("_"), ())
        for index, name in enumerate(row.subgraphs):
            if name:
                found.append((owner, roles[index] if index < len(roles) else name, name))
    return found


_ABSENT = object()


def _origins(names: object) -> tuple[str, ...] | None:
    """Reads origins; None: nothing was recorded. Empty: recorded that there is none."""
    if names is _ABSENT:
        return None
    if isinstance(names, str):
        return (names,) if names else ()
    return tuple(str(name) for name in names if name) if isinstance(names, tuple) else ()


def _origin(known: Mapping[str, object], index: int) -> Origin | None:
    dtype = known.get("_datadump_origin_data_type", known.get("_datadump_data_type"))
    name, layout = known.get("_datadump_origin_name"), known.get("_datadump_origin_format")
    if not isinstance(name, str) or not name:
        return None
    output = known.get("_datadump_origin_output_index")
    return Origin(name, index if output is None else whole(output), layout_name(layout), dtype_name(dtype))


def _shape(dims: object) -> Shape:
    return shape_of(tuple(whole(dim) for dim in dims)) if isinstance(dims, tuple) else None


def _normal(text: str) -> str:
    producer, index = split_input(text)
    return f"{producer}:{index}" if producer else ""


# Which graph of a file lies below which operator of which other graph: always a tree, whatever the file says.

# Deeper than any compiler nests control flow; whoever walks the tree recurses.
MAX_NESTING = 50


@dataclass(frozen=True, slots=True)
class Link:
    """Operator `owner` runs the graph at position `child` as its `role`."""

    owner: int
    role: str
    child: int


@dataclass(frozen=True, slots=True)
class GraphTree:
    """Graphs by position, parents before children; `roots` begin with the main graph, the others have no owner."""

    roots: tuple[int, ...]
    order: tuple[int, ...]
    below: tuple[tuple[Link, ...], ...]
    # What was odd, with examples.
    oddities: tuple[tuple[str, list[str]], ...]


def grow(names: Sequence[str], wanted: Sequence[Sequence[tuple[int, str, str]]]) -> GraphTree:
    """Links graphs by name, given for each graph which (owner, role, name) it asks for; graph 0 is the main one."""
    positions: dict[str, int] = {}
    for position, name in enumerate(names):
        positions.setdefault(name, position)
    missing = [name for asked in wanted for _, _, name in asked if name not in positions]
    links = [[Link(owner, role, positions[n]) for owner, role, n in asked if n in positions] for asked in wanted]
    tree = _Growth(links)
    tree.grow()
    oddities = [
        ("{} subgraphs are asked for but not in the file", list(dict.fromkeys(missing))),
        (
            "{} graphs are asked for by more than one operator and shown below one of them",
            [names[p] for p in tree.left],
        ),
        ("{} graphs belong to no operator", [names[p] for p in tree.roots[1:]]),
        ("{} graphs have a name that another one has", [n for n, count in Counter(names).items() if count > 1 and n]),
    ]
    return GraphTree(
        roots=tuple(tree.roots),
        order=tuple(tree.order),
        below=tuple(tuple(row) for row in tree.below),
        oddities=tuple((text.format(len(found)), found) for text, found in oddities if found),
    )


class _Growth:
    def __init__(self, links: list[list[Link]]) -> None:
        self.links = links
        self.roots: list[int] = []
        self.order: list[int] = []
        self.below: list[list[Link]] = [[] for _ in links]
        # Graphs that someone asked for who did not get them.
        self.left: list[int] = []
        self._seen: set[int] = set()

    def grow(self) -> None:
        asked_for = {link.child for row in self.links for link in row}
        self._take(0)
        for position in range(len(self.links)):
            if position not in asked_for:
                self._take(position)
        for position in range(len(self.links)):  # those in a circle, or nested too deep
            self._take(position)

    def _take(self, root: int) -> None:
        if root in self._seen:
            return
        self._seen.add(root)
        self.roots.append(root)
        queue = deque([(root, 0)])
        while queue:
            position, depth = queue.popleft()
            self.order.append(position)
            for link in self.links[position]:
                if link.child in self._seen or depth == MAX_NESTING:
                    self.left.append(link.child)
                    continue
                self._seen.add(link.child)
                self.below[position].append(link)
                queue.append((link.child, depth + 1))
