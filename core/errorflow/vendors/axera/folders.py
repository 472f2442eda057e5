"""Runs that Pulsar2 leaves in `quant/debug`: one in floats and one in codes, with their scales in
`quant_axmodel.json`.
"""

from errorflow.base import ErrorflowError, Progress, WrongFileError
from errorflow.base.files import is_file
from errorflow.formats.folders.array_file import NpyMember
from errorflow.formats.folders.dump import FolderDump, TensorFile
from errorflow.formats.folders.scan import Folder, FolderHints, Listing, stem_of, tensors_by_stem
from errorflow.graph.dump import Dump
from errorflow.graph.model import Problem
from errorflow.vendors.axera.axmodel import AxModel, read_axmodel

LABEL = "Pulsar2 debug folder"
# Which runs lie side by side.
RUNS = {"numpy": ("float", "xrun"), "io": ("float", "quant")}
CODES = "xrun"
MODEL = "quant_axmodel.json"
# From `quant/debug/numpy/xrun` to `quant`.
_LEVELS = 3


def _is_debug(found: Listing) -> bool:
    return bool(_runs(found)) or found.path.name in RUNS.get(found.path.parent.name, ())


def _runs(found: Listing) -> list[str]:
    """The runs inside, for a folder that holds several."""
    below = [f"{group}/{run}" for group, runs in RUNS.items() for run in runs if _has(found.inner(group), run)]
    own = [run for run in RUNS.get(found.path.name, ()) if run in found.folders]
    return below if below else own


def _has(level: Listing | None, name: str) -> bool:
    return level is not None and name in level.folders


def read_debug(found: Listing, given: FolderHints, progress: Progress) -> Dump:  # noqa: ARG001 - as every row is called
    """Reads one run; tensors have their names in the model where `quant_axmodel.json` is there to tell."""
    progress.step(0, 1, found.path.name)
    runs = _runs(found)
    if runs:
        raise WrongFileError(
            f"{found.path} holds {len(runs)} runs: {', '.join(runs)}.", "Choose two of these folders to compare them."
        )
    model, problems = _model(found)
    names, clashes = tensors_by_stem(model.tensors)
    listed = [*found.problems, *problems, *clashes]
    members: dict[str, TensorFile] = {}
    unknown = 0
    for file in (name for name in found.files if name.endswith(".npy")):
        stem = file.removesuffix(".npy")
        name = names.get(stem_of(stem), stem)
        qparams = model.tensors.get(name) if found.path.name == CODES else None
        unknown += found.path.name == CODES and name not in model.tensors
        if name in members:
            listed.append(Problem(f"{members[name].path.name} is of the same tensor; {file} is used.", name))
        members[name] = NpyMember(found.path / file, qparams)
    if unknown:
        listed.append(Problem(f"{unknown:,} tensors have no scale in {MODEL}; codes of theirs stay codes."))
    return FolderDump(found.path, LABEL, members, tuple(listed))


def _model(found: Listing) -> tuple[AxModel, tuple[Problem, ...]]:
    folder = found.path.absolute()
    for above in list(folder.parents)[:_LEVELS]:
        if is_file(above / MODEL):
            try:
                model = read_axmodel(above / MODEL)
            except ErrorflowError as error:
                return AxModel({}), (Problem(error.message, MODEL),)
            return model, tuple(Problem(text, MODEL) for text in model.problems)
    return AxModel({}), (Problem("It is not there: names are those of the files, and codes have no scale.", MODEL),)


AXERA = Folder(
    key="pulsar2-debug",
    label=LABEL,
    claims=_is_debug,
    read=read_debug,
    obtain="pulsar2 build with quant.precision_analysis leaves quant/debug/numpy/float and xrun in its output.",
    holds="arrays",
    runs=frozenset(run for runs in RUNS.values() for run in runs),
    rank=-1,
)
ROWS = (AXERA,)
