"""What a model says of the steps of a tensor."""

from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from errorflow.explain.inspect.grid import graph_grid
from errorflow.formats import read_model
from onnx_models import graph, model, value


@pytest.mark.parametrize(
    ("dtype", "bits"), [(TensorProto.UINT8, 8), (TensorProto.INT16, 16), (TensorProto.FLOAT8E4M3FN, 0)]
)
def test_only_whole_codes_are_steps(dtype: int, bits: int, tmp_path: Path) -> None:
    scale = helper.make_tensor("scale", TensorProto.FLOAT, [], [0.5])
    constants = [scale, helper.make_tensor("zero", dtype, [], b"\0\0"[: 2 if bits == 16 else 1], raw=True)]
    ends = (("Quantize", "x", "q"), ("Dequantize", "q", "y"))
    nodes = [helper.make_node(f"{kind}Linear", [x, "scale", "zero"], [y]) for kind, x, y in ends]
    made = model(graph(*nodes, inputs=[value("x")], outputs=[value("y")], weights=constants), {"": 21})
    onnx.save(made, tmp_path / "m.onnx")
    found = read_model(tmp_path / "m.onnx").graph
    tensor = found.tensor_index("y")
    assert tensor is not None
    qparams = graph_grid(found, tensor)
    assert (0 if qparams is None else qparams.bits) == bits
