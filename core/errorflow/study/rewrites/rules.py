"""Rules of operators: which can take a factor per channel, from behind or from before, and which ones pass it on.

To add one: a function here, and a row in MAKERS (what makes a tensor that is to be divided), READERS (what reads it)
or, if it does the same to a multiple of its input as to the input itself, in PASSING.
"""

from collections.abc import Callable, Mapping

import numpy as np

from errorflow.base.values import dataclass
from errorflow.graph.model import Node
from errorflow.study.rewrites.axes import TensorAxis, kept, place_in
from errorflow.study.rewrites.edges import Edge
from errorflow.study.rewrites.net import Net

# What says no bound in a Clip of before version 11.
_ENDLESS = 3e38
_SECOND = 1


class Blocked(Exception):  # noqa: N818 - it is an answer, not an error
    """The reason, as the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Touch:
    """Touch of a factor: what takes it, and which other tensors are scaled by it."""

    divided: tuple[Edge, ...] = ()
    multiplied: tuple[Edge, ...] = ()
    joined: tuple[tuple[str, TensorAxis], ...] = ()


@dataclass(frozen=True, slots=True)
class At:
    """A tensor at one of its nodes. `deep`: a norm behind a layer passes the factor on to the layer's weights."""

    net: Net
    node: Node
    tensor: str
    axis: TensorAxis
    deep: bool = False

    def constant(self, place: int, axis: int, groups: int = 1, is_weight: bool = False) -> Edge:
        name = self.node.inputs[place]
        source = self.net.source(name)
        if source is None:
            raise Blocked(f"the weights of {self.title} are not constant")
        return Edge(source, axis, self.node.index, groups, is_weight)

    def shape(self, place: int) -> tuple[int, ...]:
        source = self.net.source(self.node.inputs[place])
        if source is None:
            raise Blocked(f"the weights of {self.title} are not constant")
        return self.net.graph.weights.info(source).shape

    def has(self, place: int) -> bool:
        return place < len(self.node.inputs) and bool(self.node.inputs[place])

    def number(self, name: str, otherwise: int) -> int:
        value = self.node.attributes.get(name, otherwise)
        return value if isinstance(value, int) else otherwise

    @property
    def title(self) -> str:
        return self.net.title(self.node.index)

    def need_second(self) -> None:
        if not self.axis.same(TensorAxis(_SECOND, self.axis.rank)):
            raise Blocked(f"its channels lie along another axis than those of {self.title}")

    def need_last(self, rank: int | None = None) -> None:
        if TensorAxis.of(self.axis.index, rank=self.axis.rank if rank is None else rank).from_end != -1:
            raise Blocked(f"its channels lie along another axis than those of {self.title}")

    def passed(self, name: str, axis: TensorAxis | None = None) -> Touch:
        return Touch(joined=((name, self.axis if axis is None else axis),))


# Makers


def _made_by_conv(at: At) -> Touch:
    at.need_second()
    return Touch((at.constant(1, 0, is_weight=True), *_bias(at, 2)))


def _made_by_transposed(at: At) -> Touch:
    at.need_second()
    return Touch((at.constant(1, 1, at.number("group", 1), is_weight=True), *_bias(at, 2)))


def _made_by_gemm(at: At) -> Touch:
    at.need_last(rank=2)
    edges = [at.constant(1, 0 if at.number("transB", 0) else 1, is_weight=True)]
    if at.has(2):
        shape, width = at.shape(2), at.shape(1)[edges[0].axis]
        if not shape or shape[-1] != width:
            raise Blocked(f"{at.title} adds one value to all channels")
        edges.append(at.constant(2, len(shape) - 1))
    return Touch(tuple(edges))


def _made_by_product(at: At) -> Touch:
    at.need_last()
    shape = at.shape(1)
    if len(shape) < 2:
        raise Blocked(f"{at.title} makes no channels")
    return Touch((at.constant(1, len(shape) - 1, is_weight=True),))


def _made_by_batch_norm(at: At) -> Touch:
    at.need_second()
    if at.number("training_mode", 0):
        raise Blocked(f"{at.title} works as in training")
    if at.deep:
        return Touch((at.constant(2, 0), at.constant(3, 0)), joined=((at.node.inputs[0], at.axis),))
    return Touch((at.constant(1, 0), at.constant(2, 0)))


def _made_by_instance_norm(at: At) -> Touch:
    at.need_second()
    return Touch((at.constant(1, 0), at.constant(2, 0)))


