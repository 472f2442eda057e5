"""Float models that compute the same and are easier to quantize, and biases that undo what quantization shifts."""
