"""ONNX Runtime's own tools: calibrators, its quantizer with each node alone, sessions with all tensors as outputs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, create_calibrator
from rerun_peers.ort_tools import QUIET, Inputs, coded_tensors, metrics, name_nodes, prepared, quantized, run, session
from rerun_peers.work import Meter, Unit, Work, sqnr

Ranges = Mapping[str, tuple[float, float]]


class _Reader(CalibrationDataReader):  # type: ignore[misc] # the package ships no types
    def __init__(self, samples: Sequence[Inputs]) -> None:
        self._left = iter(samples)

    def get_next(self) -> Inputs | None:
        return next(self._left, None)


def measure(work: Work, meter: Meter) -> dict[str, Any]:
    most = work.samples(work.calibration_images)
    meter.take("minmax", lambda: _ranges(work, most, CalibrationMethod.MinMax), times=1)
    meter.take("histogram", lambda: _ranges(work, most, CalibrationMethod.Percentile), times=1, note="percentile")
    ranges = _ranges(work, most[: work.images], CalibrationMethod.MinMax)
    meter.take("table", lambda: _table(work, ranges, most[: work.images]), times=1)
    meter.take("first", lambda: _ranked(work, _ranges(work, most[:1], CalibrationMethod.MinMax), most[0], {}), times=1)
    units: dict[str, Unit] = {}
    scores = meter.take("toggle", lambda: _ranked(work, ranges, most[0], units))
    return {"version": onnxruntime.__version__, "scores": scores, "units": units}


def sensitivity(work: Work, meter: Meter) -> dict[str, Any]:
    """What `measure` does of a ranking, and no more."""
    samples = work.samples(work.images)
    ranges = meter.take("setup", lambda: _ranges(work, samples, CalibrationMethod.MinMax), times=1)
    units: dict[str, Unit] = {}
    scores = meter.take("rank", lambda: _ranked(work, ranges, samples[0], units))
    return {"version": onnxruntime.__version__, "scores": scores, "units": units}


def _model(work: Work) -> Any:
    model = prepared(onnx.load(work.model))
    name_nodes(model)
    return model


def _ranges(work: Work, samples: Sequence[Inputs], method: Any) -> Ranges:
    with TemporaryDirectory() as folder:
        tool = create_calibrator(Path(work.model), [], f"{folder}/augmented.onnx", method)
        tool.collect_data(_Reader(samples))
        found = {name: data.range_value for name, data in tool.compute_data().items()}
    return {name: (float(np.squeeze(low)), float(np.squeeze(high))) for name, (low, high) in found.items()}


def _table(work: Work, ranges: Ranges, samples: Sequence[Inputs]) -> None:
    model = _model(work)
    plain, coded = session(model, every=True), session(quantized(model, ranges), every=True)
    for sample in samples:
        metrics(run(plain, sample), run(coded, sample))


def _ranked(work: Work, ranges: Ranges, sample: Inputs, units: dict[str, Unit]) -> dict[str, float]:
    """Also notes what is in codes where a node is quantized alone; nodes of types that the tool lacks are no units."""
    model = _model(work)
    golden = session(model, every=False).run(None, sample)
    found = {}
    for node in model.graph.node:
        if node.op_type in QUIET:
            continue
        alone = quantized(model, ranges, only=(node.name,))
        coded = coded_tensors(alone)
        if coded:
            units[node.name] = coded
            found[node.name] = sqnr(golden, session(alone, every=False).run(None, sample))
    return found
