"""The files of a made-up comparison: a chain of operators on an NPU, and the original model's tensors."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from npu_writer import NpuArray, write_npu

# Channels and their blocks; 60 of 64 channels hold values.
CHANNELS, BLOCK = 60, 16


@dataclass(frozen=True, slots=True)
class Data:
    """Where everything lies."""

    folder: Path
    operators: int

    @property
    def candidate(self) -> Path:
        return self.folder / "npu"

    @property
    def reference(self) -> Path:
        return self.folder / "golden"

    @property
    def model(self) -> Path:
        return self.folder / "model.json"

    @property
    def arguments(self) -> list[str]:
        return ["-m", str(self.candidate), "-g", str(self.reference), "-f", str(self.model)]

    @property
    def tensors(self) -> int:
        """Each operator's input and output."""
        return 2 * self.operators

    @property
    def nbytes(self) -> int:
        return sum(path.stat().st_size for path in self.files())

    def files(self) -> Iterator[Path]:
        yield from sorted(self.candidate.iterdir())
        yield from sorted(self.reference.iterdir())


def write_run(folder: Path, operators: int, nbytes: int) -> Data:
    """About `nbytes` in all: per operator an input and an output as float16, padded, and one float32 tensor."""
    data = Data(folder, operators)
    data.candidate.mkdir()
    data.reference.mkdir()
    side = max(2, int((nbytes / operators / (2 * 2 * 64 + 4 * CHANNELS)) ** 0.5))
    shape = (1, CHANNELS, side, side)
    rng = np.random.default_rng(1)
    base = rng.standard_normal(shape, np.float32)
    before = _golden(base, -1)
    _save(data, "data", before)
    for number in range(operators):
        after = _golden(base, number)
        name = f"op{number}"
        write_npu(
            data.candidate / f"Relu.{name}.{number + 1}.3.{1_700_000_000_000_000 + number}",
            inputs=[_stored(before, shape)],
            outputs=[_stored(after, shape)],
            op_name=name,
        )
        _save(data, name, after)
        before = after
    data.model.write_text(json.dumps(_model(operators, shape)))
    return data


def _golden(base: np.ndarray, number: int) -> np.ndarray:
    """Another tensor for each operator, made fast."""
    return np.roll(base, 7 * number) * np.float32(1 + 0.001 * number)


def _stored(values: np.ndarray, shape: tuple[int, ...]) -> NpuArray:
    n, c, h, w = shape
    blocks = -(-c // BLOCK)
    padded = np.zeros((n, blocks * BLOCK, h, w), np.float16)
    padded[:, :c] = values
    stored = padded.reshape(n, blocks, BLOCK, h, w).transpose(0, 1, 3, 4, 2)
    return NpuArray(np.ascontiguousarray(stored), layout="NC1HWC0", original_shape=shape)


def _save(data: Data, name: str, values: np.ndarray) -> None:
    np.save(data.reference / f"{name}.0.1700000000000000.npy", values)


def _model(operators: int, shape: tuple[int, ...]) -> dict[str, object]:
    ops = [_operator("data", "Data", "", 0, shape)]
    for number in range(operators):
        ops.append(_operator(f"op{number}", "Relu", f"{ops[-1]['name']}:0", number + 1, shape))
    return {"name": "chain", "graph": [{"name": "chain", "op": ops}]}


def _operator(name: str, op_type: str, reads: str, number: int, shape: tuple[int, ...]) -> dict[str, object]:
    attributes = {
        "_datadump_origin_name": {"s": name},
        "_datadump_origin_output_index": {"i": 0},
        "_datadump_origin_format": {"s": "NCHW"},
        "origin_format": {"s": "NCHW"},
        "origin_shape": {"list": {"val_type": "VT_LIST_INT", "i": list(shape)}},
    }
    names = {"list": {"val_type": "VT_LIST_STRING", "s": [name]}}
    return {
        "name": name,
        "type": op_type,
        "id": number,
        "input": [reads],
        "attr": [{"key": "_datadump_original_op_names", "value": names}],
        "output_desc": [
            {
                "dtype": "DT_FLOAT16",
                "layout": "NC1HWC0",
                "shape": {"dim": list(shape)},
                "attr": [{"key": key, "value": value} for key, value in attributes.items()],
            }
        ],
    }
