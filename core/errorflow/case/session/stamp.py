"""Tells whether a session's file is still as it was read or written: others may write it too."""

import hashlib
from pathlib import Path

from errorflow.base.errors import ErrorflowError
from errorflow.base.files import Source


class ChangedFileError(ErrorflowError):
    """Error of a file that another program has written since."""


def stamp_of(path: Path) -> str:
    """Makes the stamp of a file's content; "": it is not there, and nothing in it can be lost."""
    digest = hashlib.sha256()
    try:
        with Source(path, head=0) as source:
            for piece in source.pieces():
                digest.update(piece)
    except ErrorflowError:
        return ""
    return digest.hexdigest()


def refuse_changed(path: Path, stamp: str) -> None:
    """Refuses to write where another program's changes would be lost. `stamp`: of what is known of the file."""
    now = stamp_of(path)
    if stamp and now not in ("", stamp):
        raise ChangedFileError(
            f"{path.name} was changed on disk since it was opened.",
            "Nothing was written. Save as another file to keep both, or reload to see what is there now.",
        )
