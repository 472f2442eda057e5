"""Samples that lie next to a model."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import SILENT, Progress
from errorflow.base.sample import sample_of
from errorflow.formats.folders.scan import listing, stem_of
from errorflow.run.model import ModelInput

# What toolchains and people call them, the likeliest first.
FOLDERS = ("calibration_data", "calibration", "calib_data", "calib", "calibration_set", "samples", "inputs", "data")
_STACKED = (".npz",)
# So many are proposed.
MOST = 4


def nearby(model: Path, wanted: Sequence[ModelInput], progress: Progress = SILENT) -> tuple[Path, ...]:
    """The likeliest first; whether they fit is another question."""
    sample = sample_of(model)
    if sample is not None:
        return (sample.calibration,)
    try:
        found = listing(model.parent, progress=progress)
    except ErrorflowError:  # a folder that cannot be listed has nothing to propose
        return ()
    return tuple(dict.fromkeys(_found(model, wanted, found.folders, found.files)))[:MOST]


def _found(model: Path, wanted: Sequence[ModelInput], folders: Sequence[str], files: Sequence[str]) -> Iterator[Path]:
    beside = {name.lower(): name for name in folders}
    for name in FOLDERS:
        if name in beside:
            yield model.parent / beside[name]
    inputs = {stem_of(want.name) for want in wanted}
    yield from (model.parent / name for name in folders if stem_of(name) in inputs)
    stems = {*inputs, *FOLDERS, model.stem, f"{model.stem}_inputs", f"{model.stem}_calibration", "x"}
    for name in files:
        path = Path(name)
        if path.suffix.lower() in _STACKED and (path.stem in stems or stem_of(path.stem) in stems):
            yield model.parent / name
