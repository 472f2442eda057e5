"""Puts together what several threads or slices of one operator (FFTS+) left in files of their own."""

import json
from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from errorflow.base import FormatError, dataclass, replace
from errorflow.formats.npu.file import NpuFile, NpuStored, tensor_info
from errorflow.formats.npu.values import MAX_TENSOR
from errorflow.graph.dump import Stored, TensorInfo

MAX_ATTRIBUTE = 1024 * 1024
_AGAIN = "Dump the operator again, or compare the pieces one by one."
Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class JoinedStored:
    """One output of which every piece holds a part along `axis`; None: the first piece holds all of it."""

    info: TensorInfo
    parts: tuple[NpuStored, ...]
    shapes: tuple[Shape, ...]
    axis: int

    @property
    def path(self) -> str:
        return self.parts[0].path

    def read(self) -> NDArray[np.generic]:
        arrays = []
        for part, shape in zip(self.parts, self.shapes, strict=True):
            array = part.read()
            if array.size != prod(shape):
                raise FormatError(f"{part.tensor.name} in {part.file.path.name} is not the piece it should be.", _AGAIN)
            arrays.append(array.reshape(shape))
        whole = np.concatenate(arrays, self.axis)
        whole.flags.writeable = False
        return whole


@dataclass(frozen=True, slots=True)
class JoinedPieces:
    """The outputs of all pieces together."""

    outputs: tuple[Stored, ...]
    incomplete: bool
    problems: tuple[str, ...]


def joined(op_name: str, pieces: Sequence[NpuFile], by_thread: bool) -> JoinedPieces | None:
    """The outputs by the first piece's own account of how the work was split; None where it gives none."""
    account = _account(pieces[0])
    axes = _axes(account.get("outputCutList"))
    if not any(axis is not None for axis in axes):
        return None
    threads = bool(account.get("threadMode", by_thread))
    shapes = [_piece_shapes(piece, at, threads) for at, piece in enumerate(pieces)]
    outputs: list[Stored] = []
    problems: list[str] = []
    for index in range(min(len(axes), len(pieces[0].outputs))):
        try:
            outputs.append(_output(op_name, pieces, shapes, index, axes[index]))
        except FormatError as error:
            problems.append(error.message)
    incomplete = account.get("slice_instance_num") != len(pieces)
    if incomplete:
        problems.append(f"There are {len(pieces)} pieces and should be {account.get('slice_instance_num')}.")
    return JoinedPieces(tuple(outputs), incomplete, tuple(problems))


def _output(
    op_name: str, pieces: Sequence[NpuFile], shapes: Sequence[Sequence[Shape]], index: int, axis: int | None
) -> Stored:
    first = pieces[0].outputs[index]
    name = f"{op_name}:{first.name}"
    if axis is None:
        return NpuStored(pieces[0].file, first, name)
    if any(index >= min(len(piece.outputs), len(known)) for piece, known in zip(pieces, shapes, strict=True)):
        raise FormatError(f"Not every piece of {op_name} has an output {index}.", _AGAIN)
    parts = tuple(NpuStored(piece.file, piece.outputs[index]) for piece in pieces)
    own = tuple(known[index] for known in shapes)
    others = {shape[:axis] + shape[axis + 1 :] for shape in own}
    if len(others) > 1 or any(axis >= len(shape) for shape in own):
        raise FormatError(f"The pieces of output {index} of {op_name} do not go together.", _AGAIN)
    whole = (*own[0][:axis], sum(shape[axis] for shape in own), *own[0][axis + 1 :])
    info = tensor_info(first, name)
    nbytes = sum(part.info.nbytes for part in parts)
    if nbytes > MAX_TENSOR:
        raise FormatError(f"Output {index} of {op_name} takes {nbytes:,} bytes; {MAX_TENSOR:,} is the limit.", _AGAIN)
    return JoinedStored(replace(info, shape=whole, nbytes=nbytes, groups=1), parts, own, axis)


def _account(piece: NpuFile) -> dict[str, object]:
    """Reads what the first attribute says of the split, in JSON."""
    text = next(iter(piece.attributes.values()), "")
    if not text or len(text) > MAX_ATTRIBUTE:
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _axes(cuts: object) -> list[int | None]:
    """Finds for each output the first dimension that is cut into more than one."""
    if not isinstance(cuts, list):
        return []
    lists = (cut if isinstance(cut, list) else [] for cut in cuts)
    return [next((at for at, count in enumerate(cut) if count != 1), None) for cut in lists]


def _piece_shapes(piece: NpuFile, number: int, threads: bool) -> list[Shape]:
    """Finds shapes of every output: by thread the piece says which part it is; a slice has its own shape."""
    if not threads:
        return [tensor_info(tensor).shape for tensor in piece.outputs]
    slices = _account(piece).get("output_tensor_slice")
    own = slices[number] if isinstance(slices, list) and number < len(slices) else []
    return [shape for shape in map(_range_shape, own) if shape is not None] if isinstance(own, list) else []


def _range_shape(ranges: object) -> Shape | None:
    """Measures how long each {lower, higher} is."""
    if not isinstance(ranges, list):
        return None
    sizes: list[int] = []
    for part in ranges:
        lower, higher = (part.get("lower"), part.get("higher")) if isinstance(part, dict) else (None, None)
        if not isinstance(lower, int) or not isinstance(higher, int) or higher < lower:
            return None
        sizes.append(higher - lower)
    return tuple(sizes)
