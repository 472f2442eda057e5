"""Vendors, a room each: what their tools write and take. To add one: a folder, its name below."""

# Of rows of equal rank, those of the first vendor stand first.
VENDORS = ("ascend", "axera", "horizon", "onnxruntime", "rockchip", "sophgo", "espressif", "samsung")
