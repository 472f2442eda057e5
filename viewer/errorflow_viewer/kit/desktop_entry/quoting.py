"""A command as a line of a desktop entry: quoted as a shell would need it, then escaped as a value of such a file."""

from collections.abc import Sequence
from unicodedata import category

from errorflow.base.errors import ErrorflowError

# With one of these in it an argument is put in quotes; inside quotes, these are escaped.
_RESERVED = frozenset(" \t\"'\\><~|&;$*?#()`")
_ODD = frozenset("%=")
_ESCAPED = frozenset('"`$\\')


def exec_line(command: Sequence[str]) -> str:
    """The value of `Exec`, without the letters that stand for files."""
    return as_value(" ".join(_quoted(part).replace("%", "%%") for part in _startable(command)))


def _startable(command: Sequence[str]) -> Sequence[str]:
    """Desktops look for a program before they put in its percent signs, and may not have an equals sign in it."""
    if _ODD & set(command[0]):
        return ("/bin/sh", "-c", 'exec "$0" "$@"', *command)
    return command


def as_value(text: str) -> str:
    """A text as a value of a desktop entry, such as `TryExec`."""
    _must_be_writable(text)
    escaped = text.replace("\\", "\\\\")
    return "\\s" + escaped[1:] if escaped.startswith(" ") else escaped


def _quoted(part: str) -> str:
    if part and not _RESERVED & set(part):
        return part
    inside = "".join(f"\\{letter}" if letter in _ESCAPED else letter for letter in part)
    return f'"{inside}"'


def _must_be_writable(text: str) -> None:
    """A name with a line break, or one that is no text, has no place in such a file."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        fits = False
    else:
        fits = not any(category(letter) == "Cc" for letter in text)
    if not fits:
        raise ErrorflowError(
            f"The path {text!r} cannot be named in a menu entry.",
            "Install Errorflow in a folder whose name has no line breaks and is written in UTF-8.",
        )
