"""Plan of a comparison: opens both runs and chooses the way to match them."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from errorflow.base import SILENT, ErrorflowError, FormatError, Progress, WrongFileError, dataclass, field, replace
from errorflow.base.files import Source
from errorflow.compare.match.any_runs import match_runs
from errorflow.compare.match.by_fusion import match_by_fusion
from errorflow.compare.match.by_hand import TensorsOf
from errorflow.compare.match.by_npu import match_npu_runs
from errorflow.compare.match.codes import WRONG_OPTIONS, WRONG_RULES, WRONG_RUNS, RefusedError, UnfitRunsError
from errorflow.compare.match.fusion.table import FusionTable, Key, Operator, RecordedOutput, fusion_table
from errorflow.compare.match.model import Match, Pair, Sources
from errorflow.compare.match.one_tensor import Which, tensor_by_fusion, tensor_of_npu_runs
from errorflow.compare.match.selection import Selection, everything
from errorflow.compare.match.sides import ComparedRun, Operation, is_npu
from errorflow.formats import read_listing, read_model, read_tensors
from errorflow.formats.amct.record import read_record
from errorflow.formats.folders import identify_folder
from errorflow.formats.folders.dump import FolderDump
from errorflow.formats.folders.npu import NPU_FOLDER, NpuFolder, NpuOp, open_npu_folder
from errorflow.formats.folders.npy import NpyFolder
from errorflow.formats.folders.raw import declared_by, parse_shapes
from errorflow.formats.folders.scan import FolderHints, SideKind, listing
from errorflow.formats.npu.file import read_head
from errorflow.formats.npu.header import LENGTH_BYTES
from errorflow.graph.dump import Dump, Stored
from errorflow.graph.model import Graph, Problem


@dataclass(frozen=True, slots=True)
class MatchRequest:
    """Wishes of the user, "" for files that are not given."""

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
class MatchPlan:
    """Pairs, and what they are of."""

    match: Match
    # msaccucmp has a table for it.
    by_tool: bool = False
    is_npu: bool = False
    is_npu_reference: bool = False


def plan(asked: MatchRequest, progress: Progress = SILENT) -> MatchPlan:
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
        return MatchPlan(replace(match, problems=(*problems, *match.problems), sources=sources))
    candidate, reference = _known(candidate, asked.candidate), _known(reference, asked.reference)
    scenario(candidate.kind, reference.kind, asked.files)
    if asked.files:
        record = read_record(Path(asked.scales), progress) if asked.scales else None
        match = match_by_fusion(rules(asked, progress), candidate, reference, asked.selection, progress, record)
        problems += (*_loose(asked), *(() if record is None else record.problems), *match.problems)
    else:
        match = match_npu_runs(candidate, reference, progress)
    return MatchPlan(replace(match, problems=problems, sources=sources), True, is_npu(candidate), is_npu(reference))


def one_tensor(asked: MatchRequest, which: Which, progress: Progress = SILENT) -> Pair:
    """The pair of one tensor of one operator."""
    candidate = _known(run_of(_open(asked.candidate, asked, None, progress)), asked.candidate)
    reference = _known(run_of(_open(asked.reference, asked, None, progress)), asked.reference)
    scenario(candidate.kind, reference.kind, asked.files)
    if asked.files:
        return tensor_by_fusion(rules(asked, progress), candidate, reference, which)
    return tensor_of_npu_runs(candidate, reference, which)


def rules_and_runs(asked: MatchRequest, progress: Progress = SILENT) -> tuple[FusionTable, ComparedRun, ComparedRun]:
    """The same without matching anything."""
    candidate = _known(run_of(_open(asked.candidate, asked, None, progress)), asked.candidate)
    reference = _known(run_of(_open(asked.reference, asked, None, progress)), asked.reference)
    scenario(candidate.kind, reference.kind, asked.files)
    return rules(asked, progress), candidate, reference


def rules(asked: MatchRequest, progress: Progress = SILENT) -> FusionTable:
    """Reads the rules that the files give together."""
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


def _open(path: Path, asked: MatchRequest, model: Graph | None, progress: Progress) -> Dump:
    if not path.is_dir():
        return _open_file(path, progress)
    # As msaccucmp names files: by the way that leads to them without links.
    found = listing(Path(os.path.realpath(path)), progress=progress)
    kind = identify_folder(found)
    if kind is NPU_FOLDER:
        return open_npu_folder(found, "pieces" if asked.pieces else "model" if asked.files else "plain")
    declared = ({} if model is None else declared_by(model)) | parse_shapes(asked.shapes)
    return kind.read(found, FolderHints(declared), progress)


def _open_file(path: Path, progress: Progress) -> Dump:
    try:
        return read_tensors(path, progress)
    except WrongFileError as error:
        what_is = "A run is a folder of dumps or of .npy files, or an .npz with a tensor under each name."
        raise WrongFileError(error.message, what_is) from error


def _what_names_are(dumps: Sequence[Dump], runs: Sequence[ComparedRun | None]) -> str:
    """The rule by which equal names belong together."""
    if all(run is not None for run in runs):
        return "operator-name"
    return "file-name" if all(isinstance(dump, FolderDump) for dump in dumps) else "tensor-name"


def _same(asked: MatchRequest) -> Sequence[Problem]:
    """A slip of the pen that looks like a perfect result."""
    if os.path.realpath(asked.candidate) != os.path.realpath(asked.reference):
        return ()
    return (Problem(f"Both sides are the same run, {asked.candidate}."),)


def _loose(asked: MatchRequest) -> Sequence[Problem]:
    """Lists what AMCT's quantization information alone does not tell."""
    if asked.fusion or not asked.quantization or asked.model is not None:
        return ()
    return (
        Problem(
            "Which node causes the error is not known: what flows where is not known. Add the network with --model."
        ),
    )


