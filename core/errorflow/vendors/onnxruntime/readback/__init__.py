"""Readback of quantization in ONNX: QuantizeLinear and DequantizeLinear, and operators on codes."""
