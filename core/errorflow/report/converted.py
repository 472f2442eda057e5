"""Writes what is in one dump file as files of their own, under the names that msaccucmp gives them."""

import json
from collections.abc import Callable, Iterator
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errorflow.base import ErrorflowError, dataclass, field, replace
from errorflow.base.files import Source, write_atomic, write_pieces
from errorflow.compare.match import codes
from errorflow.compare.match.codes import RefusedError
from errorflow.formats.convert.additions import BLOCKED, addition_converts, original_in
from errorflow.formats.convert.change import change_layout, convert, goes_the_tool_way, real_layout
from errorflow.formats.convert.custom import Converters
from errorflow.formats.convert.cut import check_matrix, cut
from errorflow.formats.convert.layouts import ConvertError
from errorflow.formats.convert.tool import tool_converts
from errorflow.formats.ge_names import layout_text
from errorflow.formats.npu.file import NpuFile
from errorflow.formats.npu.header import NpuTensor
from errorflow.formats.npu.opdebug import PREFIX, parse_op_debug
from errorflow.report.array_file import clean, fitting, write_bin, write_npy, write_pt
from errorflow.report.tool_codes import code_of

Array = NDArray[np.generic]
Check = Callable[[], None]
_WRITERS: dict[str, Callable[[Path, Array], None]] = {
    "npy": write_npy,
    "msnpy": write_npy,
    "bin": write_bin,
    "pt": write_pt,
}
# Types that the tool writes as float64.
_WIDE = frozenset({"hifloat8", "float8e5m2", "float8e4m3fn"})
# Names that numpy and the tool have for types that GE calls otherwise.
_BIN_NAMES = {"": "int8", "resource": "int64", "uint1": "uint8", "float8e5m2": "float8_e5m2"}
_BIN_NAMES |= {"float8e4m3fn": "float8_e4m3fn"}
_PIECE = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ConversionRequest:
    """Options for dumps: with a `layout`, tensors are brought into it; else they are written as they are stored."""

    out: Path
    kind: str = "npy"
    layout: str = ""
    shape: tuple[int, ...] = ()
    # "input" or "output", with `index`: that tensor only.
    side: str = ""
    index: int = 0
    custom: Converters | None = None


@dataclass(slots=True)
class WrittenDump:
    """Result of one dump."""

    dump: Path
    files: list[str] = field(default_factory=list)
    # What could not be written, and why.
    failures: list[tuple[str, ErrorflowError]] = field(default_factory=list)
    code: int = codes.OK
    # Hashed names and what they stand for.
    renamed: list[tuple[str, str]] = field(default_factory=list)


def write_dump(dump: Path, wish: ConversionRequest, check: Check) -> WrittenDump:
    """Writes all that the dump holds, or what is wished for; `check` is called often and may raise.

    A part that is broken does not keep the others from being written.
    """
    made = WrittenDump(dump)
    try:
        with Source(dump) as source:
            held = NpuFile.of(source)
        if wish.layout:
            _write_converted(held, wish, made, check)
        elif dump.name.startswith(PREFIX):
            _write_op_debug(held, wish, made)
        else:
            _write_stored(held, wish, made, check)
    except ErrorflowError as error:
        _fail(made, "", error, code_of(error))
    return made


def _fail(made: WrittenDump, what: str, error: ErrorflowError, code: int) -> None:
    made.failures.append((what, error))
    made.code = code


# ------------------------------------------------------------------------------------------- as they are stored


def _write_stored(held: NpuFile, wish: ConversionRequest, made: WrittenDump, check: Check) -> None:
    shapes = _thread_shapes(held, made.dump)
    for tensor in (*held.inputs, *held.outputs):
        check()
        try:
            array = _read(held, tensor)
            shape = shapes.get(tensor.name, array.shape)
            if prod(shape) != array.size or min(shape, default=0) < 0:
                raise RefusedError(
                    f"{tensor.name} of {made.dump.name} is not as large as the piece that it should be.",
                    "Dump it again.",
                    codes.BROKEN_DUMP,
                )
            name = _stored_name(made.dump.name, held.op_name, tensor, array, wish.kind)
            _write_array(array.reshape(shape) if shape else array.reshape(-1), name, wish, made)
        except ErrorflowError as error:
            _fail(made, f"{tensor.side}:{tensor.index}", error, code_of(error))
    for at, blob in enumerate(held.buffers):
        kind = "l1" if blob.kind == 0 else None
        _write_bytes(held, blob.offset, blob.size, f"{made.dump.name}.{kind}buffer.{at}.bin", wish, made, check)
    for at, blob in enumerate(held.spaces):
        _write_bytes(held, blob.offset, blob.size, f"{made.dump.name}.space.{at}.bin", wish, made, check)


