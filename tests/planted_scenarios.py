"""What is planted into the folder of which comparison."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from amct_case import folders, truth
from amct_case.folders import Ingredients, Write
from amct_case.plants import Plant
from tools.npu_case.faults import Fault

# Each in a net where nobody else is to blame, not even for values that the fault makes too large for its range.
QUANTIZATION = (
    Plant("quantization", "conv1", "channels swapped", 1),
    Plant("quantization", "res2a_branch1", "noise", 1),
    Plant("quantization", "res2a_branch2a", "scale too small"),
    Plant("quantization", "res2b_branch2a", "channels swapped"),
    Plant("quantization", "res2b_branch2b", "weight scale too small", 1),
    Plant("quantization", "fc10", "noise"),
)
# Layers behind many that are a little wrong, and worse than all of them: weights have five bits everywhere.
LATE = (
    Plant("quantization", "res2a_branch2b", "noise", 1),
    Plant("quantization", "res2b_branch2a", "channels swapped", 9),
    Plant("quantization", "res2b_branch2b", "scale too small", 24),
    Plant("quantization", "res3a_branch1", "channels swapped", 23),
    Plant("quantization", "res3a_branch2b", "channels swapped", 1),
    Plant("quantization", "fc10", "channels swapped", 10),
)
BOARD = (
    Plant("board", "conv1", "channels swapped", 1),
    Plant("board", "pool1", "other operator"),
    Plant("board", "res2a_branch1", "noise"),
    Plant("board", "res2b_branch2a", "saturating", 1),
    Plant("board", "res2b", "other operator"),
    Plant("board", "fc10", "noise", 1),
)
BOTH = (*QUANTIZATION[::2], *BOARD[1::2])
# In the ONNX model's own words; the made-up compiler fuses differently, and has faults of its own.
COMPILED_ONNX = (
    Fault("conv1", "weights", 1.0),
    Fault("pool1", "transposed"),
    Fault("res2a_branch1", "channel"),
    Fault("res2b_branch2a", "weights", 1.0),
    Fault("res3a_branch2a", "channel"),
    Fault("fc10", "weights", 1.0),
)
# The error of the last tensor that a fault or a drift makes at least, and that of what is harmless at most.
HARM, HARMLESS = 0.1, 0.04


@dataclass(frozen=True)
class Row:
    """One comparison: its key, who writes the folder, what is planted, and the nets that drift and twin are of."""

    key: str
    write: Write
    faults: Sequence[Plant | Fault]
    drift_seed: int = 0
    # Which part of the drift's error each operator brings by itself.
    parts: Callable[[Ingredients], Mapping[str, float]] = truth.coarse
    # The guide and the number of its step that prints the same command; "": no guide does.
    guide: str = ""
    step: int = 0

    # Faults on top of five bits everywhere, with no drift and no twin beside them.
    late: bool = False

    def cases(self) -> Mapping[str, Ingredients]:
        found: dict[str, Ingredients] = {}
        for number, fault in enumerate(self.faults):
            if isinstance(fault, Plant):
                found[str(fault)] = of_fault(fault, late=self.late)
            else:
                found[f"{fault.node}: {fault.kind}"] = Ingredients("fault", fault=fault, seed=number % 2)
        if self.late:
            return found
        return {**found, "drift": Ingredients("drift", seed=self.drift_seed), "twin": Ingredients("twin")}


def of_fault(plant: Plant, *, late: bool = False) -> Ingredients:
    return Ingredients("fault", plant=plant, seed=plant.seed, levels=folders.COARSE if late else folders.BITS8)


ROWS: Mapping[str, Row] = {
    "float, Caffe": Row(
        "npu", folders.float_caffe, BOARD, 14, parts=truth.float_board, guide="ascend-caffe-float", step=1
    ),
    "float, ONNX": Row(
        "npu", folders.float_onnx, COMPILED_ONNX, parts=truth.float_onnx, guide="ascend-onnx-float", step=1
    ),
    "fake-quantized": Row("quantized", folders.quantized, QUANTIZATION, guide="ascend-caffe", step=1),
    "fake-quantized, late": Row("quantized", folders.quantized, LATE, late=True),
    "fusion off": Row(
        "npu-fake-quantized",
        folders.fake_quantized_npu,
        BOARD,
        9,
        parts=truth.quantized_off,
        guide="ascend-caffe",
        step=3,
    ),
    "end to end, off": Row("npu-quantized", folders.float_quantized_off, BOTH, 9, parts=truth.quantized_off),
    "end to end, on": Row(
        "npu-quantized",
        folders.float_quantized_on,
        BOTH,
        6,
        parts=truth.quantized_on,
        guide="ascend-caffe-quick",
        step=1,
    ),
    "end to end, late": Row("npu-quantized", folders.float_quantized_off, LATE, late=True),
    "versions": Row("npu-npu", folders.versions, BOARD, 14, parts=truth.float_board, guide="npu-version", step=1),
    "fusion": Row("npu-npu", folders.fusion, BOARD, 6, parts=truth.quantized_on, guide="ascend-caffe", step=6),
    "three, Ascend": Row("three-way", folders.three_ascend, BOTH, 9, parts=truth.quantized_off),
    "three, arrays": Row("three-way", folders.three_arrays, BOTH, 9, parts=truth.quantized_off),
    "ONNX": Row("onnx", folders.two_onnx, QUANTIZATION, guide="onnx", step=1),
    "ONNX, late": Row("onnx", folders.two_onnx, LATE, late=True),
}
CASES = tuple((name, plant) for name, row in ROWS.items() for plant in row.cases())


def _others() -> frozenset[tuple[str, str]]:
    """Of rows into which the same is planted each second fault, now the even ones, now the odd ones: together they have
    all of them left.
    """
    found: set[tuple[str, str]] = set()
    for faults in {id(row.faults): row.faults for row in ROWS.values()}.values():
        alike = [name for name, row in ROWS.items() if row.faults is faults]
        for number, name in enumerate(alike if len(alike) > 1 else ()):
            found |= {(name, plant) for plant in list(ROWS[name].cases())[number % 2 : len(faults) : 2]}
    return frozenset(found)


# What the longer tests try besides.
OTHERS = _others()
