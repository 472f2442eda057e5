"""A folder for each comparison of `errorflow scenarios`, as a user has it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import onnx

from amct_case import onnx_nets
from amct_case.board import Build, Op, compiled
from amct_case.files import write_arrays, write_compiled, write_dumps, write_prototxt, write_quantization, write_record
from amct_case.layers import Array, Net, net_of
from amct_case.plants import Plant
from amct_case.quantizing import Record, fake_quantized, made_by, records_of
from run_models import savez
from tools.npu_case.case import Wish, write_case
from tools.npu_case.chip import Drift
from tools.npu_case.faults import Fault
from tools.npu_case.source import source_of

# Weights of five bits everywhere, noise of 3 % from each operator, and rounding.
COARSE, DRIFT, ROUNDING = 11, 0.03, 2e-4
BITS8 = 127
PROTOTXT, JSON, QUANT, RECORD = "resnet.prototxt", "model.json", "resnet_quant.json", "scale_offset_record.txt"


@dataclass(frozen=True)
class Planted:
    """What lies in the folder: the comparison it is for, all its files, who is guilty, and the harm at the end."""

    expected: str
    files: tuple[str, ...]
    guilty: frozenset[str]
    harm: float
    stage: str = ""


@dataclass(frozen=True)
class Ingredients:
    """One net with what is planted into it; `expected` is "fault", "drift" or "twin"."""

    expected: str
    plant: Plant | None = None
    fault: Fault | None = None
    seed: int = 0
    # Of the weights of all layers, on one side of zero; the drift of a quantization has COARSE ones.
    levels: int = BITS8

    @property
    def net(self) -> Net:
        return _net(self.seed)

    @property
    def plants(self) -> tuple[Plant, ...]:
        return () if self.plant is None else (self.plant,)

    def records(self, *, coarse: bool = False) -> Mapping[str, Record]:
        return records_of(self.net, self.plants, COARSE if coarse and self.expected == "drift" else self.levels)

    def build(self, *, fused: bool, records: Mapping[str, Record] | None = None, order: bool = False) -> list[Op]:
        return compiled(self.net, self.asked(fused=fused, records=records, order=order))

    def asked(self, *, fused: bool, records: Mapping[str, Record] | None = None, order: bool = False) -> Build:
        drift = {"drift": DRIFT, "twin": ROUNDING}.get(self.expected, 0.0)
        return Build(records, fused, self.plants, drift, order and self.expected == "twin")

    def guilty(self, *compilations: list[Op]) -> frozenset[str]:
        """All names of the unit that is at fault: of the original, of AMCT, and of the compiled model."""
        if self.plant is None:
            return frozenset()
        place = self.plant.place
        if place not in self.net.weights or not self.net.weights[place]:
            unit = {place}
        else:
            unit = {*self.net.unit(place), f"{place}_quant_layer", f"{place}_dequant_layer"}
        ops = (op for ops in compilations for op in ops)
        return frozenset(unit | {op.name for op in ops if unit & set(op.originals)})


@cache
def _net(seed: int) -> Net:
    return net_of(seed)


def error_of(mine: Array, golden: Array) -> float:
    return float(np.linalg.norm(mine.astype(np.float64) - golden) / np.linalg.norm(golden))


Write = Callable[[Path, Ingredients], Planted]


def _planted(given: Ingredients, folder: Path, mine: Array, golden: Array, *ops: list[Op], stage: str = "") -> Planted:
    files = tuple(sorted(path.name for path in folder.iterdir()))
    return Planted(given.expected, files, given.guilty(*ops), error_of(mine, golden), stage)


def float_caffe(folder: Path, given: Ingredients) -> Planted:
    """Not quantized: prototxt, tensors of the framework, dump and compiled model."""
    ops = given.build(fused=True, order=True)
    write_prototxt(folder / PROTOTXT, given.net)
    write_arrays(folder / "float_npy", given.net.values)
    write_dumps(folder / "npu", ops)
    write_compiled(folder / JSON, ops)
    return _planted(given, folder, ops[-1].output, given.net.values["prob"], ops)


def float_onnx(folder: Path, given: Ingredients) -> Planted:
    """The same of an ONNX model, by the other made-up NPU."""
    source = source_of(onnx_nets.float_net(given.net), {"data": given.net.image})
    drift = Drift(outputs=DRIFT) if given.expected == "drift" else Drift()
    wish = Wish(faults=() if given.fault is None else (given.fault,), drift=drift, seed=given.seed)
    case = write_case(source, folder, wish)
    guilty = frozenset() if given.fault is None else frozenset({given.fault.node, case.holder[given.fault.node]})
    files = ("model.onnx", "golden", case.npu.relative_to(folder).as_posix(), "model.json")
    return Planted(given.expected, files, guilty, case.error)


def quantized(folder: Path, given: Ingredients) -> Planted:
    """AMCT's fake-quantized model beside the original one."""
    records = given.records(coarse=True)
    run = fake_quantized(given.net, records)
    _write_amct(folder, given, records, run)
    return _planted(given, folder, run["prob"], given.net.values["prob"])


