"""The tensors of a run, whether they lie in one file or in a folder."""

from collections.abc import Mapping
from pathlib import Path

from errorflow.base.files import is_folder
from errorflow.base.progress import SILENT, Progress
from errorflow.formats import read_tensors
from errorflow.formats.folders import read_folder
from errorflow.formats.folders.scan import Declared, FolderHints
from errorflow.graph.dump import Dump


def read_run(path: str | Path, progress: Progress = SILENT, declared: Mapping[str, Declared] | None = None) -> Dump:
    """A file or a folder of tensors; `declared` says what bare values mean, by the tensors' names in the model."""
    if is_folder(path):
        return read_folder(path, progress, FolderHints({} if declared is None else declared))
    return read_tensors(path, progress)
