"""Folders that an NPU dumped into: a file per operator, below {time}/{device}/{model}/{model id}/{step}."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from errorflow.base.errors import ErrorflowError, WrongFileError
from errorflow.base.progress import Progress, stepwise
from errorflow.base.values import dataclass, field
from errorflow.formats.folders.dump import Opening
from errorflow.formats.folders.npu_op import NpuOp
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
from errorflow.formats.npu.names import MAPPING, DumpName, Naming, is_hashed, read_mapping, written
from errorflow.graph.dump import Dump, Stored
from errorflow.graph.model import Problem

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
