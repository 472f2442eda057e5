"""Folders that a run left behind. To add a kind: a module with a `Folder` row in the vendor's room, and a test."""

from pathlib import Path

from errorflow.base.errors import UnknownFormatError
from errorflow.base.progress import SILENT, Progress
from errorflow.base.vendor import Rows
from errorflow.formats.folders.npu import NPU_FOLDER
from errorflow.formats.folders.npy import NPY_FOLDER
from errorflow.formats.folders.raw import RAW_FOLDER
from errorflow.formats.folders.scan import Folder, FolderHints, Listing, listing
from errorflow.graph.dump import Dump

# In the order of asking.
FOLDERS = Rows(Folder, "folders", (NPU_FOLDER, NPY_FOLDER, RAW_FOLDER))


def identify_folder(found: Listing) -> Folder:
    """The kind of a folder by what lies in it."""
    for row in FOLDERS:
        if row.claims(found):
            return row
    known = "; ".join(row.label for row in FOLDERS)
    raise UnknownFormatError(
        f"{found.path} holds nothing that is known as the tensors of a run.", f"A folder can be: {known}."
    )


def read_folder(path: str | Path, progress: Progress = SILENT, given: FolderHints | None = None) -> Dump:
    """The tensors in a folder; `given` are the shapes of files that do not say theirs."""
    found = listing(Path(path), progress=progress)
    return identify_folder(found).read(found, FolderHints() if given is None else given, progress)
