"""Folders as runs leave them behind, small."""

from pathlib import Path

import numpy as np

from ascend_writer import attr, desc, graph, model, op, write_json
from npu_writer import NpuArray, write_npu

TIME = 1_700_000_000_000_000
VALUES = np.arange(6, dtype=np.float32).reshape(2, 3)


def npu(folder: Path, names: tuple[str, ...] = ("conv1", "relu1"), scale: float = 1.0) -> Path:
    """A dump with one output per operator."""
    folder.mkdir(parents=True)
    for number, name in enumerate(names):
        tensor = NpuArray((VALUES * scale).astype(np.float16))
        write_npu(folder / f"Relu.{name}.{number}.1.{TIME + number}", outputs=[tensor])
    return folder


def npy(folder: Path, names: tuple[str, ...] = ("conv1", "relu1")) -> Path:
    """Files as msaccucmp wants them."""
    folder.mkdir(parents=True)
    for name in names:
        np.save(folder / f"{name}.0.{TIME}.npy", VALUES)
    return folder


def npz(path: Path, scale: float = 1.0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, a=VALUES * scale, b=VALUES + scale)
    return path


def atc_json(path: Path, name: str = "net", ops: tuple[str, ...] = ("conv1", "relu1")) -> Path:
    """A chain of operators that were not fused."""
    rows = [
        op(
            each,
            "Relu",
            [f"{ops[number - 1]}:0"] if number else [],
            [desc("DT_FLOAT16", (2, 3), "ND", _datadump_origin_name=each, _datadump_origin_output_index=0)],
            _datadump_original_op_names=(each,),
        )
        | {"id": number}
        for number, each in enumerate(ops)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, model(graph(*rows, name=name)))
    return path


def quant_info(path: Path, layers: tuple[str, ...] = ("conv1", "relu1")) -> Path:
    """AMCT's, for layers that keep their names."""
    rows = [{"name": layer, "type": "Relu"} for layer in layers]
    quantizing = {"name": "conv1_quant_layer", "type": "Quant"} | {
        "attr": [attr("_datadump_original_op_names", ("conv1",))]
    }
    write_json(path, {"name": "q", "graph": [{"op": [quantizing, *rows]}]})
    return path


def onnx(path: Path, quantized: bool = False) -> Path:
    """A Relu, or one between quantizing operators."""
    import onnx as library
    from onnx import TensorProto, helper

    nodes = [helper.make_node("Relu", ["x"], ["y"], name="relu")]
    if quantized:
        nodes = [
            helper.make_node("QuantizeLinear", ["x", "s"], ["xq"], name="q"),
            helper.make_node("DequantizeLinear", ["xq", "s"], ["xd"], name="d"),
            helper.make_node("Relu", ["xd"], ["y"], name="relu"),
        ]
    scale = [helper.make_tensor("s", TensorProto.FLOAT, [], [0.1])] if quantized else []
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3]) for name in ("x", "y")]
    # The newest that onnx knows, ONNX Runtime may not.
    versions = [helper.make_opsetid("", 17)]
    made = helper.make_model(helper.make_graph(nodes, "g", ends[:1], ends[1:], scale), opset_imports=versions)
    library.save(made, path)
    return path
