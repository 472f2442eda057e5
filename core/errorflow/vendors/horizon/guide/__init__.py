"""Horizon's method, step by step."""
