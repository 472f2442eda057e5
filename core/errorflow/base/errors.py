"""Errors that a file, a setting or a machine can cause: a sentence, and a way out.

Anything that is not an `ErrorflowError` is a bug of ours and ends in the crash window.
"""

import errno
import os

# What begins another line, which a name of a file may hold: shown, it would break whatever is one line. The sign in
# its place is in the font of the window.
_BREAKS = dict.fromkeys(map(ord, "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"), "↵")


def one_line(text: str) -> str:
    """A name as it can stand in a title, in a list and in a log."""
    return text.translate(_BREAKS)


class ErrorflowError(Exception):
    """Says what happened in one sentence, and in `hint` what to do about it."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = one_line(message)
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


def told(error: "ErrorflowError | MemoryError") -> ErrorflowError:
    """Makes the error that the user reads where a task ends; running out of memory is no bug."""
    if isinstance(error, ErrorflowError):
        return error
    return ErrorflowError(
        "There is not enough memory for this.",
        "Close other programs, give smaller tensors or fewer at once, or go where there is more memory.",
    )


# What a disk answers that takes nothing more.
_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))


def of_machine(error: BaseException) -> ErrorflowError | None:
    """Makes the error of work that ended for want of something that the machine lacks; None for a bug of ours."""
    if isinstance(error, (ErrorflowError, MemoryError)):
        return told(error)
    if not isinstance(error, OSError):
        return None
    place = f" ({error.filename})" if error.filename else ""
    if error.errno in _FULL:
        return ErrorflowError(f"There is no room left on the disk{place}.", "Free some space, then do it again.")
    if error.errno == errno.EROFS or "No usable temporary directory" in str(error):
        return ErrorflowError(
            f"Temporary files cannot be written{place}.",
            "Free some space, or set TMPDIR to a folder that you may write to and start again.",
        )
    if error.errno == errno.ENOENT and error.filename is None and not _has_folder():
        return ErrorflowError(
            "The folder that Errorflow was started in is not there any more.",
            "Go to one that is there, as with `cd ~`, and start it again; or name files by their whole paths.",
        )
    if error.errno in (errno.EMFILE, errno.ENFILE, errno.EAGAIN):
        return ErrorflowError(
            "The system gives no more files or processes.", "Close other programs, or raise the limit: ulimit -n 4096."
        )
    return None


def _has_folder() -> bool:
    """Whether there is a working folder, from which paths lead that are not whole."""
    try:
        os.getcwd()  # noqa: PTH109 - `Path` is not loaded here
    except OSError:
        return False
    return True


class FileError(ErrorflowError):
    """The file itself cannot be read or written: missing, a folder, no permission, changed underneath."""


class FormatError(ErrorflowError):
    """The file is of the format it claims to be, but broken, truncated or over a limit."""


class WrongFileError(ErrorflowError):
    """The file is fine but not what is wanted here; the message names what it is."""


class UnknownFormatError(WrongFileError):
    """Error of a file that no reader recognises."""


class UsageError(ErrorflowError):
    """The call asks for something that does not exist or does not go together."""
