"""Writes what a toolchain takes into a folder."""

from collections.abc import Sequence
from pathlib import Path

from errorflow.base import SILENT, FileError, Progress
from errorflow.base.files import is_file, write_atomic
from errorflow.base.values import replace
from errorflow.report.toolchains.model import HEAD, LeftOut, WrittenFiles, comments


def save(written: WrittenFiles, key: str, folder: Path, progress: Progress = SILENT) -> tuple[list[Path], WrittenFiles]:
    """Saves all files, and beside them the nodes that the target cannot be told of as decided, where there are any.
    What can be run here is; what came of it is told.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"The folder {folder} could not be made.", "Choose another one.") from error
    texts = {**written.files, **left_out_texts(written.left_out, key)}
    if not written.left_out:
        forget_left_out(folder, key)
    for name, text in texts.items():
        write_atomic(folder / name, text)
    for name, make in written.makers.items():
        make(folder / name, progress)
    files = [folder / name for name in (*texts, *written.makers)]
    return files, _tried(written, files[0], progress)


def _tried(written: WrittenFiles, target: Path, progress: Progress) -> WrittenFiles:
    return written if written.trial is None else replace(written, reaches=written.trial(target, progress))


def save_as(written: WrittenFiles, target: Path, progress: Progress = SILENT) -> tuple[list[Path], WrittenFiles]:
    """The one file, under a name that the user chose; what cannot be told is told elsewhere."""
    for text in written.files.values():
        write_atomic(target, text)
    for make in written.makers.values():
        make(target, progress)
    return [target], _tried(written, target, progress)


def left_out_texts(left_out: Sequence[LeftOut], key: str) -> dict[str, str]:
    """A file with all of them; none where there are none."""
    return {left_out_name(key): "\n".join(comments(left_out)) + "\n"} if left_out else {}


def forget_left_out(folder: Path, key: str) -> None:
    """Removes what an earlier decision left out. A file of that name of another origin stays."""
    path = folder / left_out_name(key)
    if not is_file(path):
        return
    try:
        with path.open("rb") as file:
            is_ours = file.read(len(HEAD)) == HEAD.encode()
        if is_ours:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(f"{path.name} is of an earlier decision, and could not be removed.", "Remove it.") from error


def left_out_name(key: str) -> str:
    return f"{key.replace('-', '_')}_left_out.txt"
