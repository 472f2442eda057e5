"""PPQ, or ESP-PPQ, which goes on from it; whichever the environment has."""

import importlib
import importlib.metadata
import importlib.util
import math
from typing import Any

import torch
from rerun_peers.work import EQUAL, Meter, Unit, Work

NAME = "ppq" if importlib.util.find_spec("ppq") else "esp_ppq"
# It calibrates on no fewer steps.
LEAST = 8
METHODS = ("snr", "cosine", "mse")


def measure(work: Work, meter: Meter) -> dict[str, Any]:
    torch.set_num_threads(1)
    importlib.import_module(f"{NAME}.quantization.analyse")
    most = [torch.from_numpy(array) for array in work.arrays(work.calibration_images)]
    meter.take("minmax", lambda: _quantized(work, most), times=1, note="with quantizing")
    meter.take("histogram", lambda: _quantized(work, most, "kl"), times=1, note="KL, with quantizing")
    meter.take("first", lambda: _ranked(_quantized(work, most[:1]), most[:1]), times=1, note=f"{LEAST} steps on it")
    graph = meter.take("quantize", lambda: _quantized(work, most[: work.images]), times=1)
    found = {} if graph is None else meter.take("toggle", lambda: _ranked(graph, most[:1]))
    if graph is not None:
        meter.take("table", lambda: _table(graph, most[: work.images]), times=1, note="3 metrics of 4,096 values")
    return _told(graph, found)


def sensitivity(work: Work, meter: Meter) -> dict[str, Any]:
    """What `measure` does of a ranking, and no more."""
    torch.set_num_threads(1)
    importlib.import_module(f"{NAME}.quantization.analyse")
    arrays = [torch.from_numpy(array) for array in work.arrays(work.images)]
    graph = meter.take("setup", lambda: _quantized(work, arrays), times=1, note=f"{LEAST} steps")
    return _told(graph, {} if graph is None else meter.take("rank", lambda: _ranked(graph, arrays[:1])))


def _told(graph: Any, found: dict[str, float] | None) -> dict[str, Any]:
    scores = {} if found is None else {name: _decibels(value) for name, value in found.items()}
    units: dict[str, Unit] = {name: _coded(graph.operations[name]) for name in scores}
    return {"version": importlib.metadata.version(NAME.replace("_", "-")), "scores": scores, "units": units}


def _quantized(work: Work, arrays: list[Any], method: str = "minmax") -> Any:
    core, api = importlib.import_module(NAME), importlib.import_module(f"{NAME}.api")
    setting = core.QuantizationSettingFactory.default_setting()
    setting.quantize_activation_setting.calib_algorithm = method
    return api.quantize_onnx_model(
        onnx_import_file=work.model,
        calib_dataloader=arrays,
        calib_steps=max(LEAST, len(arrays)),
        input_shape=list(arrays[0].shape),
        platform=core.TargetPlatform.TRT_INT8,
        setting=setting,
        device="cpu",
        verbose=0,
    )


def _ranked(graph: Any, arrays: list[Any]) -> dict[str, float]:
    analyse = importlib.import_module(f"{NAME}.quantization.analyse")
    found: dict[str, float] = analyse.layerwise_error_analyse(
        graph=graph, dataloader=arrays, running_device="cpu", method="snr", steps=1, verbose=False
    )
    return found


def _table(graph: Any, arrays: list[Any]) -> None:
    analyse = importlib.import_module(f"{NAME}.quantization.analyse")
    for method in METHODS:
        analyse.graphwise_error_analyse(
            graph=graph, dataloader=arrays, running_device="cpu", method=method, steps=len(arrays), verbose=False
        )


def _coded(operation: Any) -> Unit:
    """What is in codes for it; what it has folded into weights goes by their name."""
    core = importlib.import_module(f"{NAME}.core")
    found: Unit = {}
    for config, variable in operation.config_with_variable:
        if core.QuantizationStates.is_activated(config.state) or config.state == core.QuantizationStates.BAKED:
            weights = config.policy.has_property(core.QuantizationProperty.PER_CHANNEL)
            parameter = "weights" if weights else "weight"
            found[variable.name] = parameter if variable.is_parameter else "activation"
    return found


def _decibels(noise: float) -> float:
    return min(EQUAL, -10 * math.log10(noise)) if noise > 0 else EQUAL
