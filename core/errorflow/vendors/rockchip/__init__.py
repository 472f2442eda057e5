"""Rockchip: RKNN-Toolkit."""
