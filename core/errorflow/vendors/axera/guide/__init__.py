"""Pulsar2's method, step by step."""

from errorflow.vendors.axera.guide.checks import CHECKS
from errorflow.vendors.axera.guide.flows import PULSAR2, TARGET

ROWS = (*PULSAR2, TARGET, *CHECKS)
