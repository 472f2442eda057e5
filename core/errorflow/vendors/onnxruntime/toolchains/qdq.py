"""The quantized model itself, with QuantizeLinear and DequantizeLinear."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from errorflow.base import Progress, UsageError, WrongFileError
from errorflow.formats import read_model
from errorflow.graph.model import Graph
from errorflow.quant.readback.reading import kind_of, read_back
from errorflow.quant.selecting import unheard
from errorflow.report.toolchains.model import Decision, Reading, Toolchain, WrittenFiles, no_base
from errorflow.vendors.onnxruntime.toolchains.trial import NO_SAMPLES, reached_by

LABEL = "QDQ model"


def _write(decision: Decision, base: Path | None) -> WrittenFiles:
    no_base(base, LABEL)
    if decision.export is None:
        raise UsageError("A QDQ model needs ranges.", "Give --calibration FILE or --data DIR.")
    trial = None if decision.bench is None else partial(reached_by, decision.bench, decision.plan)
    makers = {f"{Path(decision.model).stem}_qdq.onnx": decision.export}
    return WrittenFiles(makers=makers, reaches=NO_SAMPLES, trial=trial)


def _read(path: Path, graph: Graph, progress: Progress) -> Reading:
    kind = kind_of(read_model(path, progress).graph)
    if kind is None:
        raise WrongFileError(f"{path.name} is not quantized.", "Give the model that was written.")
    with TemporaryDirectory(prefix="errorflow-") as folder:
        found = read_back(path, kind, Path(folder) / "float.onnx", progress)
    return Reading(found.plan, (*found.notes, *unheard(found.plan, graph)))


QDQ = Toolchain(
    "qdq",
    LABEL,
    "the model quantized as ONNX, with all scales",
    _write,
    _read,
    lambda name, _: name.endswith(".onnx"),
    needs_ranges=True,
    needs_run=True,
    rank=1,
)
