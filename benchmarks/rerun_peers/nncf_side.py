"""NNCF. It has no ranking that could be asked for alone: each node is quantized alone by all that it leaves out."""

from functools import partial
from typing import Any

import nncf
import onnx
import onnxruntime
from nncf.quantization.advanced_parameters import AdvancedQuantizationParameters
from nncf.quantization.range_estimator import RangeEstimatorParametersSet
from rerun_peers.ort_tools import coded_tensors
from rerun_peers.work import Meter, Unit, Work, spread, sqnr

TRIED = 6
WEIGHTED = ("Conv", "ConvTranspose", "Gemm", "MatMul")


def measure(work: Work, meter: Meter) -> dict[str, Any]:
    most = work.samples(work.calibration_images)
    for name, ranges in (
        ("minmax", RangeEstimatorParametersSet.MINMAX),
        ("histogram", RangeEstimatorParametersSet.HISTOGRAM),
    ):
        meter.take(name, partial(_quantized, work, most, ranges, ()), times=1, note="with quantizing")
    names = [node.name for node in onnx.load(work.model).graph.node if node.op_type in WEIGHTED and node.name]
    tried = spread(names, TRIED)
    golden = _run(onnx.load(work.model), most[0])
    units: dict[str, Unit] = {}
    scores = meter.take(
        "toggle",
        lambda: {name: _score(work, most[: work.images], name, golden, units) for name in tried},
        note=f"{len(tried)} of {len(names)} nodes, each calibrated anew",
    )
    row = meter.rows["toggle"]
    if "failed" not in row:
        took = {key: row[key] * len(names) for key in ("cpu", "wall")}
        meter.rows["first"] = {**took, "memory": row["memory"], "note": f"{len(names)} times that"}
    return {"version": nncf.__version__, "scores": scores, "units": units}


def sensitivity(work: Work, meter: Meter) -> dict[str, Any]:
    """What `measure` does of a ranking, and no more; there is nothing to prepare."""
    samples = work.samples(work.images)
    names = [node.name for node in onnx.load(work.model).graph.node if node.op_type in WEIGHTED and node.name]
    tried = spread(names, TRIED)
    golden = _run(onnx.load(work.model), samples[0])
    units: dict[str, Unit] = {}
    scores = meter.take(
        "rank",
        lambda: {name: _score(work, samples, name, golden, units) for name in tried},
        note=f"{len(tried)} of {len(names)} nodes, each calibrated anew",
    )
    return {"version": nncf.__version__, "scores": scores, "units": units}


def _quantized(work: Work, samples: list[Any], ranges: Any, left_out: tuple[str, ...]) -> Any:
    advanced = AdvancedQuantizationParameters(disable_bias_correction=True, activations_range_estimator_params=ranges)
    return nncf.quantize(
        onnx.load(work.model),
        nncf.Dataset(samples),
        subset_size=len(samples),
        ignored_scope=nncf.IgnoredScope(names=list(left_out), validate=False) if left_out else None,
        advanced_parameters=advanced,
    )


def _alone(work: Work, samples: list[Any], name: str) -> Any:
    others = (node.name for node in onnx.load(work.model).graph.node)
    return _quantized(
        work, samples, RangeEstimatorParametersSet.MINMAX, tuple(other for other in others if other != name)
    )


def _score(work: Work, samples: list[Any], name: str, golden: Any, units: dict[str, Unit]) -> float:
    model = _alone(work, samples, name)
    units[name] = {_before(tensor): kind for tensor, kind in coded_tensors(model).items()}
    return sqnr(golden, _run(model, samples[0]))


def _before(name: str) -> str:
    """A weight in codes is called `q_output_NAME_1`."""
    return name.removeprefix("q_output_").rpartition("_")[0] if name.startswith("q_output_") else name


def _run(model: Any, sample: Any) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, sample)
