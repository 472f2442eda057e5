"""What is to be compared with what, and how: opens both runs and chooses the way to match them."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from errorflow.base.errors import FormatError, WrongFileError
from errorflow.base.progress import SILENT, Progress
from errorflow.compare.match.any_runs import match_runs
from errorflow.compare.match.by_fusion import match_by_fusion
from errorflow.compare.match.by_hand import TensorsOf
from errorflow.compare.match.by_npu import match_npu_runs
from errorflow.compare.match.codes import WRONG_RULES, WRONG_RUNS
from errorflow.compare.match.fusion.merge import with_closed_fusion, with_quantization
from errorflow.compare.match.fusion.table import FusionTable, fusion_table
from errorflow.compare.match.model import Match, Pair, Sources
from errorflow.compare.match.one_tensor import Which, tensor_by_fusion, tensor_of_npu_runs
from errorflow.compare.match.refused import RefusedError
from errorflow.compare.match.runs import run_of
from errorflow.compare.match.scenario import scenario
from errorflow.compare.match.selection import Selection, everything
from errorflow.compare.match.sides import Run, is_npu
from errorflow.formats import read_listing, read_model, read_tensors
from errorflow.formats.amct.record import read_record
from errorflow.formats.folders import identify_folder
from errorflow.formats.folders.dump import FolderDump
from errorflow.formats.folders.folder import Given
from errorflow.formats.folders.npu import NPU_FOLDER, NpuFolder, open_npu_folder
from errorflow.formats.folders.raw import declared_by, parse_shapes
from errorflow.formats.folders.scan import listing
from errorflow.graph.dump import Dump
from errorflow.graph.model import Graph, Problem


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user wants, "" for files that are not given."""

    candidate: Path
    reference: Path
    fusion: str = ""
    quantization: str = ""
    closed_fusion: str = ""
    # Pieces of operators are compared one by one.
    pieces: bool = False
    selection: Selection = everything
    model: str | None = None
    shapes: tuple[str, ...] = ()
    # AMCT's scale and offset record.
    scales: str = ""

    @property
    def files(self) -> frozenset[str]:
        """The options by which files were given."""
        given = (("-f", self.fusion), ("-q", self.quantization), ("-cf", self.closed_fusion))
        return frozenset(option for option, path in given if path)


@dataclass(frozen=True, slots=True)
class Plan:
    """Pairs, and what they are of."""

    match: Match
    # msaccucmp has a table for it.
    by_tool: bool = False
    is_npu: bool = False
    is_npu_reference: bool = False


def plan(asked: Asked, progress: Progress = SILENT) -> Plan:
    """Opens both runs and pairs their tensors; refuses what makes no sense and says what does."""
    model = None if asked.model is None else read_model(asked.model, progress).graph
    dumps = _open(asked.candidate, asked, model, progress), _open(asked.reference, asked, model, progress)
    candidate, reference = run_of(dumps[0]), run_of(dumps[1])
    sources = Sources(TensorsOf(dumps[0]), TensorsOf(dumps[1]))
    some_npu = any(run is not None and is_npu(run) for run in (candidate, reference))
    problems = (*_same(asked), *_sided(map(_problems, dumps)))
    if not asked.files and not some_npu:
        for dump in dumps:
            if isinstance(dump, FolderDump):
                dump.look(progress)
        match = match_runs(dumps[1], dumps[0], model, _what_names_are(dumps, (candidate, reference)))
        # All files of such runs were opened to match them.
        problems = (*_same(asked), *_sided(dump.problems for dump in dumps))
        return Plan(replace(match, problems=(*problems, *match.problems), sources=sources))
    candidate, reference = _known(candidate, asked.candidate), _known(reference, asked.reference)
    scenario(candidate.kind, reference.kind, asked.files)
    if asked.files:
        record = read_record(Path(asked.scales), progress) if asked.scales else None
        match = match_by_fusion(rules(asked, progress), candidate, reference, asked.selection, progress, record)
        problems += (*_loose(asked), *(() if record is None else record.problems), *match.problems)
    else:
        match = match_npu_runs(candidate, reference, progress)
    return Plan(replace(match, problems=problems, sources=sources), True, is_npu(candidate), is_npu(reference))


