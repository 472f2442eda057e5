"""Calibration data of Horizon's and D-Robotics' tools: a folder per input of the model, in it a file per sample."""

import re
from collections import Counter

from errorflow.base.progress import Progress
from errorflow.formats.folders.array_file import NpyMember
from errorflow.formats.folders.dump import FolderDump, TensorFile
from errorflow.formats.folders.scan import Folder, FolderHints, Listing
from errorflow.graph.dump import Dump
from errorflow.graph.model import Problem

LABEL = "calibration data of Horizon's tools"
_SAMPLE = re.compile(r"(?:0|[1-9][0-9]{0,8})\.npy", re.ASCII)


def _is_calibration(found: Listing) -> bool:
    """Every folder inside holds numbered samples, and nothing else lies beside them."""
    inner = [found.inner(name) for name in found.folders]
    return bool(inner) and not found.files and all(level is not None and _are_samples(level) for level in inner)


def _are_samples(level: Listing) -> bool:
    return bool(level.files) and not level.folders and all(_SAMPLE.fullmatch(name) for name in level.files)


def read_calibration(found: Listing, given: FolderHints, progress: Progress) -> Dump:  # noqa: ARG001 - as every row is called
    """Reads all samples of all inputs: tensors `input/0`, `input/1` and so on."""
    progress.step(0, 1, found.path.name)
    members: dict[str, TensorFile] = {}
    inputs_of: Counter[int] = Counter()
    listed = list(found.problems)
    for name in found.folders:
        level = found.inner(name)
        if level is None:
            continue
        listed += level.problems
        for file in sorted(level.files, key=lambda file: int(file.removesuffix(".npy"))):
            number = int(file.removesuffix(".npy"))
            members[f"{name}/{number}"] = NpyMember(level.path / file)
            inputs_of[number] += 1
    short = sorted(number for number, inputs in inputs_of.items() if inputs < len(found.folders))
    if short:
        listed.append(Problem(f"{len(short):,} samples lack an input, the first is {short[0]}."))
    return FolderDump(found.path, LABEL, members, tuple(listed))


HORIZON = Folder(
    key="horizon-calibration",
    label=LABEL,
    claims=_is_calibration,
    read=read_calibration,
    obtain='debug_mode: "dump_calibration_data" in the yaml of hb_mapper makertbin or hmct writes it.',
    holds="array",
)
ROWS = (HORIZON,)