def _sided(problems: Iterable[Sequence[Problem]]) -> Iterator[Problem]:
    """Yields the problems of both runs, each with the run that it is in."""
    for side, found in zip(("candidate", "reference"), problems, strict=True):
        yield from (replace(problem, side=side) for problem in found)


def _problems(dump: Dump) -> Sequence[Problem]:
    """Lists what was odd about a folder as a whole: what is odd about one file is said when that is read."""
    return dump.listed if isinstance(dump, NpuFolder | FolderDump) else dump.problems


def _known(run: ComparedRun | None, path: Path) -> ComparedRun:
    if run is None:
        raise RefusedError(
            f"{path} is neither an NPU's dump nor a folder of files named operator.output.timestamp.npy.",
            "Fusion rules are about these; without -f, -q and -cf any two runs are compared by names.",
            WRONG_RUNS,
        )
    return run


# Tables of two files in one: with AMCT's quantization information, or with the model compiled without fusion.


def with_quantization(offline: FusionTable, quantized: FusionTable) -> FusionTable:
    """`offline` with the quantized model's layers replaced by the original ones; both tables are used up."""
    groups: dict[Key, list[Operator]] = {}
    for operator in [operator for group in offline.groups.values() for operator in group]:
        originals = list(dict.fromkeys(_original_names(operator.originals, quantized)))
        if originals:
            operator.originals = originals
        outputs = list(_original_outputs(operator.outputs, quantized))
        if outputs:
            operator.outputs = outputs
        key = offline.regroup(operator.name, "", operator.originals)
        group = groups.setdefault(key, [])
        operator.index = group[0].index if group else len(groups) - 1
        group.append(operator)
    return replace(offline, groups=groups, merged="quantization")


def _layer(name: str, quantized: FusionTable) -> Sequence[Operator]:
    key = quantized.group_of.get(name)
    return () if key is None else quantized.groups[key]


def _original_names(layers: Iterable[str], quantized: FusionTable) -> Iterator[str]:
    for layer in layers:
        for operator in _layer(layer, quantized):
            yield from operator.originals


def _original_outputs(outputs: Iterable[RecordedOutput], quantized: FusionTable) -> Iterator[RecordedOutput]:
    for output in outputs:
        layer = _layer(output.origin, quantized) if output.origin else ()
        for found in _outputs(output, layer):
            # Outputs of the original model that several operators stand for get the layout of the last of them, as
            # msaccucmp has it.
            if output.layout:
                found.layout, found.shape = output.layout, output.shape
            yield found


