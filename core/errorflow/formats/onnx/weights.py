"""The constants of one graph: what they are is known at once, their values are read one tensor at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Longs
from errorflow.base.errors import FormatError
from errorflow.base.files import Snapshot
from errorflow.formats.onnx.constants import Readers, constant_tensor, constant_value
from errorflow.formats.onnx.external import location, read_external
from errorflow.formats.onnx.schema import SPARSE
from errorflow.formats.onnx.slim import marked_span
from errorflow.formats.onnx.sparse import dense
from errorflow.formats.onnx.tensors import EXPORT_AGAIN, Read, TensorHead, checked_type, from_bytes, tensor_head, values
from errorflow.formats.onnx.window import Window
from errorflow.formats.wire import Message, Span, WireError, fields
from errorflow.graph.model import Weight

Array = NDArray[np.generic]


@dataclass(frozen=True, eq=False)
class GraphWeights:
    """Initializers by name; `info` and `read` also answer for what Constant nodes make.

    `data` is the slim model and the spans are messages in it: TensorProto, SparseTensorProto, and for what a Constant
    node makes its NodeProto.
    """

    data: bytes = field(repr=False)
    file: Snapshot
    dense_names: tuple[str, ...]
    starts: Longs
    ends: Longs
    sparse: Mapping[str, Span]
    constants: Mapping[str, Span]

    def names(self) -> Sequence[str]:
        return (*self.dense_names, *self.sparse)

    def info(self, name: str) -> Weight:
        try:
            return self._info(name)
        except WireError as error:
            raise _broken(name, error) from error

    def read(self, name: str) -> Array:
        """The values, read-only; a sparse tensor is filled up with zeros."""
        try:
            return self._read(name)
        except WireError as error:
            raise _broken(name, error) from error

    def _info(self, name: str) -> Weight:
        if name in self.sparse:
            message = Message.of(self.data, *self.sparse[name])
            head = self._head(_part(message, SPARSE.VALUES))
            return Weight(name, head.dtype, tuple(message.numbers(SPARSE.DIMS_NUMBER)), head.nbytes)
        span = self._rows[name] if name in self._rows else constant_tensor(self.data, self.constants[name])
        if span is None:
            array = self._read(name)
            return Weight(name, "string" if array.dtype == object else str(array.dtype), array.shape, array.nbytes)
        head = self._head(span)
        outside = head.stored_elsewhere and marked_span(head.external) is None
        return Weight(name, head.dtype, head.shape, head.nbytes, location(head.external) if outside else "")

    def _read(self, name: str) -> Array:
        if name in self.sparse:
            return self._sparse(self.sparse[name])
        if name in self._rows:
            return self._tensor(self._rows[name])
        return constant_value(self.data, self.constants[name], Readers(self._tensor, self._sparse))

    def _head(self, span: Span) -> TensorHead:
        return tensor_head(fields(self.data, *span), self._slice)

    def _tensor(self, span: Span) -> Array:
        head = self._head(span)
        mark = marked_span(head.external)
        if mark is None:
            return self._values(head, self._slice)
        with self.file.open() as source:
            window = Window(source)
            return self._values(tensor_head(window.fields(*mark), window.copy), window.copy)

    def _sparse(self, span: Span) -> Array:
        message = Message.of(self.data, *span)
        parts = _part(message, SPARSE.VALUES), _part(message, SPARSE.INDICES)
        name = self._head(parts[0]).name
        return dense(name, message.numbers(SPARSE.DIMS_NUMBER), self._tensor(parts[0]), self._tensor(parts[1]))

    def _values(self, head: TensorHead, read: Read) -> Array:
        if head.stored_elsewhere:
            checked_type(head)  # before anything large is read
            return from_bytes(head, read_external(self.file.path, head))
        return values(head, read)

    def _slice(self, start: int, stop: int) -> bytes:
        return self.data[start:stop]

    @cached_property
    def _rows(self) -> dict[str, Span]:
        spans = zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        return dict(zip(self.dense_names, spans, strict=True))


def _part(message: Message, key: int) -> Span:
    spans = message.all(key)
    if not spans:
        raise WireError("a sparse tensor lacks its values or indices")
    return spans[-1]


def _broken(name: str, error: Exception) -> FormatError:
    return FormatError(f"The tensor {name} is broken: {error}.", EXPORT_AGAIN)
