"""How a session names files: by the way from its own folder, so that both can move together."""

import os
from pathlib import Path, PurePosixPath, PureWindowsPath

from errorflow.base.errors import FormatError
from errorflow.base.sample import folder as sample_folder

# The built-in sample lies elsewhere on every machine.
SAMPLE = "sample:"
LONGEST = 4096


def written(path: Path, folder: Path) -> str:
    """The name of a file in a session that is kept in a folder."""
    built_in = _below(path, sample_folder())
    if built_in is not None:
        return f"{SAMPLE}{built_in}"
    try:
        way = os.path.relpath(path, folder)
    except ValueError:  # another drive
        return str(path)
    text = Path(way).as_posix()
    return f"./{text}" if text.startswith(SAMPLE) else text


def found(text: str, folder: Path) -> Path:
    """The file that a session in that folder means; a `FormatError` for names that lead where none of its files lie."""
    if len(text) > LONGEST or "\0" in text or not text:
        raise FormatError("A file's name in the session cannot be one.", "Open the files again and save the session.")
    if text.startswith(SAMPLE):
        root = sample_folder()
        path = Path(os.path.normpath(root / text.removeprefix(SAMPLE)))
        if _below(path, root) is None:
            raise FormatError(f"{text} is no file of the sample.", "Open it from File → Open sample.")
        return path
    if _is_remote(text) and not _same_share(text, folder):
        raise FormatError(
            f"{text} lies on another machine.", "Open it there yourself: a session does not connect to others."
        )
    return Path(os.path.normpath(folder / text))


def _below(path: Path, folder: Path) -> str | None:
    try:
        return path.relative_to(folder).as_posix()
    except ValueError:
        return None


def _is_remote(text: str) -> bool:
    """Asking for such a file tells another machine who is asking."""
    # Windows takes either stroke for the other, and two of them for another machine.
    return text.replace("\\", "/").startswith("//") or "://" in text


def _same_share(text: str, folder: Path) -> bool:
    return PureWindowsPath(text).drive.lower() == PureWindowsPath(str(folder)).drive.lower() != "" or (
        PurePosixPath(text).parts[:1] == ("//",) == PurePosixPath(str(folder)).parts[:1]
    )
