"""What a Constant node makes, from whichever of its attributes says so."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorflow.formats.onnx.schema import ATTRIBUTE, NODE
from errorflow.formats.wire import Message, Span, WireError, fields

Array = NDArray[np.generic]
VALUE, SPARSE_VALUE = "value", "sparse_value"
_HOLDERS = {VALUE: ATTRIBUTE.T, SPARSE_VALUE: ATTRIBUTE.SPARSE_TENSOR}


@dataclass(frozen=True, slots=True)
class Readers:
    """How a TensorProto and a SparseTensorProto become arrays."""

    tensor: Callable[[Span], Array]
    sparse: Callable[[Span], Array]


def constant_value(data: bytes, node: Span, readers: Readers) -> Array:
    """The value of the Constant node at `node`, read-only."""
    message = _holder(data, node)
    name = message.text(ATTRIBUTE.NAME)
    if name == VALUE:
        return readers.tensor(message.all(ATTRIBUTE.T)[-1])
    if name == SPARSE_VALUE:
        return readers.sparse(message.all(ATTRIBUTE.SPARSE_TENSOR)[-1])
    value = _PLAIN[name](message)
    value.flags.writeable = False
    return value


def constant_tensor(data: bytes, node: Span) -> Span | None:
    """Where the tensor of a Constant node lies; None where its value is written otherwise."""
    message = _holder(data, node)
    return message.all(ATTRIBUTE.T)[-1] if message.text(ATTRIBUTE.NAME) == VALUE else None


def _holder(data: bytes, node: Span) -> Message:
    """The attribute that holds the value."""
    for key, start, stop in fields(data, *node):
        if key == NODE.ATTRIBUTE:
            message = Message.of(data, start, stop)
            if _HOLDERS.get(message.text(ATTRIBUTE.NAME), -1) in message or message.text(ATTRIBUTE.NAME) in _PLAIN:
                return message
    raise WireError("the Constant node holds no value")


def _floats(message: Message) -> Array:
    return np.frombuffer(message.floats(ATTRIBUTE.FLOATS_NUMBER), "<f4").copy()


def _float(message: Message) -> Array:
    stored = message.raw(ATTRIBUTE.F)
    return np.frombuffer(stored if stored else bytes(4), "<f4").reshape(()).copy()


def _string(message: Message) -> Array:
    if ATTRIBUTE.S not in message and ATTRIBUTE.T in message:
        raise WireError("a text is too long to be kept")
    return np.array(message.text(ATTRIBUTE.S), object)


_PLAIN: dict[str, Callable[[Message], Array]] = {
    "value_float": _float,
    "value_floats": _floats,
    "value_int": lambda message: np.array(message.number(ATTRIBUTE.I), np.int64),
    "value_ints": lambda message: np.array(message.numbers(ATTRIBUTE.INTS_NUMBER), np.int64),
    "value_string": _string,
    "value_strings": lambda message: np.array(message.texts(ATTRIBUTE.STRINGS), object),
}
