"""Quantized models, and whether what was read back of them does as ONNX Runtime does."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from errorflow.formats import read_model
from errorflow.quant.fake import fake_quantize
from errorflow.quant.plan import Plan
from errorflow.quant.readback.reading import ReadBack, kind_of, read_back
from errorflow.run.engine.engine import Engine
from rerun_nets import Case, every_tensor

Array = NDArray[Any]
TYPES = {"uint8": QuantType.QUInt8, "int8": QuantType.QInt8, "int16": QuantType.QInt16, "uint16": QuantType.QUInt16}


class Samples(CalibrationDataReader):  # type: ignore[misc]  # it ships no types
    def __init__(self, samples: tuple[dict[str, Array], ...]) -> None:
        self._left = iter(samples)

    def get_next(self) -> dict[str, Array] | None:
        return next(self._left, None)


def quantized(
    case: Case, folder: Path, activations: str = "uint8", form: QuantFormat = QuantFormat.QDQ, **options: Any
) -> Path:
    """What ONNX Runtime's tool makes of a net."""
    path, prepared = folder / f"{case.path.stem}_{activations}.onnx", folder / "prepared.onnx"
    quant_pre_process(str(case.path), str(prepared), skip_optimization=True, skip_symbolic_shape=True)
    quantize_static(
        str(prepared), str(path), Samples(case.samples), form, activation_type=TYPES[activations], **options
    )
    return path


def opened(path: Path, folder: Path) -> ReadBack:
    kind = kind_of(read_model(path).graph)
    assert kind is not None
    return read_back(path, kind, folder / "read_back.onnx")


def simulated(found: ReadBack, inputs: dict[str, Array], plan: Plan | None = None) -> dict[str, Array]:
    """All tensors under the plan that was read, or another one."""
    with Engine(found.path, [inputs], found.calibration) as engine:
        return engine.values(found.plan if plan is None else plan, engine.tensors)


def in_onnxruntime(path: Path, found: ReadBack, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """The tensors of the quantized model, by the names that they have in the float model."""
    run = {**inputs, **every_tensor(onnx.load(path), inputs, path.parent)}
    known = {now: run[gone] for gone, now in found.names.items() if gone in run}
    # Of some the quantized model has nothing but codes: coding what was coded already changes nothing.
    given = found.calibration.given
    floats = {name: fake_quantize(run[name], given[name]) for name in given if name in run and name not in known}
    return run | known | floats


def check(path: Path, folder: Path, inputs: dict[str, Array]) -> ReadBack:
    """Each tensor has the same bits."""
    found = opened(path, folder)
    want, have = in_onnxruntime(path, found, inputs), simulated(found, inputs)
    assert set(onnx_outputs(path)) <= have.keys()
    for name, array in have.items():
        assert np.array_equal(array, want[name], equal_nan=array.dtype.kind == "f"), name
    return found


def onnx_outputs(path: Path) -> list[str]:
    return [value.name for value in onnx.load(path).graph.output]
