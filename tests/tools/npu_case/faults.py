"""What can be wrong with one node on purpose. To add a fault: a function and a row of FAULTS."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import onnx

from tools.npu_case.source import Array, Source, floats, made, name_of

# Beyond it float16 has no numbers.
LARGEST = 65504.0


class NoSuchFaultError(Exception):
    """The node has nothing that could be wrong in that way."""


@dataclass(frozen=True, slots=True)
class Fault:
    """`kind` is a row of FAULTS; an amount of 0 stands for that row's own."""

    node: str
    kind: str = "weights"
    amount: float = 0.0


@dataclass(frozen=True, slots=True)
class Work:
    """One node that is about to run."""

    source: Source
    node: onnx.NodeProto
    values: Mapping[str, Array]
    amount: float
    dice: np.random.Generator


Before = Callable[[Work], tuple[onnx.NodeProto, dict[str, Array]]]
After = Callable[[Work, Array], Array]


@dataclass(frozen=True, slots=True)
class Kind:
    """Changes the node and what it reads before it runs, or what it makes afterwards."""

    key: str
    what: str
    amount: float
    before: Before | None = None
    after: After | None = None


def _weights(work: Work) -> tuple[onnx.NodeProto, dict[str, Array]]:
    name = weights_of(work.source, work.node)
    if name is None:
        raise NoSuchFaultError(f"{name_of(work.node)} has no weights.")
    weights = work.values[name]
    noise = work.dice.standard_normal(weights.shape) * float(np.sqrt(np.mean(np.square(weights))))
    return work.node, {name: (weights + work.amount * noise).astype(weights.dtype)}


def weights_of(source: Source, node: onnx.NodeProto) -> str | None:
    """The constant that it reads besides its data, if it has more than one value."""
    names = (name for name in node.input if name in source.constant and floats(source.values[name]))
    return next((name for name in names if source.values[name].size > 1), None)


def _activation(work: Work) -> tuple[onnx.NodeProto, dict[str, Array]]:
    others = {"Relu": "Identity", "Sigmoid": "Tanh", "Tanh": "Sigmoid", "Clip": "Identity", "Erf": "Tanh"}
    if work.node.op_type not in others:
        raise NoSuchFaultError(f"{name_of(work.node)} is no activation that has another one in place of it.")
    other = onnx.helper.make_node(others[work.node.op_type], work.node.input[:1], work.node.output, work.node.name)
    return other, {}


def _epsilon(work: Work) -> tuple[onnx.NodeProto, dict[str, Array]]:
    other = onnx.NodeProto.FromString(work.node.SerializeToString())
    for entry in other.attribute:
        if entry.name == "epsilon":
            entry.f = work.amount
            return other, {}
    raise NoSuchFaultError(f"{name_of(work.node)} has no epsilon.")


def _transposed(work: Work, array: Array) -> Array:
    """The values as they lie if the last two axes that are longer than 1 were exchanged."""
    axes = [axis for axis in range(array.ndim) if array.shape[axis] > 1][-2:]
    if len(axes) < 2:
        raise NoSuchFaultError(f"{name_of(work.node)} makes one row only, which is the same either way.")
    return np.ascontiguousarray(np.swapaxes(array, *axes)).reshape(array.shape)


def _channel(work: Work, array: Array) -> Array:
    axis = 1 if array.ndim == 4 else array.ndim - 1
    powers = np.square(array.astype(np.float64)).sum(axis=tuple(at for at in range(array.ndim) if at != axis))
    wrong = array.copy()
    np.moveaxis(wrong, axis, 0)[int(powers.argmax())] = 0
    return wrong


def _overflow(work: Work, array: Array) -> Array:
    """The largest value is so many times what float16 holds."""
    largest = float(np.abs(array).max())
    return array * (work.amount * LARGEST / largest if largest else 1.0)


def _nan(work: Work, array: Array) -> Array:
    wrong = array.copy()
    wrong.reshape(-1)[int(np.abs(array).argmax())] = np.nan
    return wrong


FAULTS: tuple[Kind, ...] = (
    Kind("weights", "its weights are disturbed by noise of AMOUNT times their own size", 0.5, before=_weights),
    Kind("activation", "another activation is computed", 1.0, before=_activation),
    Kind("epsilon", "the epsilon of a norm is AMOUNT", 1.0, before=_epsilon),
    Kind("transposed", "the last two axes of its output are exchanged", 1.0, after=_transposed),
    Kind("channel", "its loudest output channel is zero", 1.0, after=_channel),
    Kind("overflow", "the largest value of its output is AMOUNT times the largest float16", 4.0, after=_overflow),
    Kind("nan", "one value of its output is NaN", 1.0, after=_nan),
)
_BY_KEY = {kind.key: kind for kind in FAULTS}


def kind_of(fault: Fault) -> Kind:
    return _BY_KEY[fault.kind]


def faults_of(source: Source, node: onnx.NodeProto) -> tuple[str, ...]:
    """The kinds that this node can have, tried out on its own values."""
    possible: list[str] = []
    for kind in FAULTS:
        work = Work(source, node, source.values, kind.amount, np.random.default_rng(0))
        output = source.values[made(node)[0]]
        try:
            if kind.before is not None:
                kind.before(work)
            elif kind.after is None or not floats(output) or np.array_equal(kind.after(work, output), output):
                continue
        except NoSuchFaultError:
            continue
        possible.append(kind.key)
    return tuple(possible)
