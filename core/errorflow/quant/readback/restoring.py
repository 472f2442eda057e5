"""Float weights of the model that was quantized, in place of those that its codes stand for."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errorflow.qparams import QParams
from errorflow.quant.fake import fake_quantize

if TYPE_CHECKING:
    import onnx

Array = NDArray[Any]


def restore(
    model: "onnx.ModelProto", coded: Mapping[str, QParams], floats: Mapping[str, Callable[[], Array]]
) -> tuple[int, int]:
    """How many of the coded constants got their float values, and how many there are.

    Only those whose codes come out the same: whatever else has the name, was fused or rounded in another way is left.
    """
    from onnx import numpy_helper

    wanted = [tensor for tensor in model.graph.initializer if tensor.name in coded]
    count = 0
    for tensor in wanted:
        read = floats.get(tensor.name)
        values = None if read is None else read()
        if values is None or values.dtype != np.float32 or values.shape != tuple(tensor.dims):
            continue
        if np.array_equal(fake_quantize(values, coded[tensor.name]), numpy_helper.to_array(tensor)):
            tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(values), tensor.name))
            count += 1
    return count, len(wanted)
