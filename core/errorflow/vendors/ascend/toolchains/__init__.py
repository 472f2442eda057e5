"""Settings that AMCT takes."""

from errorflow.vendors.ascend.toolchains.config import AMCT
from errorflow.vendors.ascend.toolchains.record import AMCT_RECORD
from errorflow.vendors.ascend.toolchains.simple import AMCT_SIMPLE

ROWS = (AMCT, AMCT_SIMPLE, AMCT_RECORD)
