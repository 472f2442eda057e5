"""The setting that Pulsar2 takes."""

from errorflow.vendors.axera.toolchains.pulsar2 import PULSAR2

ROWS = (PULSAR2,)
