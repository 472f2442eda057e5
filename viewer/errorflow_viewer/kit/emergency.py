"""Says why there is no window, without Qt: on the terminal, and with whatever else can show a sentence."""

import os
import sys
from collections.abc import Mapping

from errorflow.base.errors import ErrorflowError
from errorflow.base.language import translated, use

# What a process ends with that could not open its window.
NO_WINDOW = 3
# What shows a sentence on a Linux desktop, the best first, and what it is called with before the sentence.
_BOXES = (
    ("zenity", ("--error", "--no-markup", "--width=480", "--title=Errorflow", "--text")),
    ("kdialog", ("--title", "Errorflow", "--error")),
    ("xmessage", ("-center", "-title", "Errorflow")),
    ("notify-send", ("--urgency=critical", "--app-name=Errorflow", "Errorflow")),
)
_ALERT = (
    *("-e", "on run argv"),
    *("-e", "display alert (item 1 of argv) message (item 2 of argv) as critical"),
    *("-e", "end run"),
)
_STOP_SIGN = 0x10
# It breaks no lines: what is longer than a screen is wide would be cut off.
_UNBROKEN, _COLUMNS = "xmessage", 76


def tell(error: ErrorflowError, details: str = "") -> int:
    """Says why a process ends without a window; returns what it ends with."""
    _speak(os.environ)
    message, hint = translated(error.message), translated(error.hint)
    write(f"errorflow-viewer: {message}\n{hint}\n{details}")
    if not _is_read():
        _show_box(message, hint, os.environ)
    return NO_WINDOW


def write(text: str) -> None:
    """Writes to the terminal, if there is one, in whatever it can write."""
    try:
        if sys.stderr is not None:
            encoding = sys.stderr.encoding or "ascii"
            sys.stderr.write(text.rstrip().encode(encoding, "backslashreplace").decode(encoding) + "\n")
            sys.stderr.flush()
    except (OSError, ValueError):  # it is closed, or its reader is gone
        return


def _speak(surroundings: Mapping[str, str]) -> None:
    """Speaks the language of the system; that of the settings takes Qt."""
    names = (surroundings.get(name, "") for name in ("ERRORFLOW_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"))
    if next((name for name in names if name), "").startswith("zh"):
        use("zh_CN")


def _is_read() -> bool:
    """Whether a user sits in front of what is written there; a start from a menu has none."""
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except ValueError:
        return False


def _show_box(message: str, hint: str, surroundings: Mapping[str, str]) -> None:
    """Shows a box that blocks nothing, and is no reason for another error."""
    import shutil

    try:
        if sys.platform == "win32":
            import ctypes

            ctypes.windll.user32.MessageBoxW(None, f"{message}\n\n{hint}", "Errorflow", _STOP_SIGN)
        elif sys.platform == "darwin":
            _start(["osascript", *_ALERT, message, hint], surroundings)
        elif surroundings.get("DISPLAY") or surroundings.get("WAYLAND_DISPLAY"):
            found = next((row for row in _BOXES if shutil.which(row[0])), None)
            if found is not None:
                _start([found[0], *found[1], text_for(found[0], f"{message}\n\n{hint}")], surroundings)
    except OSError:
        return


def text_for(box: str, text: str) -> str:
    """Writes the text so that that program shows all of it."""
    if box != _UNBROKEN:
        return text
    import textwrap

    lines: list[str] = []
    for line in text.splitlines():
        # Chinese has no blanks to break at, and its signs are twice as wide.
        is_plain = line.isascii()
        width = _COLUMNS if is_plain else _COLUMNS // 2
        lines += textwrap.wrap(line, width, break_long_words=not is_plain, break_on_hyphens=False) or [""]
    return "\n".join(lines)


def _start(command: list[str], surroundings: Mapping[str, str]) -> None:
    import subprocess

    subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=of_others(surroundings),
        start_new_session=True,
    )


def of_others(surroundings: Mapping[str, str]) -> dict[str, str]:
    """Cleans the surroundings for programs that are not ours: a bundle leads all that is started from it to its own
    libraries.
    """
    found = dict(surroundings)
    if getattr(sys, "frozen", False):
        before = found.pop("LD_LIBRARY_PATH_ORIG", "")
        found.pop("LD_LIBRARY_PATH", None)
        if before:
            found["LD_LIBRARY_PATH"] = before
    return found
