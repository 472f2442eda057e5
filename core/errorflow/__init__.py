"""Errorflow's engine: reads models and runs, and measures where they part. No Qt in here."""

__version__ = "0.1.0"
