"""Opening of a pipeline's arrays, by the step that each is of."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errorflow.base.errors import FileError, UsageError
from errorflow.base.files import is_file, is_folder
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, replace
from errorflow.formats.folders.array_file import RawMember
from errorflow.formats.folders.scan import Declared, stem_of
from errorflow.formats.runs import read_run
from errorflow.graph.dump import TensorInfo
from errorflow.study.align.model import STEPS, Stage

Array = NDArray[np.generic]
MAX_ELEMENTS = 1 << 27
_SUFFIXES = (".npy", ".npz", ".bin")
_BETWEEN = "_.-/"
_HOW = (
    "Call what was saved preprocessed.npy, output.npy and postprocessed.npy (or output_NAME.npy, or an .npz with such "
    "names), or name the files: --input A B, --output A B, --result A B."
)


@dataclass(frozen=True, eq=False)
class SavedArray:
    """One array, read when it is needed."""

    # Within its step: "" where it is the only one.
    name: str
    info: TensorInfo
    get: Callable[[], Array]

    def read(self) -> Array:
        size = math.prod(self.info.shape)
        if size > MAX_ELEMENTS:
            raise UsageError(
                f"{self.info.name} has {size:,} values, more than are set side by side here.",
                "Use `errorflow compare`, which reads it in pieces.",
            )
        return self.get()


Pipeline = Mapping[Stage, Sequence[SavedArray]]


def open_pipeline(path: Path, declared: Mapping[str, Declared] | None = None, progress: Progress = SILENT) -> Pipeline:
    """Opens what lies in a folder or an .npz; raises where nothing of it is of any step."""
    found: dict[Stage, list[SavedArray]] = {}
    every = _everything(path, {} if declared is None else declared, progress)
    if len(every) == 1 and stage_of(every[0][1])[0] is None:
        # Whoever gives one array means what the model is fed with.
        return {"input": [every[0][0]]}
    for saved, name in every:
        stage, rest = stage_of(name)
        if stage is not None:
            found.setdefault(stage, []).append(replace(saved, name=rest))
    if not found:
        raise UsageError(f"Nothing in {path} is called as a step of a pipeline.", _HOW)
    return found


def open_array(path: Path, declared: Mapping[str, Declared] | None = None, progress: Progress = SILENT) -> SavedArray:
    """Opens one file with one array."""
    every = list(_everything(path, {} if declared is None else declared, progress))
    if len(every) != 1:
        raise UsageError(f"{path} holds {len(every):,} arrays where one is wanted.", "Give a file with one array.")
    return every[0][0]


def stage_of(name: str) -> tuple[Stage | None, str]:
    """The step that something so called is of, and the rest of its name."""
    lower = name.lower().replace("\\", "/")
    best: tuple[int, Stage | None, str] = (0, None, name)
    for step in STEPS:
        for word in step.names:
            if lower == word or (lower.startswith(word) and lower[len(word)] in _BETWEEN):
                best = max(best, (len(word), step.key, name[len(word) :].strip(_BETWEEN)), key=lambda each: each[0])
    return best[1], best[2]


def _everything(path: Path, declared: Mapping[str, Declared], progress: Progress) -> list[tuple[SavedArray, str]]:
    if is_folder(path):
        return _of_folder(path, declared, progress)
    if not is_file(path):
        raise FileError(f"{path} is not there.", "Give a folder, an .npz or .npy file of each pipeline.")
    return _of_file(path, path.stem, declared, progress)


def _of_folder(path: Path, declared: Mapping[str, Declared], progress: Progress) -> list[tuple[SavedArray, str]]:
    found: list[tuple[SavedArray, str]] = []
    for file in sorted(path.iterdir()):
        if file.is_dir() and not file.is_symlink():
            for inner in sorted(file.iterdir()):
                if inner.suffix.lower() in _SUFFIXES and is_file(inner):
                    found += _of_file(inner, f"{file.name}/{inner.stem}", declared, progress)
        elif file.suffix.lower() in _SUFFIXES and is_file(file):
            found += _of_file(file, file.stem, declared, progress)
    return found


def _of_file(
    path: Path, name: str, declared: Mapping[str, Declared], progress: Progress
) -> list[tuple[SavedArray, str]]:
    """An .npy or raw file is called as it is, the arrays of an .npz by their own names behind that of the file."""
    if path.suffix.lower() == ".bin":
        known = next((declared[key] for key in (path.stem, stem_of(path.stem), name) if key in declared), None)
        if known is None:
            raise UsageError(
                f"{path.name} does not say what type and shape it has.",
                f"Add --shapes {path.stem}=1x3x224x224:float32.",
            )
        stored = RawMember(path, known).stored(path.stem)
        return [(SavedArray("", stored.info, stored.read), name)]
    run = read_run(path, progress)
    arrays = [SavedArray("", run.info(key), partial(run.read, key)) for key in run.names()]
    if path.suffix.lower() == ".npy" and len(arrays) == 1:
        return [(arrays[0], name)]
    own, _ = stage_of(name)
    inside = ((saved, saved.info.name) for saved in arrays)
    return [(saved, key if own is None or stage_of(key)[0] is not None else f"{name}/{key}") for saved, key in inside]
