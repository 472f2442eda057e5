"""Runs ONNX models: all tensors of a model for given inputs, or single nodes once more on tensors that are there."""
