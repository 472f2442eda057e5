"""Two arrays in two files: the eight columns of msaccucmp's `file_compare`."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import holds_numbers
from errorflow.base.errors import FileError, WrongFileError
from errorflow.compare.comparer import Cells, msaccucmp
from errorflow.compare.match.codes import WRONG_FILE, WRONG_PATH, WRONG_SHAPE, RefusedError
from errorflow.formats import read_tensors


def compare_files(mine: Path, golden: Path) -> Cells:
    """Compares two `.npy` files of the same shape by the columns."""
    arrays = [_array(path) for path in (mine, golden)]
    shapes = [array.shape for array in arrays]
    if shapes[0] != shapes[1]:
        raise RefusedError(
            f"{mine.name} has the shape {shapes[0]}, {golden.name} {shapes[1]}.",
            "Choose two files of the same tensor.",
            WRONG_SHAPE,
        )
    tool = msaccucmp()
    return tool.cells(arrays[0], arrays[1], tool.file_columns(), (str(mine.resolve()), str(golden.resolve())))


def file_text(found: Cells) -> str:
    """The file that the tool writes."""
    return "".join(f"{name}: {value}\n" for name, value in found.values.items())


def _array(path: Path) -> NDArray[np.generic]:
    if path.suffix != ".npy":
        raise RefusedError(f"{path.name} is no .npy file.", "Only .npy files can be compared in this way.", WRONG_FILE)
    try:
        dump = read_tensors(path)
    except FileError as error:
        raise RefusedError(error.message, error.hint, WRONG_PATH) from error
    names = dump.names()
    if len(names) != 1:
        raise WrongFileError(f"{path.name} holds {len(names)} arrays.", "Choose a file that holds one.")
    array = dump.read(names[0])
    if not holds_numbers(array):
        raise RefusedError(f"{path.name} holds no numbers.", "Choose a file that holds a tensor.", WRONG_FILE)
    return array