def _outputs(output: RecordedOutput, layer: Sequence[Operator]) -> Iterator[RecordedOutput]:
    for operator in layer:
        if output.index is None:
            yield from operator.outputs
        elif operator.name == output.origin:
            inside = output.index < len(operator.outputs)
            yield operator.outputs[output.index] if inside else RecordedOutput()


def with_closed_fusion(opened: FusionTable, closed: FusionTable) -> FusionTable:
    """`opened` with original names replaced by operators of the model without fusion; both are used up.

    Of operators that start with the same original name, and of those that lead to the same operator without fusion,
    only the last one is kept: msaccucmp does so.
    """
    names = {original: operator.name for operator in closed.operators for original in operator.originals}
    merged = FusionTable(network_outputs=opened.network_outputs, merged="closed-fusion")
    seen: set[Key] = set()
    taken = _Taken(names)
    kept: list[Operator] = []
    for name, key in reversed(list(opened.group_of.items())):
        if key in seen:
            continue
        seen.add(key)
        merged.group_of[name] = key
        for operator in filter(taken.is_new, opened.groups[key]):
            operator.originals = _closed_names(operator.originals, names)
            for output in operator.outputs:
                _close(output, names, closed)
            merged.groups.setdefault(key, []).append(operator)
            kept.append(operator)
    merged.operators = kept[::-1]
    return merged


