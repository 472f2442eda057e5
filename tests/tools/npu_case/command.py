"""The command line: one ONNX model and one input in, one case in a folder out."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx

from tools.npu_case.case import Wish, write_case
from tools.npu_case.chip import ROUNDINGS, Drift
from tools.npu_case.faults import FAULTS, Fault, NoSuchFaultError
from tools.npu_case.source import Array, name_of, source_of


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fake_npu.py",
        description="Plays an NPU for an ONNX model and writes what a real one would leave behind.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="kinds of faults:\n"
        + "\n".join(f"  {kind.key:12} {kind.what} (AMOUNT is {kind.amount:g})" for kind in FAULTS),
    )
    add = parser.add_argument
    add("model", type=Path, help="a float ONNX model")
    add("-out", type=Path, required=True, metavar="FOLDER", help="a folder that is not there yet")
    add("--inputs", type=Path, metavar="FILE", help="an .npz with the inputs' names, or a .npy of the only input")
    add("--random", type=int, default=0, metavar="SEED", help="make the inputs up where there are none (0)")
    add("--wrong", action="append", default=[], metavar="NODE[:KIND[:AMOUNT]]", help="compute this node wrongly")
    add("--unfused", action="store_true", help="compile with fusion switched off")
    add("--rounding", choices=tuple(ROUNDINGS), default="nearest", help="of the borders of operators")
    add("--saturate", action="store_true", help="what is too large becomes the largest float16, not infinite")
    add("--drift-weights", type=float, default=0.0, metavar="AMOUNT", help="noise on all weights")
    add("--drift-outputs", type=float, default=0.0, metavar="AMOUNT", help="noise on the outputs of all operators")
    add("--int8", action="store_true", help="quantize all layers with weights, as AMCT does")
    add("--per-tensor", action="store_true", help="one scale for all weights of a layer, with --int8")
    add("--missing", action="append", default=[], metavar="NODE", help="its operator has no dump")
    add("--renamed", action="append", default=[], metavar="NODE", help="its operator has another name")
    add("--only-outputs", action="store_true", help="dumps hold no inputs")
    add("--no-model", action="store_true", help="leave the original model out")
    add("--seed", type=int, default=0, help="of all noise (0)")
    return parser


def main(given: Sequence[str] | None = None) -> int:
    parser = arguments()
    asked = parser.parse_args(given)
    if asked.out.exists():
        parser.error(f"{asked.out} is there already")
    model = onnx.load(asked.model)
    source = source_of(model, _inputs(model, asked.inputs, asked.random))
    faults = tuple(map(_fault, asked.wrong))
    known = {name_of(node) for node in source.nodes}
    strange = sorted({*(fault.node for fault in faults), *asked.missing, *asked.renamed} - known)
    if strange:
        parser.error(f"the model has no node {', '.join(strange)}")
    wish = Wish(
        fused=not asked.unfused,
        rounding=asked.rounding,
        saturates=asked.saturate,
        faults=faults,
        drift=Drift(asked.drift_weights, asked.drift_outputs),
        seed=asked.seed,
        missing=asked.missing,
        renamed=asked.renamed,
        dump_inputs=not asked.only_outputs,
        keep_model=not asked.no_model,
        int8=asked.int8,
        per_tensor=asked.per_tensor,
    )
    try:
        case = write_case(source, asked.out, wish)
    except NoSuchFaultError as error:
        parser.error(str(error))
    for fault in faults:
        print(f"{fault.node} is wrong ({fault.kind}), which is in the operator {case.holder[fault.node]}.")  # noqa: T201 - its answer
    print(f"errorflow compare -m {case.npu} -g {case.golden} -f {case.fusion}")  # noqa: T201 - its answer
    return 0


def _fault(text: str) -> Fault:
    """`NODE`, `NODE:KIND` or `NODE:KIND:AMOUNT`; names of nodes may hold colons."""
    parts = text.split(":")
    kinds = {kind.key for kind in FAULTS}
    if len(parts) > 2 and parts[-2] in kinds:
        return Fault(":".join(parts[:-2]), parts[-2], float(parts[-1]))
    if len(parts) > 1 and parts[-1] in kinds:
        return Fault(":".join(parts[:-1]), parts[-1])
    return Fault(text)


def _inputs(model: onnx.ModelProto, path: Path | None, seed: int) -> dict[str, Array]:
    constants = {tensor.name for tensor in model.graph.initializer}
    wanted = [value for value in model.graph.input if value.name not in constants]
    given: dict[str, Array] = {}
    if path is not None:
        loaded = np.load(path, allow_pickle=False)
        given = {wanted[0].name: loaded} if isinstance(loaded, np.ndarray) else {key: loaded[key] for key in loaded}
    dice = np.random.default_rng(seed)
    for value in wanted:
        if value.name not in given:
            kind = value.type.tensor_type
            shape = [dim.dim_value if dim.dim_value > 0 else 1 for dim in kind.shape.dim]
            dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
            numbers = dice.standard_normal(shape) if np.issubdtype(dtype, np.floating) else dice.integers(0, 2, shape)
            given[value.name] = numbers.astype(dtype)
    return {value.name: given[value.name] for value in wanted}
