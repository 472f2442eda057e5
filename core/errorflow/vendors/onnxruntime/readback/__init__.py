"""Readback of quantization in ONNX: QuantizeLinear and DequantizeLinear, and operators on codes."""

from errorflow.vendors.onnxruntime.readback.qdq import QDQ
from errorflow.vendors.onnxruntime.readback.qoperator import QOPERATOR

ROWS = (QDQ, QOPERATOR)
