"""Settings that hb_mapper and hmct take."""

from errorflow.vendors.horizon.toolchains.hmct import HMCT
from errorflow.vendors.horizon.toolchains.mapper import HORIZON

ROWS = (HORIZON, HMCT)
