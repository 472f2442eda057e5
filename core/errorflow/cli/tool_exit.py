"""Exit codes of the commands that stand in for msaccucmp's.

2 means there that an operator has no dump, which is usual, so whatever is wrong has other codes.
"""

import sys
from argparse import Namespace
from collections.abc import Callable
from functools import wraps

from errorflow.base.errors import ErrorflowError, FileError, FormatError, UsageError, told
from errorflow.cli.meter import plain
from errorflow.compare.match import codes
from errorflow.compare.match.codes import RefusedError

# The first that an error is one of.
_CODES: tuple[tuple[type[ErrorflowError], int], ...] = (
    (FileError, codes.WRONG_PATH),
    (FormatError, codes.BROKEN_DUMP),
    (UsageError, codes.WRONG_OPTIONS),
    (ErrorflowError, codes.NO_RUN),
)


def with_tool_codes(run: Callable[[Namespace], int]) -> Callable[[Namespace], int]:
    """The same command, whose errors end in msaccucmp's exit codes."""

    @wraps(run)
    def running(options: Namespace) -> int:
        try:
            return run(options)
        except (ErrorflowError, MemoryError) as error:
            said = told(error)
            print(plain(f"errorflow: {said.message}\n{said.hint}".rstrip()), file=sys.stderr)
            return _code(said)

    return running


def _code(error: ErrorflowError) -> int:
    if isinstance(error, RefusedError):
        return error.code
    return next(code for kind, code in _CODES if isinstance(error, kind))
