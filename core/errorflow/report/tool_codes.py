"""The exit codes of msaccucmp, which scripts around it know."""

from errorflow.convert.error import ConvertError
from errorflow.errors import ErrorflowError
from errorflow.match.refused import RefusedError

DONE = 0
UNKNOWN = 1
NO_DUMP_FILE = 2
INVALID_PATH = 3
INVALID_PARAMETER = 6
INVALID_DUMP = 11
OUT_OF_RANGE = 12
INVALID_TYPE = 24
INVALID_LAYOUT = 22
INVALID_SHAPE = 23
CONVERSION_FAILED = 26
UNSUPPORTED = 30
INVALID_MATRIX = 34
INVALID_OVERFLOW = 35
NO_OVERFLOW_STATUS = 36


def code_of(error: ErrorflowError) -> int:
    """What msaccucmp ends with; a dump that cannot be read where nothing else is known."""
    return error.code if isinstance(error, RefusedError) else INVALID_DUMP


def conversion_code(error: ConvertError) -> int:
    """What msaccucmp ends with when two tensors cannot be brought together, told by its sentence."""
    if "Due to the different shapes" in error.reason:
        return INVALID_SHAPE
    if "FRACTAL_NZ" in error.reason or "The target shape" in error.reason:
        return INVALID_MATRIX
    return INVALID_LAYOUT
