"""A comparison that msaccucmp refuses as well: a sentence, the right call, and its exit code."""

from errorflow.base.errors import UsageError


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
