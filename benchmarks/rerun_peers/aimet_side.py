"""AIMET for ONNX."""

from tempfile import TemporaryDirectory
from typing import Any

import aimet_onnx
import onnx
import onnxruntime
from aimet_onnx.quant_analyzer import QuantAnalyzer
from rerun_peers.work import Meter, Unit, Work, sqnr

ONE_THREAD = {"intra_op_num_threads": 1, "inter_op_num_threads": 1}


def measure(work: Work, meter: Meter) -> dict[str, Any]:
    most = work.samples(work.calibration_images)
    meter.take("minmax", lambda: _simulated(work, most), times=1, note="with making its simulation")
    meter.take(
        "histogram",
        lambda: _simulated(work, most, "percentile"),
        times=1,
        note="percentile, with making its simulation",
    )
    meter.take("first", lambda: _ranked(work, _simulated(work, most[:1])), times=1)
    sim = _simulated(work, most[: work.images])
    units, ranges = _units(sim), _ranges(sim)
    scores = meter.take("toggle", lambda: _ranked(work, sim))
    meter.take("table", lambda: _table(work, sim), times=1, note="MSE only")
    return {"version": aimet_onnx.__version__, "scores": scores, "units": units, "ranges": ranges}


def sensitivity(work: Work, meter: Meter) -> dict[str, Any]:
    """What `measure` does of a ranking, and no more."""
    sim = meter.take("setup", lambda: _simulated(work, work.samples(work.images)), times=1)
    units, ranges = _units(sim), _ranges(sim)
    scores = meter.take("rank", lambda: _ranked(work, sim))
    return {"version": aimet_onnx.__version__, "scores": scores, "units": units, "ranges": ranges}


def _simulated(work: Work, samples: list[Any], scheme: str = "min_max") -> Any:
    sim = aimet_onnx.QuantizationSimModel(
        onnx.load(work.model),
        param_type=aimet_onnx.int8,
        activation_type=aimet_onnx.int8,
        quant_scheme=scheme,
        dummy_input=samples[0],
        session_options_kwargs=ONE_THREAD,
    )
    sim.compute_encodings(samples)
    return sim


def _units(sim: Any) -> dict[str, Unit]:
    """What it switches on for each node."""
    names = {id(quantizer): name for name, quantizer in sim.qc_quantize_op_dict.items()}
    found: dict[str, Unit] = {}
    for op in sim.connected_graph.ordered_ops:
        inputs, outputs, params = sim.get_op_quantizers(op)
        tensors = {names[id(each)]: "activation" for each in (*inputs, *outputs) if each.enabled}
        for each in params.values():
            if each.enabled:
                tensors[names[id(each)]] = "weights" if each.quant_info.usePerChannelMode else "weight"
        if tensors:
            found[op.name_op] = tensors
    return found


def _ranges(sim: Any) -> dict[str, tuple[float, float]]:
    """It widens those that are narrow."""
    found = {name: quantizer.get_encodings() for name, quantizer in sim.qc_quantize_op_dict.items()}
    return {name: (each[0].min, each[0].max) for name, each in found.items() if each is not None and len(each) == 1}


def _ranked(work: Work, sim: Any) -> dict[str, float]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    sample = work.samples(1)[0]
    plain = onnxruntime.InferenceSession(work.model, options, providers=["CPUExecutionProvider"])
    golden = plain.run(None, sample)
    found: dict[str, float] = aimet_onnx.analyze_per_layer_sensitivity(
        sim, lambda session: sqnr(golden, session.run(None, sample))
    )
    return found


def _table(work: Work, sim: Any) -> None:
    analyzer = QuantAnalyzer(onnx.load(work.model), {}, lambda _: None, lambda _: 0.0)
    analyzer.enable_per_layer_mse_loss(work.arrays(work.images), work.images)
    with TemporaryDirectory() as folder:
        analyzer.export_per_layer_mse_loss(sim, folder)
