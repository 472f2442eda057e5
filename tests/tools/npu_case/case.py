"""A whole case in a folder: what somebody with a real NPU would have."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import onnx

import ascend_writer
from npu_writer import NpuArray, write_npu
from tools.npu_case.atc_json import atc_json
from tools.npu_case.chip import NO_DRIFT, Chip, Drift
from tools.npu_case.compiled import Compiler, Link, Op
from tools.npu_case.faults import Fault
from tools.npu_case.fusing import groups_of
from tools.npu_case.layouts import dumped
from tools.npu_case.quantizing import DEQUANT, Quantized, QuantizedCompiler, quantization_json
from tools.npu_case.source import Array, Source, made, name_of

TIME = 1_700_000_000_000_000
DEVICE, MODEL_ID, STEP, STREAM = 0, 1, 0, 7
_TIME_OF_RUN = "20231114221320"
# In names of files; on the NPU's side a name may hold no dot either.
_STRANGE = re.compile(r"[./\\ ]")


@dataclass(frozen=True, slots=True)
class Wish:
    """How the case is to be. Nodes are named as in the original model."""

    fused: bool = True
    rounding: str = "nearest"
    saturates: bool = False
    faults: Sequence[Fault] = ()
    drift: Drift = NO_DRIFT
    seed: int = 0
    # Of these nobody dumped anything; these have another name in the compiled model.
    missing: Sequence[str] = ()
    renamed: Sequence[str] = ()
    dump_inputs: bool = True
    keep_model: bool = True
    int8: bool = False
    per_tensor: bool = False


@dataclass(frozen=True)
class Case:
    """What was written, and what is known about it."""

    folder: Path
    # The operator of the compiled model that holds a node of the original.
    holder: Mapping[str, str]
    # The largest relative error of an output of the model; infinite if one holds a NaN or an infinity.
    error: float

    @property
    def npu(self) -> Path:
        (found,) = (self.folder / "npu").glob(f"*/*/*/{MODEL_ID}/{STEP}")
        return found

    @property
    def golden(self) -> Path:
        return self.folder / "golden"

    @property
    def fusion(self) -> Path:
        return self.folder / "model.json"

    @property
    def model(self) -> Path:
        return self.folder / "model.onnx"


def write_case(source: Source, folder: Path, wish: Wish) -> Case:
    folder.mkdir(parents=True, exist_ok=True)
    name = source.model.graph.name if source.model.graph.name else "model"
    ops = _ops(source, wish, folder, name)
    _rename(ops, wish.renamed)
    ascend_writer.write_json(folder / "model.json", atc_json(ops, name))
    _write_golden(source, folder / "golden")
    place = folder / "npu" / _TIME_OF_RUN / str(DEVICE) / plain(name) / str(MODEL_ID) / str(STEP)
    _write_dumps([op for op in ops if not set(_originals(op)) & set(wish.missing)], place, wish.dump_inputs)
    if wish.keep_model:
        onnx.save(source.model, folder / "model.onnx")
        _write_archive(folder / "inputs.npz", source.inputs)
    holder = {node.removesuffix(DEQUANT): op.name for op in ops for node in _originals(op)}
    found = [link.port.array for link in ops[-1].inputs]
    return Case(folder, holder, max(map(_error, found, (source.values[name] for name in source.outputs))))


def _error(mine: Array, golden: Array) -> float:
    error = mine.astype(np.float64) - golden
    return float(np.linalg.norm(error) / np.linalg.norm(golden)) if np.isfinite(error).all() else float("inf")


def _ops(source: Source, wish: Wish, folder: Path, name: str) -> list[Op]:
    groups = groups_of(source, wish.fused)
    about = (source, wish.rounding, wish.saturates, wish.faults, wish.drift, wish.seed)
    if not wish.int8:
        return Compiler(source, Chip(*about).run(groups)).all(groups)
    chip = Quantized(*about, per_tensor=wish.per_tensor)
    values = chip.run(groups)
    ascend_writer.write_json(folder / "quant.json", quantization_json(source, list(chip.codes), name))
    return QuantizedCompiler(source, values, chip=chip).all(groups)


def plain(name: str) -> str:
    return _STRANGE.sub("_", name)


def _originals(op: Op) -> tuple[str, ...]:
    return () if op.originals is None else op.originals


def _rename(ops: Sequence[Op], nodes: Sequence[str]) -> None:
    for op in ops:
        if set(_originals(op)) & set(nodes):
            op.name = f"PartitionedCall_{op.name}_{len(op.name)}"


def _write_archive(path: Path, arrays: Mapping[str, Array]) -> None:
    """As numpy.savez does, which takes a name such as `file` for an argument of its own."""
    with ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as file:
                np.lib.format.write_array(file, array, allow_pickle=False)


def _write_golden(source: Source, folder: Path) -> None:
    folder.mkdir()
    for name, array in source.inputs.items():
        np.save(folder / f"{plain(name)}.0.{TIME}.npy", array)
    for node in source.nodes:
        for place, name in enumerate(node.output):
            if name in made(node):
                np.save(folder / f"{plain(name_of(node))}.{place}.{TIME}.npy", source.values[name])


def _write_dumps(ops: Sequence[Op], folder: Path, inputs: bool) -> None:
    folder.mkdir(parents=True)
    for number, op in enumerate(op for op in ops if op.is_dumped):
        file = f"{op.op_type}.{plain(op.name)}.{number}.{STREAM}.{TIME + 1000 * (number + 1)}"
        write_npu(
            folder / file,
            [_dumped(link) for link in op.inputs] if inputs else [],
            [_dumped(Link(op, index)) for index in range(len(op.outputs))],
            op_name=op.name,
            dump_time=TIME + 1000 * (number + 1),
        )


def _dumped(link: Link) -> NpuArray:
    return dumped(link.port.array, link.port.layout, link.port.dtype)
