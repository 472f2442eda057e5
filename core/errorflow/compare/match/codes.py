"""The exit codes of msaccucmp that scripts may know."""

from typing import Final

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
