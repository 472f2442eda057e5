"""Quantization as AMCT writes it down: record files and settings."""