def one_tensor(asked: Asked, which: Which, progress: Progress = SILENT) -> Pair:
    """The pair of one tensor of one operator."""
    candidate = _known(run_of(_open(asked.candidate, asked, None, progress)), asked.candidate)
    reference = _known(run_of(_open(asked.reference, asked, None, progress)), asked.reference)
    scenario(candidate.kind, reference.kind, asked.files)
    if asked.files:
        return tensor_by_fusion(rules(asked, progress), candidate, reference, which)
    return tensor_of_npu_runs(candidate, reference, which)


def rules_and_runs(asked: Asked, progress: Progress = SILENT) -> tuple[FusionTable, Run, Run]:
    """The same without matching anything."""
    candidate = _known(run_of(_open(asked.candidate, asked, None, progress)), asked.candidate)
    reference = _known(run_of(_open(asked.reference, asked, None, progress)), asked.reference)
    scenario(candidate.kind, reference.kind, asked.files)
    return rules(asked, progress), candidate, reference


def rules(asked: Asked, progress: Progress = SILENT) -> FusionTable:
    """What the files say together."""
    table = _table(asked.fusion if asked.fusion else asked.quantization, progress)
    if asked.fusion and asked.quantization:
        return with_quantization(table, _table(asked.quantization, progress))
    if asked.closed_fusion:
        return with_closed_fusion(table, _table(asked.closed_fusion, progress))
    return table


def _table(path: str, progress: Progress) -> FusionTable:
    try:
        return fusion_table(read_listing(path, progress), progress)
    except (FormatError, WrongFileError) as error:
        raise RefusedError(error.message, error.hint, WRONG_RULES) from error


def _open(path: Path, asked: Asked, model: Graph | None, progress: Progress) -> Dump:
    if not path.is_dir():
        return _open_file(path, progress)
    # As msaccucmp names files: by the way that leads to them without links.
    found = listing(Path(os.path.realpath(path)), progress=progress)
    kind = identify_folder(found)
    if kind is NPU_FOLDER:
        return open_npu_folder(found, "pieces" if asked.pieces else "model" if asked.files else "plain")
    declared = ({} if model is None else declared_by(model)) | parse_shapes(asked.shapes)
    return kind.read(found, Given(declared), progress)


def _open_file(path: Path, progress: Progress) -> Dump:
    try:
        return read_tensors(path, progress)
    except WrongFileError as error:
        what_is = "A run is a folder of dumps or of .npy files, or an .npz with a tensor under each name."
        raise WrongFileError(error.message, what_is) from error


def _what_names_are(dumps: Sequence[Dump], runs: Sequence[Run | None]) -> str:
    """The rule by which equal names belong together."""
    if all(run is not None for run in runs):
        return "operator-name"
    return "file-name" if all(isinstance(dump, FolderDump) for dump in dumps) else "tensor-name"


def _same(asked: Asked) -> Sequence[Problem]:
    """A slip of the pen that looks like a perfect result."""
    if os.path.realpath(asked.candidate) != os.path.realpath(asked.reference):
        return ()
    return (Problem(f"Both sides are the same run, {asked.candidate}."),)


def _loose(asked: Asked) -> Sequence[Problem]:
    """What AMCT's quantization information alone does not tell."""
    if asked.fusion or not asked.quantization or asked.model is not None:
        return ()
    return (
        Problem(
            "Which node causes the error is not known: what flows where is not known. Add the network with --model."
        ),
    )


def _sided(problems: Iterable[Sequence[Problem]]) -> Iterator[Problem]:
    """Those of both runs, each with the run that it is in."""
    for side, found in zip(("candidate", "reference"), problems, strict=True):
        yield from (replace(problem, side=side) for problem in found)


def _problems(dump: Dump) -> Sequence[Problem]:
    """What was odd about a folder as a whole: what is odd about one file is said where that is asked for."""
    return dump.listed if isinstance(dump, NpuFolder | FolderDump) else dump.problems


def _known(run: Run | None, path: Path) -> Run:
    if run is None:
        raise RefusedError(
            f"{path} is neither an NPU's dump nor a folder of files named operator.output.timestamp.npy.",
            "Fusion rules are about these; without -f, -q and -cf any two runs are compared by names.",
            WRONG_RUNS,
        )
    return run
