"""The operators of a compiled model in the groups that stand for the same original operators."""

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum

from errorflow.base import SILENT, Progress, dataclass, field
from errorflow.formats.compiled import QUANTIZATION, GraphListing, NodeText, TensorText, whole
from errorflow.formats.ge_names import dtype_name

# What makes operators one group: the number of an L1 fusion or an original name, or all original names in one.
Key = str | tuple[str]
NETWORK_INPUT = "Data"
NETWORK_OUTPUT = "NetOutput"
_NODES_PER_STEP = 500
_SLICE = re.compile(r"_lxslice[0-9]+")


@dataclass(slots=True)
class RecordedOutput:
    """Output and what was recorded about it. It changes while information about quantization is merged in."""

    origin: str = ""
    # None: the same number as the output has.
    index: int | None = None
    layout: str = ""
    shape: tuple[int, ...] = ()
    dtype: str = ""


@dataclass(slots=True)
class Operator:
    """One operator. It changes while tables are merged, and not afterwards."""

    name: str
    op_type: str
    inputs: tuple[str, ...]
    outputs: list[RecordedOutput]
    originals: list[str]
    # Whether the compiler wrote the original names down; where it did not, the operator is an original itself.
    recorded: bool
    l1_group: str = ""
    part_of_many: bool = False
    # The place in the order of execution, which -r and -s count.
    number: int = 0
    # The place of the group in the result.
    index: int = 0
    in_quantized_pair: bool = False
    # What the model says about how it quantizes or dequantizes.
    quantization: Mapping[str, object] = field(default_factory=dict)

    @property
    def is_inner(self) -> bool:
        """Whether several operators were fused into several: nothing of the original model stands for its outputs."""
        return self.part_of_many and not any(output.origin for output in self.outputs)


class Relation(Enum):
    """Counts how many operators of the original model a group stands for, and by how many."""

    TO_ONE = "to one"
    TO_MANY = "to many"
    L1 = "L1 fusion"


@dataclass(slots=True)
class FusionTable:
    """Operators by group, in the order in which the groups appear."""

    groups: dict[Key, list[Operator]] = field(default_factory=dict)
    group_of: dict[str, Key] = field(default_factory=dict)
    # In the order of execution.
    operators: list[Operator] = field(default_factory=list)
    network_inputs: list[str] = field(default_factory=list)
    # As dumps call them.
    network_outputs: list[str] = field(default_factory=list)
    # Which file they were merged with, "" for none: a key of `errorflow.compare.match.rules.RULES`.
    merged: str = ""
    _by_name: dict[str, Operator] | None = field(default=None, init=False)
    _members: set[tuple[Key, str]] = field(default_factory=set, init=False)

    def find(self, name: str) -> Operator | None:
        """The operator of that name in the group that the name belongs to."""
        if self._by_name is None:
            known: dict[str, Operator] = {}
            for key, operators in self.groups.items():
                for operator in operators:
                    if self.group_of.get(operator.name) == key:
                        known.setdefault(operator.name, operator)
            self._by_name = known
        return self._by_name.get(name)

    def regroup(self, name: str, l1_group: str, originals: Sequence[str]) -> Key:
        """Writes down, and returns, the group that an operator of these properties belongs to."""
        key: Key = l1_group
        if not l1_group:
            single = originals[0] if originals else ""
            key = ("".join(originals),) if len(originals) > 1 else single if single else name
        self.group_of[name] = key
        return key

    def add(self, operator: Operator) -> None:
        """An operator that its group has already is left out."""
        key = self.regroup(operator.name, operator.l1_group, operator.originals)
        group = self.groups.get(key)
        if group is None:
            operator.index = len(self.groups)
            self.groups[key] = [operator]
        else:
            operator.index = group[0].index
            if (key, operator.name) in self._members:
                return
            group.append(operator)
        self._members.add((key, operator.name))
        self.operators.append(operator)

    def name_renamed(self) -> None:
        """An operator that alone stands for one original operator stands for its outputs, whatever was recorded."""
        for group in self.groups.values():
            operator = group[0]
            if len(group) == 1 and len(operator.originals) == 1 and self._is_renamed(operator):
                _name_outputs(operator, operator.originals[0])

    def _is_renamed(self, operator: Operator) -> bool:
        return self.group_of.get(operator.name) == operator.originals[0]


