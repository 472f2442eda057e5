"""Samples that a comparison offers to simulate its model on: the inputs of both runs, as far as they are there."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from errorflow.base import SILENT, ErrorflowError, Progress
from errorflow.base.files import is_file, is_folder
from errorflow.case.scenarios.setup import Setup, is_model
from errorflow.formats.folders.dump import FolderDump
from errorflow.formats.folders.scan import stem_of
from errorflow.formats.runs import read_run
from errorflow.run.model import ModelInput
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.recognised import recognise

# How whoever dumps a run calls what he fed it with, in the same folder or beside it.
_BESIDE = ("inputs.npz", "input.npz", "inputs", "input")


def samples_of(setup: Setup, wanted: Sequence[ModelInput], progress: Progress = SILENT) -> tuple[Path, ...]:
    """Finds the samples that fit the inputs of a model, the likeliest first."""
    found = dict.fromkeys(path for path in _found(setup, wanted, progress) if is_file(path) or is_folder(path))
    return tuple(path for path in found if _fits(path, wanted, progress))


def _found(setup: Setup, wanted: Sequence[ModelInput], progress: Progress) -> Iterator[Path]:
    inputs, run = setup.file("inputs"), setup.file("reference")
    if inputs is not None:
        yield inputs
    if run is None:
        return
    if not is_model(run):
        yield from _inside(run, wanted, progress)
    yield from (folder / name for folder in (run, run.parent) for name in _BESIDE)


def _inside(run: Path, wanted: Sequence[ModelInput], progress: Progress) -> Iterator[Path]:
    """A file with all tensors has the inputs among them; of a folder, the file of the only input, or all of them by
    their names."""
    needed = [want for want in wanted if not want.optional]
    if is_file(run) or len(needed) > 1:
        yield run
    elif needed:
        yield from _file_of(run, needed[0], progress)


def _file_of(run: Path, want: ModelInput, progress: Progress) -> Iterator[Path]:
    try:
        dump = read_run(run, progress)
        stems = {stem_of(want.name), stem_of(f"{want.name}.0")}
        for name in tuple(dump.members) if isinstance(dump, FolderDump) else tuple(dump.names()):
            if name == want.name or stem_of(name) in stems:
                yield Path(dump.stored(name).path)
    except ErrorflowError:  # comparing says what is wrong with it
        return


def _fits(path: Path, wanted: Sequence[ModelInput], progress: Progress) -> bool:
    """Sizes that are still to be said are no reason against it."""
    found = recognise(wanted, SampleSpec((str(path),)), progress)
    return found.problem is None or bool(found.asks)