class _Taken:
    """First original names, and operators without fusion, that are matched already."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._opened: set[str] = set()
        self._closed: set[str] = set()

    def is_new(self, operator: Operator) -> bool:
        first = operator.originals[0]
        if first in self._opened:
            return False
        self._opened.add(first)
        closed = self._names.get(first)
        if closed is None:
            return True
        if closed in self._closed:
            return False
        self._closed.add(closed)
        return True


def _closed_names(originals: Sequence[str], names: Mapping[str, str]) -> list[str]:
    if list(originals) == [""]:
        return [""]
    return list(dict.fromkeys(names[original] for original in originals if original in names))


def _close(output: RecordedOutput, names: Mapping[str, str], closed: FusionTable) -> None:
    name = names.get(output.origin) if output.origin else None
    if name is None:
        return
    for operator in closed.groups[closed.group_of[name]]:
        for index, other in enumerate(operator.outputs):
            if (other.origin, other.index) == (output.origin, output.index):
                output.origin, output.index = name, index
                return
    output.origin = name


# Which runs msaccucmp compares with which files, as a table; anything else is refused with its exit code.
#
# To allow another combination: a row here.

LABELS: dict[SideKind, str] = {
    "npu": "a dump of an NPU",
    "npu-quantized": "a dump of a quantized model on an NPU",
    "npy": "the original model's .npy files",
    "npy-quantized": "a quantized model's .npy files",
}
# What each option is.
FILES = {
    "-f": "fusion.json, printed by `atc --mode=1`",
    "-q": "quant.json, written by AMCT",
    "-cf": "the JSON of the model compiled without fusion",
}


@dataclass(frozen=True, slots=True)
class MatchScenario:
    """A candidate and a reference that can be compared, and the sets of options by which."""

    candidate: SideKind
    reference: SideKind
    options: tuple[frozenset[str], ...]
    # The exit code where other options are given.
    code: int
    why: str


def _sets(*options: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(text.split()) for text in options)


SCENARIOS: tuple[MatchScenario, ...] = (
    MatchScenario("npu", "npy", _sets("-f"), WRONG_OPTIONS, "the fusion rules say which original tensors became which"),
    MatchScenario(
        "npu-quantized", "npy", _sets("-f -q"), WRONG_OPTIONS, "names lead over the quantized model to the original one"
    ),
    MatchScenario(
        "npu-quantized", "npy-quantized", _sets("-f"), WRONG_OPTIONS, "both have the names of the quantized model"
    ),
    MatchScenario(
        "npu", "npu", _sets("", "-f -cf"), WRONG_OPTIONS, "the operators' names are compared, or two fusions"
    ),
    MatchScenario(
        "npu-quantized",
        "npu-quantized",
        _sets("", "-f -cf"),
        WRONG_OPTIONS,
        "the operators' names are compared, or two fusions",
    ),
    MatchScenario(
        "npy-quantized", "npy", _sets("-q"), WRONG_RUNS, "names lead from the quantized model to the original one"
    ),
)
# What is refused, and what is meant instead.
_INSTEAD: dict[tuple[SideKind, SideKind], str] = {
    ("npy", "npu"): "Swap them: the NPU's dump is -m, the original model's files are -g.",
    ("npy", "npu-quantized"): "Swap them: the NPU's dump is -m, the original model's files are -g.",
    ("npy-quantized", "npu-quantized"): "Swap them: the NPU's dump is -m, the quantized model's files are -g.",
    ("npy", "npy-quantized"): "Swap them: the quantized model's files are -m, and -q says what became of the layers.",
    ("npu", "npy-quantized"): "Take the files of the model that was not quantized, or the dump of the quantized model.",
    ("npu", "npu-quantized"): "Compare each of them with the original model's .npy files.",
    ("npu-quantized", "npu"): "Compare each of them with the original model's .npy files.",
}


_NOT_COMPARED = "these are not compared with each other"


def scenario(candidate: SideKind, reference: SideKind, options: Iterable[str]) -> MatchScenario:
    """The row for these two runs; `UnfitRunsError` if there is none, or if options lack or are too many."""
    given = frozenset(options)
    row = next((row for row in SCENARIOS if (row.candidate, row.reference) == (candidate, reference)), None)
    what = f"{LABELS[candidate]} (-m) against {LABELS[reference]} (-g)"
    if row is None:
        hint = _INSTEAD.get((candidate, reference), "Leave the fusion rules out to compare tensors of the same name.")
        swaps = any((row.candidate, row.reference) == (reference, candidate) for row in SCENARIOS)
        raise UnfitRunsError(
            f"It makes no sense to compare {what} by fusion rules.",
            hint,
            WRONG_RUNS,
            f"{_sides(candidate, reference)}: {'it must be the other way round' if swaps else _NOT_COMPARED}.",
            f"Swap them: the candidate is {LABELS[reference]}." if swaps else hint,
            swaps,
        )
    if given not in row.options:
        nearest = min(row.options, key=lambda wanted: len(wanted ^ given))
        raise UnfitRunsError(
            f"To compare {what}, {_difference(nearest, given)}.",
            call(nearest),
            row.code,
            f"{_sides(candidate, reference)}. {_files(nearest, given)}",
            "Change what is compared.",
        )
    return row


def _sides(candidate: SideKind, reference: SideKind) -> str:
    return f"The candidate is {LABELS[candidate]}, the reference is {LABELS[reference]}"


def call(options: Iterable[str]) -> str:
    """The right call, as a sentence."""
    named = sorted(options, key=list(FILES).index)
    files = "".join(f" {option} {option.strip('-').upper()}" for option in named)
    known = "; ".join(f"{option.strip('-').upper()} is {FILES[option]}" for option in named)
    return f"Call: errorflow compare -m MINE -g GOLDEN{files}{f' ({known})' if known else ''}."


def _files(wanted: frozenset[str], given: frozenset[str]) -> str:
    """The difference by what the files are."""
    takes = [f"This takes {FILES[option]}." for option in sorted(wanted - given)]
    return " ".join([*takes, *(f"This takes no {FILES[option]}." for option in sorted(given - wanted))])


def _difference(wanted: frozenset[str], given: frozenset[str]) -> str:
    lacking, extra = sorted(wanted - given), sorted(given - wanted)
    parts = [f"{' and '.join(lacking)} {'is' if len(lacking) == 1 else 'are'} needed"] if lacking else []
    parts += [f"{' and '.join(extra)} {'is' if len(extra) == 1 else 'are'} not to be given"] if extra else []
    return " and ".join(parts)


# Folders of an NPU and of the original model, as matching asks for them.

# As msaccucmp counts time; names that end in anything else are taken for the oldest.
_TIME_DIGITS = 16


@dataclass(frozen=True)
class NpuRun:
    """Heads are read once, when an operator is asked for."""

    folder: NpuFolder
    _opened: dict[str, Operation | None] = field(default_factory=dict, repr=False)

    @property
    def kind(self) -> SideKind:
        return self.folder.kind

    @property
    def label(self) -> str:
        return str(self.folder.folder)

    def names(self) -> Sequence[str]:
        return tuple(self.folder.by_name)

    def operation(self, name: str) -> Operation | None:
        if name not in self._opened:
            op = self.folder.by_name.get(name)
            self._opened[name] = None if op is None else _operation(op)
        return self._opened[name]

    def tensor(self, name: str, index: int) -> Stored | None:
        found = self.operation(name)
        if found is None:
            return None
        if found.problem:
            raise ErrorflowError(found.problem, "Dump the operator again.")
        return found.outputs[index] if 0 <= index < len(found.outputs) else None

    def file(self, name: str, index: int) -> str:  # noqa: ARG002 - one file holds all outputs
        found = self.operation(name)
        return "" if found is None else found.path


@dataclass(frozen=True)
class NpyRun:
    """The original model's tensors."""

    folder: NpyFolder

    @property
    def kind(self) -> SideKind:
        return self.folder.kind

    @property
    def label(self) -> str:
        return str(self.folder.folder)

    def names(self) -> Sequence[str]:
        return tuple(self.folder.operators)

    def operation(self, name: str) -> Operation | None:
        """Finds an operation; of a quantized model's operator only the first output is looked at."""
        try:
            stored = self.tensor(name, 0)
        except ErrorflowError as error:
            return Operation(name, "", "", problem=error.message)
        return None if stored is None else Operation(name, "", stored.path, (), (stored,))

    def tensor(self, name: str, index: int) -> Stored | None:
        key = f"{name}.{index}"
        return self.folder.stored(key) if key in self.folder.operators else None

    def file(self, name: str, index: int) -> str:
        key = f"{name}.{index}"
        return str(self.folder.members[key].path) if key in self.folder.operators else ""


