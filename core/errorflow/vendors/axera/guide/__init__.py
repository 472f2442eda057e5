"""Pulsar2's method, step by step."""
