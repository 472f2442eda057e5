"""The runs of a random comparison: what is dumped on an NPU, and what of the original model."""

import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascend_writer import Json
from npu_writer import NpuArray, write_npu

TIME = 1_700_000_000_000_000
_NPU_TYPES = (
    *(np.float16, np.float16, np.float16, np.float16, np.float32, np.int8, np.int32, np.bool_),
    *(np.float64, np.uint8, np.int64, np.int16),
)
Array = NDArray[Any]


@dataclass
class Case:
    """One comparison, while it is made up."""

    folder: Path
    dice: random.Random
    quantized: bool = False
    # Tensors that somebody may ask the reference for.
    origins: dict[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)
    ops: list[Json] = field(default_factory=list)
    call: list[str] = field(default_factory=list)

    @property
    def numbers(self) -> np.random.Generator:
        return np.random.default_rng(self.dice.getrandbits(32))

    def maybe(self, share: float) -> bool:
        return self.dice.random() < share


def some_shape(case: Case) -> tuple[int, ...]:
    return case.dice.choice(((2, 3), (1, 3, 4, 4), (1, 3, 4, 4), (2, 5, 2, 3), (1, 1), (1,), (4,), (2, 3, 4)))


def some_values(case: Case, shape: tuple[int, ...], dtype: Any) -> Array:
    kind, numbers = case.dice.random(), case.numbers
    array = numbers.normal(0, 1, shape) * (50 if np.dtype(dtype).kind == "i" else 1)
    if kind < 0.04:
        array = np.zeros(shape)
    elif kind < 0.07:
        array = np.full(shape, 3.0)
    elif kind < 0.09:
        array = array * 1e5
    with np.errstate(over="ignore"):
        return np.asarray(array > 0 if np.dtype(dtype) == np.bool_ else array.astype(dtype))


def written_name(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "_-" else "_" for letter in name)


def dump_npu(case: Case, folder: str, ops: Sequence[Json], like: Path | None = None, tails: bool = False) -> None:
    place = case.folder / folder
    place.mkdir()
    mapping = []
    for number, entry in enumerate(ops):
        if case.maybe(0.12) or "/" in entry["type"]:
            continue
        times = [TIME + 1000 * (number if case.maybe(0.8) else case.dice.randint(0, 20)) + number]
        times += [times[0] + 7] if case.maybe(0.05) else []
        for time in times:
            # Without a model, files with such a tail come in the order of the disk.
            tail = ".0.5.6.0" if case.maybe(0.05) and like is None and len(times) == 1 and not _in_l1(entry) else ""
            name = f"{entry['type']}.{written_name(entry['name'])}.{number}.2.{time}{tail if tails else ''}"
            target = place / name
            # With a model, the tool does not know how old a file with such a name is.
            if case.maybe(0.05) and len(times) == 1 and not _in_l1(entry):
                mapping.append(f"{10**18 + time % 10**6},{name}")
                target = place / str(10**18 + time % 10**6)
            _dump_one(case, target, entry, _like(like, entry))
    if not mapping and not any(place.iterdir()):
        _dump_one(case, place / f"Relu.other.1.2.{TIME}", {"name": "other"}, None)
    if mapping:
        (place / "mapping.csv").write_text("\n".join(mapping) + "\n")


def _in_l1(entry: Json) -> bool:
    return any(item["key"].startswith("_L1") for item in entry.get("attr", ()))


def _like(folder: Path | None, entry: Json) -> Path | None:
    if folder is None:
        return None
    return next((path for path in sorted(folder.iterdir()) if f".{written_name(entry['name'])}." in path.name), None)


def _dump_one(case: Case, path: Path, entry: Json, like: Path | None) -> None:
    """An operator's dump; against another one mostly of the same shapes."""
    if like is not None and case.maybe(0.75):
        shutil.copyfile(like, path)
        data = bytearray(path.read_bytes())
        if len(data) > 40:
            data[-3] ^= 1
        path.write_bytes(bytes(data))
        return
    count = len([text for text in entry.get("input", ()) if text and not text.endswith(":-1")])
    outputs = max(1, len(entry.get("output_desc", ())))
    if case.maybe(0.1):
        count, outputs = count + case.dice.randint(0, 1), max(0, outputs - 1)
    write_npu(
        path,
        inputs=[_tensor(case, entry, None) for _ in range(count)],
        outputs=[_tensor(case, entry, index) for index in range(outputs)],
    )
    if case.maybe(0.02):
        path.write_bytes(path.read_bytes()[:-5])


def _tensor(case: Case, entry: Json, index: int | None) -> NpuArray:
    shape = some_shape(case)
    if index is not None and case.maybe(0.8):
        shape = _expected(case, entry, index, shape)
    elif index is None and case.origins and case.maybe(0.7):
        shape = case.dice.choice(list(case.origins.values()))
    dtype = case.dice.choice(_NPU_TYPES)
    array = some_values(case, shape, dtype)
    address = case.dice.choice((0, 0, 4096))
    original = shape if case.maybe(0.6) else ()
    if len(shape) == 4 and case.maybe(0.5) and dtype != np.bool_:
        return NpuArray(_blocks(array), layout="NC1HWC0", original_shape=original, address=address)
    if len(shape) == 2 and case.maybe(0.3) and dtype != np.bool_:
        return NpuArray(_fractal(array), layout="FRACTAL_NZ", original_shape=original, address=address)
    if dtype == np.float32 and case.maybe(0.4):
        return NpuArray(array, layout="ND", dtype="bfloat16", original_shape=original, address=address)
    layout = case.dice.choice(("ND", "NCHW", "NHWC"))
    return NpuArray(array, layout=layout, original_shape=original, address=address)


def _expected(case: Case, entry: Json, index: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of what the output may be compared with."""
    outputs = entry.get("output_desc", ())
    found = {item["key"]: item["value"] for item in (outputs[index].get("attr", ()) if index < len(outputs) else ())}
    origin = found.get("_datadump_origin_name", {}).get("s", entry["name"])
    at = found.get("_datadump_origin_output_index", {}).get("i", index)
    return case.origins.get((origin, at), shape)


def _blocks(array: Array) -> Array:
    """NCHW as NC1HWC0."""
    n, c, h, w = array.shape
    padded = np.zeros((n, 16, h, w), array.dtype)
    padded[:, :c] = array
    return np.ascontiguousarray(padded.reshape(n, 1, 16, h, w).transpose(0, 1, 3, 4, 2))


def _fractal(array: Array) -> Array:
    """A matrix in pieces of 16 × 16, FRACTAL_NZ."""
    padded = np.zeros((16, 16), array.dtype)
    padded[: array.shape[0], : array.shape[1]] = array
    return padded.reshape(1, 1, 16, 16)


def dump_npy(case: Case, folder: str) -> None:
    place = case.folder / folder
    place.mkdir()
    for (name, index), shape in case.origins.items():
        if case.maybe(0.12):
            continue
        dtype = case.dice.choice((np.float32, np.float32, np.float32, np.float64, np.int32, np.bool_))
        path = place / f"{written_name(name)}.{index}.{TIME}.npy"
        np.save(path, some_values(case, shape, dtype))
        if case.maybe(0.02):
            path.write_bytes(path.read_bytes()[:-3])
    np.save(place / f"left.0.{TIME}.npy", np.ones((2, 3), np.float32))
