"""Conversion from the order in which an NPU keeps a tensor in memory to the one of the original model, and back."""

from errorflow.formats.convert.change import convert
from errorflow.formats.convert.custom import Converters
from errorflow.formats.convert.layouts import LAYOUTS, ConvertError
from errorflow.formats.convert.prepare import PreparedPair, prepare, prepare_arrays, prepare_npu, strip_padding
from errorflow.formats.convert.tool import tool_converts

__all__ = [
    "LAYOUTS",
    "ConvertError",
    "Converters",
    "PreparedPair",
    "convert",
    "prepare",
    "prepare_arrays",
    "prepare_npu",
    "strip_padding",
    "tool_converts",
]
