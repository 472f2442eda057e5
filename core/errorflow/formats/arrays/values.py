"""Conversion of a file's bytes to a read-only array."""

import numpy as np
from numpy.typing import NDArray

from errorflow.base.errors import FormatError
from errorflow.formats.arrays.header import ArrayHeader

# A larger tensor is no activation of any network known; it would be an attack or a mistake.
MAX_TENSOR = 1 << 31


def check_size(header: ArrayHeader, what: str) -> None:
    """Refuse what would not fit into memory."""
    if header.nbytes > MAX_TENSOR:
        raise FormatError(
            f"{what} takes {header.nbytes:,} bytes; {MAX_TENSOR:,} is the most that one tensor may take.",
            "Save it in parts, or leave it out of the dump.",
        )


def to_array(data: bytes | NDArray[np.uint8], header: ArrayHeader) -> NDArray[np.generic]:
    """The values as they lie in `data`, not copied."""
    flat: NDArray[np.generic] = np.frombuffer(data, header.dtype)
    array = flat.reshape(header.shape[::-1]).T if header.fortran else flat.reshape(header.shape)
    array.flags.writeable = False
    return array
