"""From the order in which an NPU keeps a tensor in memory to the one of the original model, and back."""

from errorflow.convert.change import convert
from errorflow.convert.custom import Converters
from errorflow.convert.error import ConvertError
from errorflow.convert.layouts import LAYOUTS
from errorflow.convert.prepare import Prepared, prepare, prepare_arrays, prepare_npu, strip_padding
from errorflow.convert.tool import tool_converts

__all__ = [
    "LAYOUTS",
    "ConvertError",
    "Converters",
    "Prepared",
    "convert",
    "prepare",
    "prepare_arrays",
    "prepare_npu",
    "strip_padding",
    "tool_converts",
]
