"""Tables of tpu-mlir."""
