"""How ONNX holds quantization: QuantizeLinear and DequantizeLinear, and operators on codes."""
