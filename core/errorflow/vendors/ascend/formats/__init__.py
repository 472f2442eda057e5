"""Files of the Ascend toolchain (CANN)."""
