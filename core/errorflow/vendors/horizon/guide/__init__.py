"""Horizon's method, step by step."""

from errorflow.vendors.horizon.guide.checks import CHECKS
from errorflow.vendors.horizon.guide.flows import HORIZON, TARGET

ROWS = (*HORIZON, TARGET, *CHECKS)