def relation(group: Sequence[Operator]) -> Relation:
    if len(group) < 2:
        return Relation.TO_ONE
    return Relation.L1 if group[0].l1_group else Relation.TO_MANY


def group_names(group: Sequence[Operator]) -> tuple[str, str]:
    """The operators of a group and their original ones, as msaccucmp lists them."""
    ordered: dict[str, list[str]] = {}
    for operator in group:
        ordered.setdefault(",".join(operator.originals), []).append(operator.name)
    return ",".join(name for names in ordered.values() for name in names), ",".join(ordered)


def fusion_table(listing: GraphListing, progress: Progress = SILENT) -> FusionTable:
    """The table of one file, as long as it is not merged with another one."""
    from errorflow.compare.match.fusion.quantized import mark_quantized_pairs

    table = FusionTable()
    for graph in listing.graphs:
        for at, node in enumerate(graph):
            if at % _NODES_PER_STEP == 0:
                progress.step(at, len(graph), "Grouping operators")
            if node.op_type == NETWORK_INPUT and node.name:
                table.network_inputs.append(node.name)
            operator = _operator(node)
            if node.op_type == NETWORK_OUTPUT:
                table.network_outputs += [_tensor(text) for text in operator.inputs]
            table.add(operator)
        # After each graph: what a later one adds to a group does not take these names back.
        table.name_renamed()
    table.operators.sort(key=lambda operator: operator.number)
    mark_quantized_pairs(table.operators)
    return table


def _operator(node: NodeText) -> Operator:
    name = _SLICE.sub("", node.name)
    originals = _originals(node.attributes)
    operator = Operator(
        name=name,
        op_type=node.op_type,
        inputs=tuple(_connected(node.inputs)),
        outputs=[_output(text, index) for index, text in enumerate(node.outputs) if text.described],
        originals=[name] if originals is None else originals,
        recorded=originals is not None,
        l1_group=_text(node.attributes.get("_L1_fusion_sub_graph_no")),
        part_of_many=node.attributes.get("_datadump_is_multiop") is True,
        number=node.number,
        quantization={key: value for key, value in node.attributes.items() if key in QUANTIZATION},
    )
    if originals is None:
        _name_outputs(operator, name)
    return operator


def _name_outputs(operator: Operator, name: str) -> None:
    if not operator.outputs:
        operator.outputs.append(RecordedOutput(name))
    for output in operator.outputs:
        if not output.origin:
            output.origin = name


def _originals(attributes: Mapping[str, object]) -> list[str] | None:
    if "_datadump_original_op_names" not in attributes:
        return None
    names = attributes["_datadump_original_op_names"]
    found = [str(entry) for entry in names] if isinstance(names, tuple) else [_text(names)]
    return found if found else [""]


def _connected(inputs: Iterable[str]) -> Iterable[str]:
    """Yields inputs without control edges and those that are left out, by which the others move up."""
    return (_SLICE.sub("", text) for text in inputs if text and not text.endswith(":-1"))


def _output(text: TensorText, index: int) -> RecordedOutput:
    known = text.attributes
    recorded, shape = known.get("_datadump_origin_output_index"), known.get("origin_shape")
    layout = _text(known.get("_datadump_origin_format"))
    return RecordedOutput(
        origin=_text(known.get("_datadump_origin_name")),
        index=index if recorded is None else whole(recorded),
        layout=layout if layout else _text(known.get("origin_format")),
        shape=tuple(whole(size) for size in shape) if isinstance(shape, tuple) else (),
        dtype=dtype_name(text.dtype),
    )


def _tensor(text: str) -> str:
    producer, _, index = text.rpartition(":")
    return f"{producer}:output:{index}"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
