"""Settings of Pulsar2."""

import json

from errorflow.guides.facts import Facts


def _text(data: object) -> str:
    return json.dumps(data, indent=4, ensure_ascii=False) + "\n"


def pulsar2(facts: Facts, method: str, size: int, calibration: str = "MinMax", **more: object) -> str:
    """A build with the analysis of precision; `more` goes into `quant`."""
    del facts  # names are given on the command line
    inputs = {
        "tensor_name": "DEFAULT",
        "calibration_dataset": "calibration.tar",
        "calibration_format": "Numpy",
        "calibration_size": size,
    }
    quant = {
        "input_configs": [inputs],
        "calibration_method": calibration,
        "precision_analysis": True,
        "precision_analysis_method": method,
        "precision_analysis_mode": "Reference",
        **more,
    }
    return _text({"model_type": "ONNX", "npu_mode": "NPU1", "quant": quant, "compiler": {"check": 0}})


def wide_layers(names: tuple[str, ...] = ()) -> list[dict[str, object]]:
    """The entry that gives layers 16 bits; without names, the whole model."""
    if names:
        return [{"layer_names": list(names), "data_type": "U16"}]
    return [{"start_tensor_names": ["DEFAULT"], "end_tensor_names": ["DEFAULT"], "data_type": "U16"}]


def plain_processors(_: Facts) -> str:
    """Inputs and outputs of the compiled model are those of the float model, so that nothing else can differ."""
    inputs = {
        "tensor_name": "DEFAULT",
        "tensor_format": "BGR",
        "tensor_layout": "NCHW",
        "src_format": "BGR",
        "src_dtype": "FP32",
        "src_layout": "NCHW",
        "mean": [0, 0, 0],
        "std": [1, 1, 1],
    }
    return _text({"input_processors": [inputs], "output_processors": [{"tensor_name": "DEFAULT"}]})
