"""Snapshots of RKNN's accuracy analysis: the runs `golden`, `simulator` and `runtime`, a file per tensor."""

from pathlib import Path

from errorflow.base import ErrorflowError, FormatError, Progress, WrongFileError
from errorflow.base.files import Source, is_file, is_folder
from errorflow.formats.folders.array_file import NpyMember, TextMember
from errorflow.formats.folders.dump import FolderDump, TensorFile
from errorflow.formats.folders.scan import Folder, FolderHints, Listing, first_array, listing
from errorflow.graph.dump import Dump
from errorflow.graph.model import Problem

LABEL = "RKNN snapshot"
RUNS = ("golden", "simulator", "runtime")
MAP = "map_name_to_file.txt"
MAX_MAP = 16 * 1024 * 1024
_HEAD = "layer_name"


def _is_snapshot(found: Listing) -> bool:
    return _has_runs(found) or _is_run(found)


def _has_runs(found: Listing) -> bool:
    runs = [name for name in RUNS if name in found.folders]
    return len(runs) > 1 or (bool(runs) and MAP in found.names)


def _is_run(found: Listing) -> bool:
    """Whether the folder is one of the runs, opened by itself: its name and its neighbours tell."""
    if found.path.name not in RUNS:
        return False
    above = found.path.parent
    if is_file(above / MAP):
        return True
    # Other people's folders are called golden and simulator as well: theirs may name files after operators.
    return first_array(found) is None and any(is_folder(above / name) for name in RUNS if name != found.path.name)


def read_snapshot(found: Listing, given: FolderHints, progress: Progress) -> Dump:  # noqa: ARG001 - as every row is called
    """Reads one run, under the names of the layers where the snapshot lists them."""
    progress.step(0, 1, found.path.name)
    if _has_runs(found):
        runs = [name for name in RUNS if name in found.folders]
        raise WrongFileError(
            f"{found.path} holds {len(runs)} runs: {', '.join(runs)}.", "Choose two of these folders to compare them."
        )
    layers, problems = _layers(found.path.parent)
    arrays = found.inner("npy")
    members: dict[str, TensorFile] = {}
    levels = [found] if arrays is None else [arrays, found]
    for level in levels:
        for name in sorted(level.files, key=lambda name: (not name.endswith(".npy"), name)):
            stem = name.removesuffix(".npy").removesuffix(".txt")
            if stem == name or name == MAP:
                continue
            path = level.path / name
            members.setdefault(layers.get(stem, stem), NpyMember(path) if name.endswith(".npy") else TextMember(path))
    return FolderDump(found.path, LABEL, members, (*found.problems, *problems))


def _layers(folder: Path) -> tuple[dict[str, str], tuple[Problem, ...]]:
    """The layers by the stems of their files, which lack the characters that no file name may have."""
    try:
        if MAP not in listing(folder).names:
            return {}, ()
        with Source(folder / MAP) as source:
            if source.size > MAX_MAP:
                raise FormatError(f"{MAP} has more than {MAX_MAP:,} bytes.", "Open the folder without it.")
            text = source.read(0, source.size).decode("utf-8", "replace")
    except ErrorflowError as error:
        return {}, (Problem(error.message, MAP),)
    found: dict[str, str] = {}
    for line in text.splitlines():
        layer, _, file = line.strip().rpartition(" ")
        if layer and layer.strip() != _HEAD:
            found[file.removesuffix(".txt").removesuffix(".npy")] = layer.strip()
    return found, ()


RKNN = Folder(
    key="rknn-snapshot",
    label=LABEL,
    claims=_is_snapshot,
    read=read_snapshot,
    obtain="rknn.accuracy_analysis(inputs, output_dir='./snapshot') writes it; open its `golden` or `simulator`.",
    holds="arrays",
    runs=frozenset(RUNS),
    rank=-2,
)
ROWS = (RKNN,)
