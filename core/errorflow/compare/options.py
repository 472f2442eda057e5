"""Options of measuring: they travel to every process with the work."""

from errorflow.base.values import dataclass
from errorflow.compare.comparer import Printer


@dataclass(frozen=True, slots=True)
class Options:
    """Small and plain, so that it can be sent to other processes and machines."""

    # Of a vendor's tool; None: no table of it is wanted, and its arithmetic is not done.
    printer: Printer | None = None
    # A folder with the user's own columns and converters.
    custom: str = ""
    # Codes are brought back to real values where their scale is known; said on the row when it is done.
    dequantize: bool = True
