"""Quantization in simulation: which tensors get codes, with what scales, and what that makes of their values."""
