"""QDQ models as they would be if nothing kept ONNX Runtime from making codes of weights that are left in float."""

from pathlib import Path

import onnx


def bare(model: Path) -> Path:
    """The same without what stands between codes and weights in float, as `bare.onnx` beside it."""
    proto = onnx.load(model)
    between = {node.output[0]: node.input[0] for node in proto.graph.node if node.op_type == "Sum"}
    assert between
    for node in proto.graph.node:
        node.input[:] = [between.get(name, name) for name in node.input]
    kept = [node for node in proto.graph.node if node.output[0] not in between]
    del proto.graph.node[:]
    proto.graph.node.extend(kept)
    onnx.save(proto, model.with_name("bare.onnx"))
    return model.with_name("bare.onnx")