def _read(held: NpuFile, tensor: NpuTensor) -> Array:
    array = held.read(tensor.name)
    wide = tensor.dtype in _WIDE or array.size == 0
    return array.astype(np.float64) if wide else array


def _stored_name(dump: str, op_name: str, tensor: NpuTensor, array: Array, kind: str) -> str:
    start = f"{dump}.{tensor.side}.{tensor.index}"
    if kind == "bin":
        dims = array.shape if array.size == 0 else (array.size,)
        return f"{start}.{_bin_tail(dims, tensor, layout_text(tensor.layout_number))}"
    if kind == "msnpy":
        return _msnpy_name(dump, op_name, tensor, layout_text(tensor.layout_number))
    return f"{start}.{kind}"


def _bin_tail(dims: tuple[int, ...], tensor: NpuTensor, layout: str) -> str:
    return f"{'_'.join(map(str, dims))}.{_BIN_NAMES.get(tensor.dtype, tensor.dtype)}.{layout}.bin"


def _msnpy_name(dump: str, op_name: str, tensor: NpuTensor, layout: str) -> str:
    """MindSpore wants the last part of the real name in place of the whole one."""
    parts = dump.split(".")
    if len(parts) == 5 and op_name:
        parts[1] = op_name.rpartition("/")[2]
    return f"{'.'.join(parts)}.{tensor.side}.{tensor.index}.{layout}.npy"


def _write_array(array: Array, name: str, wish: ConversionRequest, made: WrittenDump) -> None:
    _WRITERS[wish.kind](wish.out / _taken(name, made), array)


def _taken(name: str, made: WrittenDump) -> str:
    """The name under which it is written."""
    name = clean(name)
    short = fitting(name, Path(name).suffix)
    if short != name:
        made.renamed.append((short, name))
    made.files.append(short)
    return short


def _write_bytes(
    held: NpuFile, start: int, size: int, name: str, wish: ConversionRequest, made: WrittenDump, check: Check
) -> None:
    def pieces() -> Iterator[bytes]:
        for at in range(start, start + size, _PIECE):
            check()
            yield held.file.read(at, min(at + _PIECE, start + size))

    write_pieces(wish.out / _taken(name, made), pieces(), follow=False)


