"""Error of a tensor that cannot be brought into another order."""

from errorflow.base.errors import ErrorflowError


class ConvertError(ErrorflowError):
    """The tensor stays as it is. `reason` is what msaccucmp writes into its table for it: often nothing at all."""

    def __init__(self, message: str, hint: str = "", reason: str = "") -> None:
        super().__init__(message, hint)
        self.reason = reason
