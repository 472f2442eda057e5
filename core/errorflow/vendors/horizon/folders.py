"""Calibration data of Horizon's and D-Robotics' tools: a folder per input of the model, in it a file per sample."""

import re
from collections.abc import Mapping

from errorflow.base.errors import UsageError
from errorflow.base.progress import Progress
from errorflow.base.values import dataclass, field
from errorflow.formats.folders.array_file import NpyMember
from errorflow.formats.folders.dump import FolderDump, TensorFile
from errorflow.formats.folders.scan import Folder, FolderHints, Listing
from errorflow.graph.dump import Dump
from errorflow.graph.model import Problem

LABEL = "calibration data of Horizon's tools"
_SAMPLE = re.compile(r"(?:0|[1-9][0-9]{0,8})\.npy", re.ASCII)


@dataclass(frozen=True)
class HorizonSamples(FolderDump):
    """Tensors `input/0`, `input/1` and so on; `sample` gives one of each input, as a model is fed with them."""

    by_sample: Mapping[int, Mapping[str, TensorFile]] = field(default_factory=dict, repr=False)

    def sample(self, number: int) -> FolderDump:
        """The inputs of one run, by their names in the model."""
        if number not in self.by_sample:
            raise UsageError(
                f"There is no sample {number} in {self.folder}.", f"It has {len(self.by_sample):,}, the first is 0."
            )
        return FolderDump(self.folder, self.label, self.by_sample[number])


def _is_calibration(found: Listing) -> bool:
    """Every folder inside holds numbered samples, and nothing else lies beside them."""
    inner = [found.inner(name) for name in found.folders]
    return bool(inner) and not found.files and all(level is not None and _are_samples(level) for level in inner)


def _are_samples(level: Listing) -> bool:
    return bool(level.files) and not level.folders and all(_SAMPLE.fullmatch(name) for name in level.files)


def read_calibration(found: Listing, given: FolderHints, progress: Progress) -> Dump:  # noqa: ARG001 - as every row is called
    """Reads all samples of all inputs."""
    progress.step(0, 1, found.path.name)
    members: dict[str, TensorFile] = {}
    samples: dict[int, dict[str, TensorFile]] = {}
    listed = list(found.problems)
    for name in found.folders:
        level = found.inner(name)
        if level is None:
            continue
        listed += level.problems
        for file in sorted(level.files, key=lambda file: int(file.removesuffix(".npy"))):
            number = int(file.removesuffix(".npy"))
            member = NpyMember(level.path / file)
            members[f"{name}/{number}"] = member
            samples.setdefault(number, {})[name] = member
    short = sorted(number for number, inputs in samples.items() if len(inputs) < len(found.folders))
    if short:
        listed.append(Problem(f"{len(short):,} samples lack an input, the first is {short[0]}."))
    return HorizonSamples(found.path, LABEL, members, tuple(listed), samples)


HORIZON = Folder(
    key="horizon-calibration",
    label=LABEL,
    claims=_is_calibration,
    read=read_calibration,
    obtain='debug_mode: "dump_calibration_data" in the yaml of hb_mapper makertbin or hmct writes it.',
    holds="array",
)
ROWS = (HORIZON,)