def _made_by_layer_norm(at: At) -> Touch:
    at.need_last()
    axis = at.number("axis", -1)
    if axis != -1 and axis + 1 != at.axis.rank:
        raise Blocked(f"{at.title} evens more than channels")
    places = [place for place in (1, 2) if at.has(place)]
    if not places:
        raise Blocked(f"{at.title} has no scale")
    return Touch(tuple(at.constant(place, len(at.shape(place)) - 1) for place in places))


def _bias(at: At, place: int) -> tuple[Edge, ...]:
    return (at.constant(place, 0),) if at.has(place) else ()


def _flowing(at: At) -> tuple[str, int]:
    """Finds of two inputs the one that is no constant, and the place of the other."""
    is_constant = [at.net.source(name) is not None for name in at.node.inputs]
    if is_constant == [False, True]:
        return at.node.inputs[0], 1
    if is_constant == [True, False]:
        return at.node.inputs[1], 0
    raise Blocked(f"{at.node.op_type} puts two tensors together")


def _made_by_sum(at: At) -> Touch:
    flowing, place = _flowing(at)
    _check_rank(at, flowing, place)
    edge = _per_channel(at, place)
    if edge is None and np.any(at.net.read(at.node.inputs[place])):
        raise Blocked(f"{at.title} adds one value to all channels")
    return Touch(() if edge is None else (edge,), joined=((flowing, at.axis),))


def _made_by_factor(at: At) -> Touch:
    flowing, place = _flowing(at)
    _check_rank(at, flowing, place)
    edge = _per_channel(at, place)
    return at.passed(flowing) if edge is None else Touch((edge,))


def _made_by_quotient(at: At) -> Touch:
    flowing, place = _flowing(at)
    if place == 0:
        raise Blocked("Div turns large values into small ones")
    _check_rank(at, flowing, place)
    return at.passed(flowing)


def _per_channel(at: At, place: int) -> Edge | None:
    """Finds the edge; None: it is one value for all channels."""
    found = place_in(at.shape(place), at.axis)
    if found is None and at.axis.from_end is None and len(at.shape(place)) > 0:
        raise Blocked(f"the rank of what {at.title} reads is not known")
    return None if found is None else at.constant(place, found)


def _check_rank(at: At, flowing: str, place: int) -> None:
    """A constant of a higher rank moves axes that are counted from the front."""
    shape = at.net.shape(flowing)
    rank = at.axis.rank if shape is None else len(shape)
    if rank is not None and len(at.shape(place)) > rank:
        raise Blocked(f"{at.title} makes a tensor of a higher rank")


# Readers


def _read_by_conv(at: At) -> Touch:
    at.need_second()
    return Touch(multiplied=(at.constant(1, 1, at.number("group", 1), is_weight=True),))


def _read_by_transposed(at: At) -> Touch:
    at.need_second()
    return Touch(multiplied=(at.constant(1, 0, is_weight=True),))


def _read_by_gemm(at: At) -> Touch:
    if at.number("transA", 0):
        raise Blocked(f"{at.title} turns what it reads around")
    at.need_last(rank=2)
    return Touch(multiplied=(at.constant(1, 1 if at.number("transB", 0) else 0, is_weight=True),))


def _read_by_product(at: At) -> Touch:
    at.need_last()
    shape = at.shape(1)
    return Touch(multiplied=(at.constant(1, max(len(shape) - 2, 0), is_weight=True),))


def _read_by_batch_norm(at: At) -> Touch:
    at.need_second()
    if at.number("training_mode", 0):
        raise Blocked(f"{at.title} works as in training")
    return Touch((at.constant(3, 0),), (at.constant(1, 0),))


def _read_by_factor(at: At) -> Touch:
    flowing, place = _flowing(at)
    _check_rank(at, flowing, place)
    edge = _per_channel(at, place)
    return at.passed(at.node.outputs[0]) if edge is None else Touch(multiplied=(edge,))


def _read_by_sum(at: At) -> Touch:
    _, place = _flowing(at)
    _check_rank(at, at.tensor, place)
    return at.passed(at.node.outputs[0])


def _read_by_quotient(at: At) -> Touch:
    _, place = _flowing(at)
    if place == 0:
        raise Blocked("Div turns large values into small ones")
    _check_rank(at, at.tensor, place)
    return at.passed(at.node.outputs[0])


# Those that pass it on; the other tensor is on their other side.


def _same(at: At, _: str) -> TensorAxis:
    return at.axis


def _pooled(at: At, _: str) -> TensorAxis:
    at.need_second()
    return at.axis


