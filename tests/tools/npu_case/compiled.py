"""The compiled model: operators, what they read, and what was inserted between them to change type and layout."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tools.npu_case.fusing import ACTIVATIONS, FOLDED, Group
from tools.npu_case.layouts import BLOCKS, FRACTAL, plain_layout, stored_type
from tools.npu_case.source import Array, Source, floats, made, name_of

_IN_BLOCKS: Final = frozenset(
    {"Conv", "ConvTranspose", "MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "BatchNormalization"}
)
_IN_FRACTALS: Final = frozenset({"Gemm", "MatMul"})
# They take the layout of what they read.
_ANY: Final = ACTIVATIONS | {"Add", "Mul", "Sub", "Div", "Max", "Min", "Erf", "Sqrt", "Exp"}
# They only say anew how the same memory is to be read: nothing runs, and nothing is dumped.
NO_TASK: Final = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"})


@dataclass(frozen=True, eq=False)
class Port:
    """An output: its values in their own shape, how they lie, and the original's tensor that they stand for."""

    array: Array
    dtype: str
    layout: str
    origin: tuple[str, int] | None = None


@dataclass(eq=False)
class Op:
    """One operator; `originals` is None where the compiler recorded nothing, and empty where it inserted it."""

    name: str
    op_type: str
    inputs: list["Link"] = field(default_factory=list)
    outputs: list[Port] = field(default_factory=list)
    originals: tuple[str, ...] | None = None
    is_dumped: bool = True
    attributes: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Link:
    """An output of an operator."""

    op: Op
    index: int = 0

    @property
    def port(self) -> Port:
        return self.op.outputs[self.index]


@dataclass(eq=False)
class Compiler:
    """Adds operators in running order; what a reader needs in another form is changed on the way, once."""

    source: Source
    values: Mapping[str, Array]
    ops: list[Op] = field(default_factory=list)
    homes: dict[str, Link] = field(default_factory=dict)
    # Operator by what it inserted: the same tensor in another form.
    _forms: dict[tuple[str, str, str], Link] = field(default_factory=dict)
    _inserted: int = 0

    def all(self, groups: Sequence[Group]) -> list[Op]:
        for name in self.source.inputs:
            self.data(name)
        for group in groups:
            self.group(group)
        self.output()
        return self.ops

    def data(self, name: str) -> None:
        array = self.source.inputs[name]
        self.add(Op(name, "Data", [], [Port(array, array.dtype.name, plain_layout(array))], is_dumped=False), (name,))

    def group(self, group: Group) -> Op:
        """The operator of a group, behind whatever its inputs need."""
        nodes = [self.source.nodes[at] for at in group.nodes]
        reads = self.reads(group)
        layout = self.layout_of(group, reads)
        is_dumped = nodes[0].op_type not in NO_TASK
        inputs = [self.read(name, layout) for name in reads]
        made_by = name_of(nodes[-1])
        outputs = [
            Port(array, stored_type(array), _fitting(layout, array), (made_by, place))
            for place, array in enumerate(self.values[name] for name in made(nodes[-1]))
        ]
        op = Op(group.name, group.op_type, inputs, outputs, group.originals, is_dumped)
        return self.add(op, made(nodes[-1]))

    def add(self, op: Op, tensors: Sequence[str] = ()) -> Op:
        """`tensors` are those that its outputs are."""
        self.ops.append(op)
        self.homes |= {name: Link(op, index) for index, name in enumerate(tensors)}
        return op

    def reads(self, group: Group) -> list[str]:
        """What comes from outside; constants of folded nodes are part of the weights."""
        nodes = [self.source.nodes[at] for at in group.nodes]
        inner = {name for node in nodes for name in made(node)}
        folded = {name for node in nodes[1:] if node.op_type in FOLDED for name in node.input[1:]}
        names = dict.fromkeys(name for node in nodes for name in node.input if name)
        return [name for name in names if name not in inner | folded]

    def layout_of(self, group: Group, reads: Sequence[str]) -> str:
        """In which layout it works; "": as the original lies."""
        kind = self.source.nodes[group.nodes[0]].op_type
        data = [name for name in reads if name not in self.source.constant]
        tensors = [self.values[name] for name in (*data, *made(self.source.nodes[group.nodes[-1]]))]
        if kind in _IN_FRACTALS and all(floats(each) and each.ndim >= 2 for each in tensors):
            return FRACTAL
        four = all(floats(each) and each.ndim == 4 for each in tensors)
        same = len({each.shape for each in tensors}) == 1
        follows = kind in _ANY and same and self.homes[data[0]].port.layout == BLOCKS
        return BLOCKS if four and (kind in _IN_BLOCKS or follows) else ""

    def read(self, tensor: str, layout: str) -> Link:
        """The tensor as an operator of that layout reads it."""
        array = self.values[tensor]
        if tensor in self.source.constant:
            return self._constant(tensor, array)
        return self.form(tensor, _fitting(layout, array), stored_type(array))

    def form(self, tensor: str, layout: str, dtype: str) -> Link:
        home = self.homes[tensor]
        if home.port.dtype != dtype and not (dtype == "float32" and home.port.layout != layout):
            home = self._insert("Cast", tensor, home, home.port.layout, dtype)
        if home.port.layout != layout:
            home = self._insert("TransData", tensor, home, layout, home.port.dtype)
        if home.port.dtype != dtype:
            home = self._insert("Cast", tensor, home, layout, dtype)
        return home

    def output(self) -> Op:
        """What the host gets: plain, and in the type of the original."""
        forms = []
        for name in self.source.outputs:
            dtype = self.source.values[name].dtype.name
            forms.append(self.form(name, plain_layout(self.source.values[name]), dtype))
        return self.add(Op("Node_Output", "NetOutput", forms, originals=(), is_dumped=False))

    def _insert(self, kind: str, tensor: str, before: Link, layout: str, dtype: str) -> Link:
        key = (tensor, layout, dtype)
        if key not in self._forms:
            array = before.port.array if before.op.op_type != "Data" else self.values[tensor]
            origin = before.port.origin if before.op.op_type != "Data" else (before.op.name, 0)
            name = f"trans_{kind}_{self._inserted}"
            self._inserted += 1
            self._forms[key] = Link(self.add(Op(name, kind, [before], [Port(array, dtype, layout, origin)], ())))
        return self._forms[key]

    def _constant(self, tensor: str, array: Array) -> Link:
        if tensor not in self.homes:
            port = Port(array, stored_type(array), plain_layout(array))
            self.add(Op(tensor, "Const", [], [port], is_dumped=False), (tensor,))
        return self.homes[tensor]


def _fitting(layout: str, array: Array) -> str:
    return layout if layout and floats(array) else plain_layout(array)
