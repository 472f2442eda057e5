"""Writes one tensor as a file for other programs: `.npy`, plain `.bin`, or `.pt` for PyTorch."""

import uuid
from collections.abc import Callable
from pathlib import Path
from struct import pack
from zipfile import ZIP_STORED, ZipFile

import numpy as np
from numpy.typing import NDArray

from errorflow.base.errors import FileError
from errorflow.base.files import replacing
from errorflow.base.values import word_pairs
from errorflow.compare.match.codes import WRONG_OPTIONS, RefusedError

Array = NDArray[np.generic]
# A file name has to stay below this.
MAX_NAME = 255
_PIECE = 8 * 1024 * 1024
# What PyTorch calls the storage of a type; the others it cannot have from NumPy.
_STORAGES = word_pairs(
    "float64:DoubleStorage float32:FloatStorage float16:HalfStorage complex64:ComplexFloatStorage "
    "complex128:ComplexDoubleStorage int64:LongStorage int32:IntStorage int16:ShortStorage int8:CharStorage "
    "uint8:ByteStorage bool:BoolStorage"
)


def write_npy(path: Path, array: Array) -> None:
    """Writes an array as `numpy.save` does."""
    with replacing(path, lasting=False, follow=False) as beside, beside.open("xb") as file:
        np.lib.format.write_array(file, array, allow_pickle=False)


def write_bin(path: Path, array: Array) -> None:
    """The values only, in the order of the axes."""
    with replacing(path, lasting=False, follow=False) as beside, beside.open("xb") as file:
        array.tofile(file)


def write_pt(path: Path, array: Array) -> None:
    """Writes a tensor as `torch.save` would, for `torch.load(path)`.

    The file is a zip with the values and a description of the tensor; the latter is written here as the few fixed
    instructions that PyTorch's reader expects, without PyTorch.
    """
    storage = _STORAGES.get(array.dtype.name)
    if storage is None:
        raise RefusedError(
            f"PyTorch has no tensors of {array.dtype.name} in such files.", "Choose -t npy.", WRONG_OPTIONS
        )
    with replacing(path, lasting=False, follow=False) as beside, ZipFile(beside, "x", ZIP_STORED) as archive:
        archive.writestr("archive/data.pkl", _description(storage, array))
        archive.writestr("archive/byteorder", "little")
        with archive.open("archive/data/0", "w", force_zip64=True) as file:
            _values(array, file.write)
        archive.writestr("archive/version", "3\n")


def _values(array: Array, write: Callable[[bytes], object]) -> None:
    flat = np.ascontiguousarray(array).reshape(-1)
    step = max(_PIECE // max(array.itemsize, 1), 1)
    for start in range(0, flat.size, step):
        write(flat[start : start + step].tobytes())


def _description(storage: str, array: Array) -> bytes:
    """The call of `torch._utils._rebuild_tensor_v2` with a reference to the values, as pickle instructions."""
    strides = tuple(int(np.prod(array.shape[at + 1 :], dtype=np.int64)) for at in range(array.ndim))
    return b"".join(
        (
            b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((",
            _text("storage"),
            f"ctorch\n{storage}\n".encode(),
            _text("0"),
            _text("cpu"),
            _number(array.size),
            b"tQK\x00",
            _numbers(array.shape),
            _numbers(strides),
            b"\x89ccollections\nOrderedDict\n)RtR.",
        )
    )


def _text(text: str) -> bytes:
    return b"X" + pack("<I", len(text)) + text.encode()


def _number(value: int) -> bytes:
    """Writes a number with a length in front: eight bytes and the sign."""
    return b"\x8a\x09" + value.to_bytes(9, "little")


def _numbers(values: tuple[int, ...]) -> bytes:
    return b"(" + b"".join(_number(value) for value in values) + b"t"


def make_folder(path: Path) -> None:
    """The folder that files are written to, and those around it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{path} cannot be written to: {error.strerror}.", "Choose another folder.") from error


def clean(name: str) -> str:
    """A name from inside a file as one that a file can have: no separators, nothing that cannot be printed."""
    return "".join(letter if letter.isprintable() and letter not in "/\\" else "_" for letter in name)


def fitting(name: str, suffix: str) -> str:
    """The name, or a hash of it where it is too long for a file."""
    if len(name) < MAX_NAME:
        return name
    return f"{uuid.uuid3(uuid.NAMESPACE_DNS, name).hex}{suffix}"