def _write_amct(folder: Path, given: Ingredients, records: Mapping[str, Record], run: Mapping[str, Array]) -> None:
    write_prototxt(folder / PROTOTXT, given.net)
    write_arrays(folder / "float_npy", given.net.values)
    write_arrays(folder / "fq_npy", run)
    write_quantization(folder / QUANT, given.net)
    write_record(folder / RECORD, records)


def fake_quantized_npu(folder: Path, given: Ingredients) -> Planted:
    """Fusion is off, so that each operator has its partner."""
    records = given.records()
    run, ops = fake_quantized(given.net, records), given.build(fused=False, records=records)
    write_prototxt(folder / PROTOTXT, given.net)
    write_arrays(folder / "fq_npy", run)
    write_record(folder / RECORD, records)
    write_dumps(folder / "npu_off", ops)
    write_compiled(folder / "off.json", ops)
    return _planted(given, folder, ops[-1].output, run["prob"], ops)


def _float_quantized(folder: Path, given: Ingredients, *, fused: bool) -> Planted:
    records = given.records()
    ops, name = given.build(fused=fused, records=records), "on" if fused else "off"
    write_prototxt(folder / PROTOTXT, given.net)
    write_arrays(folder / "float_npy", given.net.values)
    write_quantization(folder / QUANT, given.net)
    write_record(folder / RECORD, records)
    write_dumps(folder / f"npu_{name}", ops)
    write_compiled(folder / f"{name}.json", ops)
    return _planted(given, folder, ops[-1].output, given.net.values["prob"], ops)


def float_quantized_off(folder: Path, given: Ingredients) -> Planted:
    return _float_quantized(folder, given, fused=False)


def float_quantized_on(folder: Path, given: Ingredients) -> Planted:
    return _float_quantized(folder, given, fused=True)


def versions(folder: Path, given: Ingredients) -> Planted:
    """Two dumps of one compiled model."""
    before, after = compiled(given.net, Build(fused=True)), given.build(fused=True, order=True)
    write_dumps(folder / "npu_before", before)
    write_dumps(folder / "npu_after", after)
    write_compiled(folder / JSON, after)
    return _planted(given, folder, after[-1].output, before[-1].output, after)


def fusion(folder: Path, given: Ingredients) -> Planted:
    """The quantized model, compiled with and without fusion."""
    records = given.records()
    off, on = compiled(given.net, Build(records)), given.build(fused=True, records=records)
    for name, ops in (("off", off), ("on", on)):
        write_dumps(folder / f"npu_{name}", ops)
        write_compiled(folder / f"{name}.json", ops)
    return _planted(given, folder, on[-1].output, off[-1].output, on, off)


def three_ascend(folder: Path, given: Ingredients) -> Planted:
    """All that there is, with one dump."""
    records = given.records()
    run, ops = fake_quantized(given.net, records), given.build(fused=False, records=records)
    _write_amct(folder, given, records, run)
    write_dumps(folder / "npu_off", ops)
    write_compiled(folder / "off.json", ops)
    return _planted(given, folder, ops[-1].output, given.net.values["prob"], ops, stage=_stage(given))


def three_arrays(folder: Path, given: Ingredients) -> Planted:
    """Float, simulator and board as archives, under the names of the ONNX model that lies beside them."""
    records = given.records()
    run, ops = fake_quantized(given.net, records), given.build(fused=False, records=records)
    behind = {op.name: op.output for op in ops if op.name not in records}
    onnx.save(onnx_nets.float_net(given.net), folder / "model.onnx")
    for name, values in (("float", given.net.values), ("simulator", run), ("board", behind)):
        savez(folder / f"{name}.npz", onnx_nets.named(given.net, values))
    found = _planted(given, folder, ops[-1].output, given.net.values["prob"], stage=_stage(given))
    return _with_onnx_names(found, given)


def _stage(given: Ingredients) -> str:
    """As a comparison of three calls it; the drift is one of the board."""
    if given.plant is None:
        return {"drift": "deployment", "twin": "none"}[given.expected]
    return {"quantization": "quantization", "board": "deployment"}[given.plant.stage]


def two_onnx(folder: Path, given: Ingredients) -> Planted:
    """Float and with QuantizeLinear and DequantizeLinear."""
    records = given.records(coarse=True)
    onnx.save(onnx_nets.float_net(given.net), folder / "float.onnx")
    onnx.save(onnx_nets.quantized_net(given.net, records), folder / "int8.onnx")
    savez(folder / "inputs.npz", {"data": given.net.image})
    run = fake_quantized(given.net, records)
    return _with_onnx_names(_planted(given, folder, run["prob"], given.net.values["prob"]), given)


def _with_onnx_names(found: Planted, given: Ingredients) -> Planted:
    """A unit is coded with its ReLU there, and what a layer reads belongs as well to who makes it."""
    if given.plant is None:
        return found
    place = given.plant.place
    unit = {*found.guilty, given.net.activation(place), f"{place}_quantize", f"{place}_dequantize"}
    if given.plant.kind == "scale too small":
        unit.add(onnx_nets.tensor_of(given.net, made_by(given.net, given.net.by_name[place].bottoms[0])))
    return Planted(found.expected, found.files, frozenset(unit - {""}), found.harm, found.stage)
