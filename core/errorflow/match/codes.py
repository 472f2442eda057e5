"""The exit codes of msaccucmp that scripts may know."""

from typing import Final

OK: Final = 0
# Ours: msaccucmp has no limits.
LIMIT_BROKEN: Final = 1
NO_DUMP: Final = 2
WRONG_PATH: Final = 3
WRONG_OPTIONS: Final = 6
BROKEN_DUMP: Final = 11
OUT_OF_RANGE: Final = 12
WRONG_RULES: Final = 13
NO_RUN: Final = 18
WRONG_RUNS: Final = 20
UNKNOWN_TYPE: Final = 21
WRONG_SHAPE: Final = 23
UNSUPPORTED: Final = 30
NO_ALGORITHM: Final = 31
