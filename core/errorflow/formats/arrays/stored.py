"""One array of a file, by itself."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass, field
from errorflow.graph.dump import TensorInfo


class _Readable(Protocol):
    def read(self, name: str) -> NDArray[np.generic]: ...


@dataclass(frozen=True, slots=True)
class StoredArray:
    """A tensor where it lies: `read` opens the file that `dump` knows, and closes it again."""

    path: str
    info: TensorInfo
    dump: _Readable = field(repr=False)

    def read(self) -> NDArray[np.generic]:
        return self.dump.read(self.info.name)
