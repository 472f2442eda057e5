"""Errorflow's engine: reads models and runs, and measures where they part. No Qt in here."""

import os

__version__ = "0.2.0"

# ONNX Runtime gives the machine a number and reports what it runs, from the moment it is imported, unless this is set
# by then. It is set here because every process of ours comes through here before.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
