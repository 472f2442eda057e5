"""A quantized ONNX model against the float model that it was made of."""
