"""Options of the entry, such as `errorflow-viewer --install-desktop-entry` and `--remove-desktop-entry`, the system's
own way.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from errorflow.base.errors import ErrorflowError
from errorflow_viewer.kit.desktop_entry.program import program

if TYPE_CHECKING:
    from errorflow_viewer.kit.desktop_entry.linux import EntryStep

USER_ERROR = 2
Wish = Literal["install", "remove"]


def run(wish: Wish, prefix: Path | None, shown: tuple[str, ...] = ()) -> int:
    """Runs; returns what the process ends with. `shown` is the command that the entry starts, if it is not this
    program.
    """
    try:
        with nullcontext() if prefix is None or os.name == "nt" else _readable():
            lines = done(wish, prefix, shown if shown else program())
    except ErrorflowError as error:
        _say(sys.stderr, f"errorflow-viewer: {error.message}\n{error.hint}\n")
        return USER_ERROR
    _say(sys.stdout, "".join(f"{line}\n" for line in lines))
    return 0


@contextmanager
def _readable() -> Iterator[None]:
    """Makes files below a prefix readable for all users, also where root's own files are for root alone."""
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)


def done(wish: Wish, prefix: Path | None, command: tuple[str, ...]) -> tuple[str, ...]:
    """Does it, and says what was done, line by line."""
    if sys.platform == "darwin":
        raise ErrorflowError(
            "On macOS the app itself tells the system what it opens.",
            "Put Errorflow.app into the Applications folder; a package of Python has no entry there.",
        )
    if os.name == "nt":
        return _on_windows(wish, command)
    return _on_linux(wish, prefix, command)


def _on_linux(wish: Wish, prefix: Path | None, command: tuple[str, ...]) -> tuple[str, ...]:
    from errorflow_viewer.kit.desktop_entry import linux

    made = linux.install(command, prefix) if wish == "install" else linux.remove(prefix)
    lines = [_line(step) for step in made.steps]
    if wish == "install":
        lines.append(f"Errorflow is in the menu and opens .errorflow and .onnx files, with {command[0]}.")
    else:
        lines.append("Errorflow is no longer in the menu." if made.steps else "There was no menu entry of Errorflow.")
    return (*lines, *made.notes)


def _line(step: "EntryStep") -> str:
    if step.what == "wrote":
        return f"Wrote {step.path}"
    return f"Removed {step.path}" if step.what == "removed" else f"{step.path} is as it should be"


def _on_windows(wish: Wish, command: tuple[str, ...]) -> tuple[str, ...]:
    from errorflow_viewer.kit.desktop_entry import windows

    registry = windows.user_registry()
    return windows.install(registry, command) if wish == "install" else windows.remove(registry)


def _say(stream: "object | None", text: str) -> None:
    """A program of Windows without a console has no streams."""
    if stream is not None and hasattr(stream, "write"):
        stream.write(text)
