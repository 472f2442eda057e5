"""ONNX Runtime, and quantized models as ONNX."""
