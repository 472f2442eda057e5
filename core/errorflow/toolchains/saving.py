"""Writes what a toolchain takes into a folder."""

from pathlib import Path

from errorflow.errors import FileError
from errorflow.files import write_atomic
from errorflow.progress import SILENT, Progress
from errorflow.toolchains.model import Written
from errorflow.toolchains.telling import comments


def save(written: Written, key: str, folder: Path, progress: Progress = SILENT) -> list[Path]:
    """All files, and beside them the nodes that the target cannot be told of as decided, where there are any."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"The folder {folder} could not be made.", "Choose another one.") from error
    texts = dict(written.files)
    if written.left_out:
        texts[left_out_name(key)] = "\n".join(comments(written.left_out)) + "\n"
    for name, text in texts.items():
        write_atomic(folder / name, text)
    for name, make in written.makers.items():
        make(folder / name, progress)
    return [folder / name for name in (*texts, *written.makers)]


def save_as(written: Written, target: Path, progress: Progress = SILENT) -> Path:
    """The one file, under a name that the user chose; what cannot be told is told elsewhere."""
    for text in written.files.values():
        write_atomic(target, text)
    for make in written.makers.values():
        make(target, progress)
    return target


def left_out_name(key: str) -> str:
    return f"{key.replace('-', '_')}_left_out.txt"
