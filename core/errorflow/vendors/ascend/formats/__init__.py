"""Files of the Ascend toolchain (CANN)."""

from errorflow.vendors.ascend.formats.atc_json import AMCT_QUANT, ATC_JSON
from errorflow.vendors.ascend.formats.om import OM
from errorflow.vendors.ascend.formats.wrong import WRONG_FILES

ROWS = (ATC_JSON, AMCT_QUANT, OM, *WRONG_FILES)
