"""Compiled model as its file describes it, as plain data: the step between parsing and building graphs.

For matching, graphs say too little: they join what belongs together (inputs with their producers, all outputs of an
operator), and msaccucmp goes by the texts, also by those that are odd.
"""

from collections.abc import Mapping

from errorflow.base.values import dataclass, field, word_list

# The attributes that building and matching need; all others stay in the file until someone looks at the node.
QUANTIZATION = frozenset({"scale", "offset", "sqrt_mode"})
NODE_ATTRIBUTES = QUANTIZATION | {"_datadump_original_op_names", "_datadump_is_multiop", "_L1_fusion_sub_graph_no"}
TENSOR_ATTRIBUTES = frozenset(
    word_list(
        "origin_format origin_shape _datadump_origin_name _datadump_origin_output_index _datadump_origin_format "
        "_datadump_origin_data_type _datadump_data_type"
    )
)


@dataclass(frozen=True, slots=True)
class TensorText:
    """One output of an operator, names of types and layouts still the compiler's."""

    dtype: str | int | None = None
    layout: str | int | None = None
    dims: tuple[int, ...] | None = None
    attributes: Mapping[str, object] = field(default_factory=dict)
    # Whether the compiler wrote any attribute at all: where it did not, msaccucmp does not count the output.
    described: bool = False


@dataclass(frozen=True, slots=True)
class ConstantPlace:
    """The value of a constant operator: where its bytes lie, in the file or counted from its part with weights."""

    dtype: str
    shape: tuple[int, ...]
    start: int
    nbytes: int
    inline: bool


@dataclass(frozen=True, slots=True)
class NodeText:
    """One operator, and the bytes of the file that hold all of it."""

    name: str
    op_type: str
    inputs: tuple[str, ...] = ()
    outputs: tuple[TensorText, ...] = ()
    subgraphs: tuple[str, ...] = ()
    attributes: Mapping[str, object] = field(default_factory=dict)
    start: int = 0
    end: int = 0
    # The place in the order of execution; the first one is not written.
    number: int = 0
    constant: ConstantPlace | None = None


@dataclass(frozen=True, slots=True)
class ModelText:
    """Model: what stands outside of the graphs."""

    name: str = ""
    version: str = ""
    custom_version: str = ""
    attributes: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GraphListing:
    """The graphs of one file in their order, each a list of operators; of no more than these one knows the name."""

    graphs: tuple[tuple[NodeText, ...], ...]
    names: tuple[str, ...]


def whole(value: object) -> int:
    """A whole number given as one or, as printers of 64-bit numbers do, as a string; 0 where it is neither."""
    if isinstance(value, int):
        return int(value)
    if isinstance(value, str) and len(value) <= 20 and value.removeprefix("-").isdecimal():
        return int(value)
    return 0
