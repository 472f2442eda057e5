"""The values of constants in an offline model: inline, or in the part of the file that holds all weights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import is_possible
from errorflow.base.errors import FormatError
from errorflow.base.files import Snapshot
from errorflow.formats.compiled import Constant
from errorflow.graph.model import Weight

_NUMPY = {
    "float32": "<f4",
    "float16": "<f2",
    "float64": "<f8",
    "int8": "i1",
    "uint8": "u1",
    "int16": "<i2",
    "uint16": "<u2",
    "int32": "<i4",
    "uint32": "<u4",
    "int64": "<i8",
    "uint64": "<u8",
    "bool": "u1",
    "bfloat16": "<u2",
    "complex64": "<c8",
    "complex128": "<c16",
}
_AGAIN = "Convert the model again, or look at the values in the model it was made from."


@dataclass(frozen=True, slots=True)
class Constants:
    """The constants of one graph, by the name of the tensor that each makes."""

    snapshot: Snapshot
    rows: Mapping[str, Constant]
    # Where the weights of the model lie in the file.
    part: tuple[int, int]

    def names(self) -> Sequence[str]:
        return tuple(self.rows)

    def info(self, name: str) -> Weight:
        row = self.rows[name]
        return Weight(name, row.dtype, row.shape, row.nbytes)

    def read(self, name: str) -> NDArray[np.generic]:
        """The values, bfloat16 widened to float32; what is no array is a `FormatError`."""
        row = self.rows[name]
        if row.dtype not in _NUMPY:
            raise FormatError(f"The values of {name} are of the type {row.dtype}, which cannot be shown.", _AGAIN)
        dtype = np.dtype(_NUMPY[row.dtype])
        needed = prod(row.shape) * dtype.itemsize
        begin, end = self._place(row)
        fits = is_possible(row.shape, dtype.itemsize) and needed <= row.nbytes
        if not fits or end > self._limit(row) or begin < 0:
            raise FormatError(f"The values of {name} do not lie where the file says, or are of another size.", _AGAIN)
        values = np.frombuffer(self.snapshot.read(begin, begin + needed), dtype).reshape(row.shape)
        return _readable(values, row.dtype)

    def _place(self, row: Constant) -> tuple[int, int]:
        begin = row.start if row.inline else self.part[0] + row.start
        return (begin if row.start >= 0 else -1), begin + row.nbytes

    def _limit(self, row: Constant) -> int:
        return self.snapshot.size if row.inline else self.part[1]


def _readable(stored: NDArray[np.generic], dtype: str) -> NDArray[np.generic]:
    values = stored
    if dtype == "bool":
        values = stored != 0
    elif dtype == "bfloat16":
        values = (stored.astype(np.uint32) << 16).view(np.float32)
    values.flags.writeable = False
    return values
