"""The exit codes of msaccucmp, which scripts around it know."""

from errorflow.errors import ErrorflowError, UsageError

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
INVALID_OVERFLOW = 35
NO_OVERFLOW_STATUS = 36


class ToolError(UsageError):
    """Asks for what cannot be done; `code` is what msaccucmp ends with then."""

    def __init__(self, message: str, hint: str, code: int = INVALID_PARAMETER) -> None:
        super().__init__(message, hint)
        self.code = code


def code_of(error: ErrorflowError) -> int:
    """What msaccucmp ends with; a dump that cannot be read where nothing else is known."""
    return error.code if isinstance(error, ToolError) else INVALID_DUMP
