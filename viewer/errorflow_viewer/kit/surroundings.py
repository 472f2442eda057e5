"""Surroundings that a program may expect where it is started, put right where it is not so."""

import os
import tempfile
from collections.abc import MutableMapping
from pathlib import Path

# Where there is no folder for anything temporary.
NOWHERE = "/nonexistent"


def put_right(surroundings: MutableMapping[str, str]) -> None:
    """Gives a home to a user that the system does not know, as in a container: Qt takes the same."""
    try:
        Path.home()
    except RuntimeError:
        surroundings["HOME"] = "/"


def temporary_folder() -> Path:
    """The one for temporary files; where nothing can be written, as on a full disk, one that there is not."""
    try:
        return Path(tempfile.gettempdir())
    except OSError:
        return Path(os.environ.get("TMPDIR", NOWHERE))
