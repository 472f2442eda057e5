"""Program that the system starts for this very installation."""

import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

NAME = "errorflow-viewer"


def program() -> tuple[str, ...]:
    """The command, with an absolute path: of a bundle, of a script that pip made, or Python itself."""
    if getattr(sys, "frozen", False):  # in a bundle, the command line lies beside the window
        beside = Path(sys.executable).with_name(NAME + Path(sys.executable).suffix)
        return (str(beside if beside.is_file() else Path(sys.executable)),)
    for script in _scripts():
        if script.is_file() and os.access(script, os.X_OK):
            return (str(script),)
    return (_without_console(sys.executable), "-m", "errorflow_viewer")


def _scripts() -> Iterator[Path]:
    """Yields folders where pip puts scripts: beside this Python, or in the user's folder of them."""
    name = f"{NAME}.exe" if os.name == "nt" else NAME
    for scheme in (sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")):
        yield Path(sysconfig.get_path("scripts", scheme)) / name


def _without_console(python: str) -> str:
    """Finds, on Windows, the Python that opens no black window."""
    windowed = Path(python).with_name("pythonw.exe")
    return str(windowed) if windowed.is_file() else python
