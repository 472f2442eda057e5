"""What can go wrong because of a file, a setting or a machine: a sentence, and a way out.

Anything that is not an `ErrorflowError` is a bug of ours and ends in the crash window.
"""


class ErrorflowError(Exception):
    """Says what happened in one sentence, and in `hint` what to do about it."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


def told(error: "ErrorflowError | MemoryError") -> ErrorflowError:
    """What is said where an error ends what was asked for; running out of memory is nobody's bug."""
    if isinstance(error, ErrorflowError):
        return error
    return ErrorflowError(
        "There is not enough memory for this.",
        "Close other programs, give smaller tensors or fewer at once, or go where there is more memory.",
    )


class FileError(ErrorflowError):
    """The file itself cannot be read or written: missing, a folder, no permission, changed underneath."""


class FormatError(ErrorflowError):
    """The file is of the format it claims to be, but broken, truncated or over a limit."""


class WrongFileError(ErrorflowError):
    """The file is fine but not what is wanted here; the message names what it is."""


class UnknownFormatError(WrongFileError):
    """Nothing recognises the file."""


class UsageError(ErrorflowError):
    """The call asks for something that does not exist or does not go together."""
