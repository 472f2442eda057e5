"""Settings of the vendors' tools."""

import json

from errorflow.guides.facts import Facts

SWITCH = "fusion_switch.cfg"


def _text(data: object) -> str:
    return json.dumps(data, indent=4, ensure_ascii=False) + "\n"


def fusion_switch(_: Facts) -> str:
    """Switches off every fusion that ATC can do without."""
    return _text({"Switch": {"GraphFusion": {"ALL": "off"}, "UBFusion": {"ALL": "off"}}})


def acl(model: str, folder: str) -> str:
    """Inputs and outputs of every operator are dumped: without inputs nobody can say who made an error."""
    listed = [{"model_name": model}]
    return _text({"dump": {"dump_path": folder, "dump_mode": "all", "dump_list": listed}})


# Pulsar2


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
