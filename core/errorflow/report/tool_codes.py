"""Exit codes of msaccucmp, by what went wrong."""

from errorflow.base.errors import ErrorflowError
from errorflow.compare.match import codes
from errorflow.compare.match.codes import RefusedError
from errorflow.formats.convert.layouts import ConvertError


def code_of(error: ErrorflowError) -> int:
    """Finds what msaccucmp ends with; a dump that cannot be read where nothing else is known."""
    return error.code if isinstance(error, RefusedError) else codes.BROKEN_DUMP


def conversion_code(error: ConvertError) -> int:
    """Finds what msaccucmp ends with when two tensors cannot be brought together, told by its sentence."""
    if "Due to the different shapes" in error.reason:
        return codes.WRONG_SHAPE
    if "FRACTAL_NZ" in error.reason or "The target shape" in error.reason:
        return codes.WRONG_MATRIX
    return codes.UNKNOWN_LAYOUT
