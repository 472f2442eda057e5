"""Pulsar2's `quant_axmodel.onnx`: operators of its own, which only its tools run, and scales in a JSON file beside it.

Its tensors go by the names of the float model that the front end optimised; so that one is simulated, with the scales.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from errorflow.base.errors import FileError
from errorflow.base.files import is_file
from errorflow.graph.qparams import QParams
from errorflow.quant.readback.kind import Apart, ReadbackKind
from errorflow.vendors.axera.axmodel import read_axmodel

SCALES = "quant_axmodel.json"
# In the output folder: where the float model is, seen from the folders `quant` and `frontend`.
FLOATS = ("../frontend/optimized.onnx", "optimized.onnx")
# They only make codes or values, so that nothing is lost where the float model has no such tensor.
CODING = frozenset(("AxQuantizeLinear", "AxDequantizeLinear"))


def scales(path: Path) -> tuple[Mapping[str, QParams | None], tuple[str, ...]]:
    """Reads scales by tensor, None for those in float; and what is wrong with some."""
    for file in _places(path):
        if is_file(file):
            found = read_axmodel(file)
            return found.tensors, found.problems
    raise FileError(
        f"The scales of {path.name} are in {SCALES}, which is missing.",
        "Copy it from the folder quant of Pulsar2's output, beside the model.",
    )


def original(path: Path) -> Path | None:
    """The float model in the same output folder."""
    folder = path.absolute().parent
    return next((folder / place for place in FLOATS if is_file(folder / place)), None)


def _places(path: Path) -> Iterator[Path]:
    folder = path.absolute().parent
    yield from (folder / SCALES, path.with_suffix(".json"), folder.parent / "quant" / SCALES)


PULSAR2 = ReadbackKind(
    "pulsar2",
    "operators of Pulsar2",
    frozenset(("AxQuantizedConv", "AxQuantizedAdd", "AxFullyConnected", *CODING)),
    {},
    {},
    runs=False,
    prefix="Ax",
    apart=Apart(scales, original, CODING, "frontend/optimized.onnx of Pulsar2's output folder"),
    rank=1,
)
ROWS = (PULSAR2,)
