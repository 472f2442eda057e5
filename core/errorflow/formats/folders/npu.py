"""Folders that an NPU dumped into: a file per operator, below {time}/{device}/{model}/{model id}/{step}."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, Self

from errorflow.base import ErrorflowError, Progress, WrongFileError, dataclass, field, stepwise
from errorflow.base.files import Source
from errorflow.formats.folders.dump import Opening
from errorflow.formats.folders.pieces import joined
from errorflow.formats.folders.scan import (
    BESIDE,
    MANY,
    Folder,
    FolderHints,
    Listing,
    SideKind,
    check_not_mixed,
    dump_parts,
    first_dump,
    quantized_names,
    walk,
)
from errorflow.formats.npu.file import NpuFile, NpuStored
from errorflow.formats.npu.names import MAPPING, DumpName, Naming, is_hashed, read_mapping, written
from errorflow.graph.dump import Dump, Stored
from errorflow.graph.model import Problem

# One operator in a folder of NPU dumps: its newest file, or the pieces that several threads left behind.

# `threads`: the hardware has split the work and numbers the threads; `slices`: the compiler has, and numbers slices.
Mode = Literal["single", "threads", "slices"]


# Most heads are shorter than this; the rest of a longer one is read when that is known.
HEAD = 4096


@dataclass(frozen=True, slots=True)
class OpTensors:
    """Tensors in an operator's files, under the names `operator:input:0` and so on."""

    inputs: tuple[Stored, ...]
    outputs: tuple[Stored, ...]
    # The operator's name as the compiler has it, with slashes and dots; "" where the file does not say.
    op_name: str = ""
    # The outputs were put together from several pieces.
    sliced: bool = False
    # Fewer pieces than the work was split into.
    incomplete: bool = False
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class NpuOp:
    """Files are in their order: of one run after the other, or of one piece after the other."""

    name: str
    op_type: str
    timestamp: int
    mode: Mode
    files: tuple[Path, ...]
    names: tuple[DumpName, ...]

    @classmethod
    def of(cls, name: str, files: list[tuple[DumpName, Path]]) -> Self:
        """Makes an operator of files: of several the newest counts; of pieces, the newest of each."""
        ordered = sorted(files, key=lambda file: (file[0].timestamp, file[1].name))
        mode = _mode(ordered[-1][0])
        if mode != "single":
            ordered = _pieces(ordered, mode)
        newest = max((parts for parts, _ in ordered), key=lambda parts: parts.timestamp)
        return cls(
            name,
            newest.op_type,
            newest.timestamp,
            mode,
            tuple(path for _, path in ordered),
            tuple(parts for parts, _ in ordered),
        )

    @property
    def path(self) -> str:
        """The file that is read; of several pieces their common name with a star."""
        if self.mode == "single" or len(self.files) == 1:
            return str(self.files[-1])
        return str(self.files[0].with_name(".".join([*self.names[0].written.split(".")[:4], "*"])))

    def open(self) -> OpTensors:
        """The heads of the files that count; an `ErrorflowError` if one is broken."""
        if self.mode == "single" or len(self.files) == 1:
            return self._tensors(_opened(self.files[-1]))
        heads = [_opened(path) for path in self.files]
        found = joined(self.name, heads, self.mode == "threads")
        if found is None:
            newest = max(range(len(heads)), key=lambda at: self.names[at].timestamp)
            problem = Problem("Its pieces do not say where they were cut; only the newest one is used.", self.name)
            return self._tensors(heads[newest], problem)
        inputs = tuple(NpuStored(heads[0].file, tensor, f"{self.name}:{tensor.name}") for tensor in heads[0].inputs)
        problems = tuple(Problem(text, self.name) for text in found.problems)
        return OpTensors(inputs, found.outputs, heads[0].op_name, True, found.incomplete, problems)

    def _tensors(self, file: NpuFile, *problems: Problem) -> OpTensors:
        inputs = tuple(NpuStored(file.file, tensor, f"{self.name}:{tensor.name}") for tensor in file.inputs)
        outputs = tuple(NpuStored(file.file, tensor, f"{self.name}:{tensor.name}") for tensor in file.outputs)
        own = tuple(Problem(problem.text, f"{self.name}:{problem.where}") for problem in file.problems)
        return OpTensors(inputs, outputs, file.op_name, problems=(*problems, *own))


def _mode(name: DumpName) -> Mode:
    if not name.is_ffts:
        return "single"
    return "slices" if "_lxslice" in name.op_name else "threads"


def _pieces(ordered: list[tuple[DumpName, Path]], mode: Mode) -> list[tuple[DumpName, Path]]:
    """The newest file of each piece, in the order of the pieces."""
    newest: dict[int, tuple[DumpName, Path]] = {}
    for parts, path in ordered:
        number = parts.slice if mode == "slices" else parts.thread_id
        newest[-1 if number is None else number] = (parts, path)
    return [newest[number] for number in sorted(newest)]


def _opened(path: Path) -> NpuFile:
    with Source(path, HEAD) as source:
        return NpuFile.of(source)


LABEL = "folder of NPU dumps"
MAX_LISTED = 10


