"""What a Constant node makes, from whichever of its attributes says so."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorflow.formats.onnx.schema import ATTRIBUTE, NODE
from errorflow.formats.onnx.wire import BYTES, FIXED32, Message, Span, WireError, fields, tag

Array = NDArray[np.generic]
# Lists longer than that are initializers in any real model.
MAX_LIST_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Readers:
    """How a TensorProto and a SparseTensorProto become arrays."""

    tensor: Callable[[Span], Array]
    sparse: Callable[[Span], Array]


def constant_value(data: bytes, node: Span, readers: Readers) -> Array:
    """The value of the Constant node at `node`."""
    for key, start, stop in fields(data, *node):
        if key == NODE.ATTRIBUTE:
            value = _attribute(data, (start, stop), readers)
            if value is not None:
                value.flags.writeable = False
                return value
    raise WireError("the Constant node holds no value")


def _attribute(data: bytes, span: Span, readers: Readers) -> Array | None:
    if span[1] - span[0] > MAX_LIST_BYTES:
        raise WireError("a Constant node holds a list that is too long")
    message = Message.of(data, *span)
    name = message.text(ATTRIBUTE.NAME)
    if name == "value" and ATTRIBUTE.T in message:
        return readers.tensor(message.all(ATTRIBUTE.T)[-1])
    if name == "sparse_value" and ATTRIBUTE.SPARSE_TENSOR in message:
        return readers.sparse(message.all(ATTRIBUTE.SPARSE_TENSOR)[-1])
    return _LISTS[name](message) if name in _LISTS else None


def _floats(message: Message) -> Array:
    number = ATTRIBUTE.FLOATS_NUMBER
    spans = message.all(tag(number, FIXED32)) + message.all(tag(number, BYTES))
    stored = b"".join(message.data[start:stop] for start, stop in spans)
    if len(stored) % 4:
        raise WireError("a float is cut off")
    return np.frombuffer(stored, "<f4").copy()


def _float(message: Message) -> Array:
    stored = message.bytes(ATTRIBUTE.F)
    return np.frombuffer(stored if stored else bytes(4), "<f4").reshape(()).copy()


_LISTS: dict[str, Callable[[Message], Array]] = {
    "value_float": _float,
    "value_floats": _floats,
    "value_int": lambda message: np.array(message.number(ATTRIBUTE.I), np.int64),
    "value_ints": lambda message: np.array(message.numbers(ATTRIBUTE.INTS_NUMBER), np.int64),
    "value_string": lambda message: np.array(message.text(ATTRIBUTE.S), object),
    "value_strings": lambda message: np.array(message.texts(ATTRIBUTE.STRINGS), object),
}