def _thread_shapes(held: NpuFile, dump: Path) -> dict[str, tuple[int, ...]]:
    """The shapes of the piece that one thread of an FFTS+ operator made, where the dump describes pieces."""
    text = next(iter(held.attributes.values()), "")
    try:
        described = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        described = {}
    if not isinstance(described, dict) or not described.get("threadMode"):
        return {}
    found: dict[str, tuple[int, ...]] = {}
    for side, tensors in (("input", held.inputs), ("output", held.outputs)):
        try:
            thread = int(dump.name.split(".")[-2])
            slices = described[f"{side}_tensor_slice"][thread]
            shapes = [tuple(int(dim["higher"]) - int(dim["lower"]) for dim in dims) for dims in slices]
        except (KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
            raise RefusedError(
                f"{dump.name} is a piece of an operator, and does not describe its pieces.",
                "Dump it again.",
                codes.NO_PIECES,
            ) from error
        if len(shapes) != len(tensors):
            raise RefusedError(
                f"{dump.name} describes {len(shapes)} of {len(tensors)} {side}s.", "Dump it again.", codes.NO_PIECES
            )
        found |= {tensor.name: shape for tensor, shape in zip(tensors, shapes, strict=True)}
    return found


def _write_op_debug(held: NpuFile, wish: ConversionRequest, made: WrittenDump) -> None:
    for at, tensor in enumerate(held.outputs):
        told = parse_op_debug(held.read(tensor.name).tobytes(), made.dump.name)
        name = f"{made.dump.name}.output.{at}.json"
        write_atomic(wish.out / name, json.dumps(told, indent=4), follow=False)
        made.files.append(name)


# -------------------------------------------------------------------------------------------- in another layout


def _write_converted(held: NpuFile, wish: ConversionRequest, made: WrittenDump, check: Check) -> None:
    for tensor in _wanted(held, wish):
        check()
        try:
            array, layout = _converted(held, tensor, wish)
            name = _converted_name(made.dump.name, held.op_name, tensor, array, wish.kind, layout)
            _write_array(array, name, wish, made)
        except ErrorflowError as error:
            _fail(made, f"{tensor.side}:{tensor.index}", error, _conversion_code(error, tensor, wish))
            if wish.kind == "msnpy" and not wish.side:
                stored = replace(wish, layout="")
                _write_failed(held, tensor, stored, made)


def _wanted(held: NpuFile, wish: ConversionRequest) -> tuple[NpuTensor, ...]:
    if not wish.side:
        return (*held.inputs, *held.outputs)
    tensors = held.inputs if wish.side == "input" else held.outputs
    if wish.index >= len(tensors):
        raise RefusedError(
            f"{held.file.path.name} has {len(tensors)} {wish.side}s, and none has the number {wish.index}.",
            f"Choose a number below {len(tensors)}." if tensors else "Leave the number out.",
            codes.OUT_OF_RANGE,
        )
    return (tensors[wish.index],)


def _converted(held: NpuFile, tensor: NpuTensor, wish: ConversionRequest) -> tuple[Array, str]:
    """The tensor, and the layout to name it by: the stored one where it does not fit the shape that it should have."""
    info = held.info(tensor.name)
    layout = layout_text(tensor.layout_number)
    source = real_layout(layout, info.shape)
    shape = wish.shape if wish.shape else tensor.original_shape
    if source == "FRACTAL_NZ":
        check_matrix(shape, info.shape)
    array = _read(held, tensor)
    if source == wish.layout:
        return array, wish.layout
    custom = wish.custom is not None and wish.custom.has(source, wish.layout)
    if not custom and not goes_the_tool_way(source, wish.layout, info.groups):
        return _added(array, source, wish, tensor.original_shape, info.groups), wish.layout
    made = change_layout(array, source, wish.layout, shape, info.groups, wish.custom)
    try:
        return (cut(made, shape) if shape else made), wish.layout
    except ConvertError:
        return made, layout


def _added(array: Array, source: str, wish: ConversionRequest, original: tuple[int, ...], groups: int) -> Array:
    """A conversion that msaccucmp lacks. The dump does not say in which order its original shape is."""
    shape = wish.shape if wish.shape else None
    if shape is None and source in BLOCKED and source != "FRACTAL_NZ":
        plain = BLOCKED[source].home if wish.layout in BLOCKED else wish.layout
        if addition_converts(source, plain) and original:
            shape = original_in(array.shape, source, plain, original, groups)
            if shape is not None and plain != wish.layout:
                array, source, shape = convert(array, source, plain, shape=shape, groups=groups), plain, None
    return convert(array, source, wish.layout, shape=shape, groups=groups)


def _converted_name(dump: str, op_name: str, tensor: NpuTensor, array: Array, kind: str, layout: str) -> str:
    if kind == "msnpy":
        return _msnpy_name(dump, op_name, tensor, layout)
    start = f"{dump}.{tensor.side}.{tensor.index}"
    if kind == "bin":
        return f"{start}.{_bin_tail(array.shape, tensor, layout)}"
    return f"{start}.{'x'.join(map(str, array.shape))}.{kind}"


def _conversion_code(error: ErrorflowError, tensor: NpuTensor, wish: ConversionRequest) -> int:
    if not isinstance(error, ConvertError):
        return code_of(error)
    if error.reason:
        return codes.WRONG_OPTIONS
    known = tool_converts(real_layout(layout_text(tensor.layout_number), tensor.dims), wish.layout)
    return codes.NOT_CONVERTED if known else codes.UNKNOWN_LAYOUT


def _write_failed(held: NpuFile, tensor: NpuTensor, wish: ConversionRequest, made: WrittenDump) -> None:
    """Writes for MindSpore a tensor that could not be converted, as it is stored."""
    try:
        name = _msnpy_name(made.dump.name, held.op_name, tensor, layout_text(tensor.layout_number))
        _write_array(_read(held, tensor), name, wish, made)
    except ErrorflowError as error:
        _fail(made, f"{tensor.side}:{tensor.index}", error, code_of(error))
