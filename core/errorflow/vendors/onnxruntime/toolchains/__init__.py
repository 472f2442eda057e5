"""A script for quantize_static, and the model that it would write."""

from errorflow.vendors.onnxruntime.toolchains.qdq import QDQ
from errorflow.vendors.onnxruntime.toolchains.quantizer import ONNX_RUNTIME

ROWS = (ONNX_RUNTIME, QDQ)
