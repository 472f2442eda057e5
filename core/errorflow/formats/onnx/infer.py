"""ONNX's own shape inference, as it runs in a process of its own: it is C++, and a broken model may crash it."""

from errorflow.base.errors import FormatError

MAX_REASON = 200


def infer(model: bytes, follow_values: bool) -> bytes:
    """The model with types of inner tensors filled in; `follow_values` also computes shapes that are computed inside
    the graph (Shape, Gather, Concat, Reshape …).
    """
    from onnx.onnx_cpp2py_export import shape_inference

    gave_up = (shape_inference.InferenceError, ValueError, RuntimeError, TypeError, IndexError, OverflowError)
    try:
        return shape_inference.infer_shapes(model, False, False, follow_values)
    except gave_up as error:
        reason = str(error).strip().split("\n", 1)[0][:MAX_REASON]
        raise FormatError(f"ONNX's shape inference gave up: {reason}", "The model is shown without them.") from error
