"""A comparison that msaccucmp refuses as well: a sentence, the right call, and its exit code."""

from errorflow.errors import UsageError


class RefusedError(UsageError):
    def __init__(self, message: str, hint: str, code: int) -> None:
        super().__init__(message, hint)
        self.code = code