def _clipped(at: At, _: str) -> TensorAxis:
    low, high = (_bound(at, name, place) for place, name in ((1, "min"), (2, "max")))
    if low not in (None, 0.0) or high is not None:
        ends = " … ".join(f"{end:g}" for end in (low, high) if end is not None)
        raise Blocked(f"{at.title} ends at {ends}, which would be another value in each channel")
    return at.axis


def _bound(at: At, name: str, place: int) -> float | None:
    value = at.node.attributes.get(name)
    if at.has(place):
        if at.net.source(at.node.inputs[place]) is None:
            raise Blocked(f"the ends of {at.title} are not constant")
        value = float(np.asarray(at.net.read(at.node.inputs[place])).reshape(-1)[0])
    found = float(value) if isinstance(value, int | float) else None
    return None if found is None or abs(found) >= _ENDLESS else found


def _reshaped(at: At, other: str) -> TensorAxis:
    found = kept(at.net.shape(at.tensor), at.net.shape(other), at.axis)
    if found is None:
        raise Blocked(f"{at.title} puts channels elsewhere")
    return found


def _turned(at: At, other: str) -> TensorAxis:
    shape, perm = at.net.shape(at.tensor), at.node.attributes.get("perm")
    rank = len(perm) if isinstance(perm, list | tuple) else None if shape is None else len(shape)
    if rank is None:
        raise Blocked(f"the rank of what {at.title} reads is not known")
    order = [int(place) for place in perm] if isinstance(perm, list | tuple) else list(reversed(range(rank)))
    index = TensorAxis.of(at.axis.index, rank=rank).index
    is_input = other in at.node.outputs
    return TensorAxis(order.index(index) if is_input else order[index], rank)


Passing = Callable[[At, str], TensorAxis]
PASSING: Mapping[str, Passing] = {
    **dict.fromkeys(("Relu", "LeakyRelu", "PRelu", "Identity", "Dropout", "Abs"), _same),
    **dict.fromkeys(("MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool"), _pooled),
    **dict.fromkeys(("Reshape", "Flatten", "Squeeze", "Unsqueeze"), _reshaped),
    "Clip": _clipped,
    "Transpose": _turned,
}
Rule = Callable[[At], Touch]
MAKERS: Mapping[str, Rule] = {
    "Conv": _made_by_conv,
    "ConvTranspose": _made_by_transposed,
    "Gemm": _made_by_gemm,
    "MatMul": _made_by_product,
    "BatchNormalization": _made_by_batch_norm,
    "InstanceNormalization": _made_by_instance_norm,
    **dict.fromkeys(("LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization"), _made_by_layer_norm),
    **dict.fromkeys(("Add", "Sub"), _made_by_sum),
    "Mul": _made_by_factor,
    "Div": _made_by_quotient,
}
READERS: Mapping[str, Rule] = {
    "Conv": _read_by_conv,
    "ConvTranspose": _read_by_transposed,
    "Gemm": _read_by_gemm,
    "MatMul": _read_by_product,
    "BatchNormalization": _read_by_batch_norm,
    **dict.fromkeys(("Add", "Sub"), _read_by_sum),
    "Mul": _read_by_factor,
    "Div": _read_by_quotient,
}


def made(at: At) -> Touch:
    """Finds what the node has to do so that its output is divided."""
    if at.tensor != at.node.outputs[0] or any(at.net.readers.get(name) for name in at.node.outputs[1:] if name):
        raise Blocked(f"{at.title} makes several tensors")
    passing = PASSING.get(at.node.op_type)
    if passing is not None:
        return at.passed(at.node.inputs[0], passing(at, at.node.inputs[0]))
    return _rule(at, MAKERS)(at)


def read(at: At) -> Touch:
    """Finds what the node has to do so that its input may be divided."""
    places = [place for place, name in enumerate(at.node.inputs) if name == at.tensor]
    passing = PASSING.get(at.node.op_type)
    if passing is not None and places == [0]:
        output = at.node.outputs[0]
        return at.passed(output, passing(at, output))
    symmetric = at.node.op_type in ("Add", "Sub", "Mul")
    if places != [0] and not (symmetric and len(places) == 1):
        raise Blocked(f"{at.title} reads it as something else than its first input")
    return _rule(at, READERS)(at)


def _rule(at: At, rules: Mapping[str, Rule]) -> Rule:
    found = rules.get(at.node.op_type) if at.node.domain in ("", "ai.onnx") else None
    if found is None:
        raise Blocked(f"{at.node.op_type} makes something else of channels that are scaled")
    return found
