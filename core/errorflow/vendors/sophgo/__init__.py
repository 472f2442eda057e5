"""Sophgo: tpu-mlir."""