@dataclass(frozen=True)
class NpuFolder(Opening):
    """Operators by name. Listing opens no file; an operator's head is read when it is asked for."""

    folder: Path
    by_name: Mapping[str, NpuOp] = field(repr=False)
    # What was odd about the folder itself, before any file was opened.
    listed: tuple[Problem, ...] = ()
    label: str = LABEL

    def ops(self) -> Sequence[NpuOp]:
        """Lists all operators, oldest first."""
        return sorted(self.by_name.values(), key=lambda op: (op.timestamp, op.name))

    def op(self, name: str) -> NpuOp | None:
        """The operator, looked up as its name is written to disk."""
        return self.by_name.get(written(name))

    @cached_property
    def quantized(self) -> tuple[str, ...]:
        """The operators by whose names msaccucmp takes this for a run of a quantized model."""
        return quantized_names(tuple(self.by_name))

    @property
    def kind(self) -> SideKind:
        return "npu-quantized" if self.quantized else "npu"

    def stored(self, name: str) -> Stored:
        """Opens the operator's own files only; a `KeyError` if it has no such tensor."""
        known = self.known(name)
        if known is not None:
            return known
        op_name, _, place = name.partition(":")
        if op_name not in self.by_name or not place:
            raise KeyError(name)
        tensors = self.by_name[op_name].open()
        return {tensor.info.name: tensor for tensor in (*tensors.inputs, *tensors.outputs)}[name]

    def _open_all(self, progress: Progress) -> tuple[dict[str, Stored], tuple[Problem, ...]]:
        found: dict[str, Stored] = {}
        problems: list[Problem] = []
        for op in stepwise(self.ops(), progress, f"Opening {self.folder.name}"):
            try:
                tensors = op.open()
            except ErrorflowError as error:
                problems.append(Problem(error.message, op.name))
                continue
            found |= {tensor.info.name: tensor for tensor in (*tensors.inputs, *tensors.outputs)}
            problems += tensors.problems
        return found, tuple(problems)


def open_npu_folder(path: Listing, naming: Naming = "plain") -> NpuFolder:
    """The folder right below which the dumps lie, `path` or one inside; `naming` is how pieces find together."""
    found = _data_folder(path)
    check_not_mixed(found)
    mapping, problems = read_mapping(found.path, found.root)
    listed = [*found.problems, *problems]
    groups: dict[str, list[tuple[DumpName, Path]]] = {}
    unknown: list[str] = []
    for file in stepwise(found.files, found.progress, f"Looking into {found.path.name}", MANY):
        real = mapping.get(file, file) if is_hashed(file) else file
        parts = dump_parts(real)
        if parts:
            groups.setdefault(parts.name_for(naming), []).append((parts, found.path / file))
        elif file not in BESIDE:
            unknown.append(file)
    if not groups:
        raise _nothing(found.path)
    if unknown:
        listed.append(_not_dumps(unknown))
    grouped = stepwise(groups.items(), found.progress, f"Looking into {found.path.name}", MANY)
    ops = {name: NpuOp.of(name, files) for name, files in grouped}
    listed += (problem for op in ops.values() if (problem := _shared(op)))
    return NpuFolder(found.path, ops, tuple(listed))


def _shared(op: NpuOp) -> Problem | None:
    """Operators whose names differ in what is replaced only have one name on the disk."""
    tasks = {(name.op_type, name.task_id) for name in op.names}
    if op.mode != "single" or len(tasks) == 1:
        return None
    return Problem(f"Its {len(op.files)} files are of {len(tasks)} tasks; only the newest one is used.", op.name)


def _nothing(path: Path) -> WrongFileError:
    return WrongFileError(
        f"{path} holds no file that is named as dumps of an NPU are.",
        f"They are called op_type.op_name.task_id.stream_id.timestamp, or by digits with a {MAPPING} beside them.",
    )


def _not_dumps(files: list[str]) -> Problem:
    shown = ", ".join(files[:MAX_LISTED])
    more = f" and {len(files) - MAX_LISTED:,} more" if len(files) > MAX_LISTED else ""
    return Problem(f"Not named as dumps are, and left out: {shown}{more}.")


def _data_folder(path: Listing) -> Listing:
    candidates = [level for level in walk(path) if first_dump(level) is not None]
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        raise _nothing(path.path)
    shown = ", ".join(str(level.path.relative_to(path.path)) for level in candidates[:MAX_LISTED])
    more = f" and {len(candidates) - MAX_LISTED:,} more" if len(candidates) > MAX_LISTED else ""
    raise WrongFileError(
        f"{path.path} holds {len(candidates):,} runs: {shown}{more}.",
        "Choose one of these folders, one run of one model.",
    )


def _is_npu_folder(found: Listing) -> bool:
    return any(first_dump(level) is not None for level in walk(found))


def read_npu_folder(found: Listing, given: FolderHints, progress: Progress) -> Dump:  # noqa: ARG001 - as every row is called
    progress.step(0, 1, found.path.name)
    return open_npu_folder(found)


NPU_FOLDER = Folder(
    key="npu-folder",
    label=LABEL,
    claims=_is_npu_folder,
    read=read_npu_folder,
    obtain="The `dump_path` of acl.json, or a folder {time}/{device}/{model}/{model id}/{step} below it.",
)
