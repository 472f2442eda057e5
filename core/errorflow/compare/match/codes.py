"""The exit codes of msaccucmp that scripts may know."""

from typing import Final

from errorflow.base.errors import UsageError

OK: Final = 0
# Ours: msaccucmp has no limits.
LIMIT_BROKEN: Final = 1
# It has this for what it did not expect.
UNKNOWN: Final = 1
NO_DUMP: Final = 2
WRONG_PATH: Final = 3
WRONG_OPTIONS: Final = 6
BROKEN_DUMP: Final = 11
OUT_OF_RANGE: Final = 12
WRONG_RULES: Final = 13
NO_RUN: Final = 18
WRONG_RUNS: Final = 20
UNKNOWN_TYPE: Final = 21
UNKNOWN_LAYOUT: Final = 22
WRONG_SHAPE: Final = 23
WRONG_FILE: Final = 24
NOT_CONVERTED: Final = 26
UNSUPPORTED: Final = 30
NO_ALGORITHM: Final = 31
WRONG_MATRIX: Final = 34
NO_OVERFLOW_UNIT: Final = 35
NO_OVERFLOW_STATUS: Final = 36
NO_PIECES: Final = 42


# A comparison that msaccucmp refuses as well: a sentence, the right call, and its exit code.


class RefusedError(UsageError):
    def __init__(self, message: str, hint: str, code: int) -> None:
        super().__init__(message, hint)
        self.code = code


class UnfitRunsError(RefusedError):
    """Error of two runs that are not compared in this way, also in words for where no options are written.

    `swaps`: the other way round they would be.
    """

    def __init__(self, message: str, hint: str, code: int, said: str, way: str, swaps: bool = False) -> None:
        super().__init__(message, hint, code)
        self.said, self.way, self.swaps = said, way, swaps