def run_of(folder: object) -> ComparedRun | None:
    """The run in a folder, if it is one that fusion rules are about."""
    if isinstance(folder, NpuFolder):
        return NpuRun(folder)
    return NpyRun(folder) if isinstance(folder, NpyFolder) and folder.operators else None


def _operation(op: NpuOp) -> Operation:
    path = Path(op.path)
    op_type = "" if path.name.isdigit() else op.op_type
    time = _time(op)
    try:
        tensors = op.open()
    except ErrorflowError as error:
        problem = "" if _is_empty(op) else error.message
        return Operation(op.name, op_type, str(path), timestamp=time, problem=problem)
    in_pieces = op.mode != "single"
    if in_pieces and not tensors.sliced:
        path = _newest(op)
    return Operation(
        op.name,
        op_type,
        str(path),
        tensors.inputs,
        tensors.outputs,
        time,
        older_is_broken=not in_pieces and any(map(_is_broken, op.files[:-1])),
        in_pieces=in_pieces,
        incomplete=tensors.incomplete,
        full_name=tensors.op_name if in_pieces and not tensors.sliced else "",
    )


def _newest(op: NpuOp) -> Path:
    """Chooses the piece that stands for the operator where it is unknown how it was cut."""
    times = [name.timestamp for name in op.names]
    return op.files[max(range(len(times)), key=lambda at: (times[at], at))]


def _is_broken(path: Path) -> bool:
    try:
        with Source(path) as source:
            read_head(source)
    except ErrorflowError:
        return True
    return False


def _time(op: NpuOp) -> int:
    parts = op.names[-1].written.split(".")
    text = parts[4] if op.mode != "single" and len(parts) > 4 else parts[-1]
    return int(text) if len(text) == _TIME_DIGITS and text.isdigit() else 0


def _is_empty(op: NpuOp) -> bool:
    """msaccucmp takes a file without a head for an operator without tensors, not for a broken one."""
    try:
        return 0 < op.files[-1].stat().st_size <= LENGTH_BYTES
    except OSError:  # it is gone, or nobody may look at it: why it was not read says so
        return False
