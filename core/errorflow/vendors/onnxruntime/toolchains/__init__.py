"""A script for quantize_static, and the model that it would write."""
