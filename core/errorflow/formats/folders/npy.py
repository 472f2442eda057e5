"""Folders of `.npy` files: as msaccucmp wants them (`op_name.output_index.timestamp.npy`), or a file per tensor."""

from collections.abc import Mapping
from functools import cached_property

from errorflow.base import Progress, dataclass, field, stepwise
from errorflow.formats.folders.array_file import NpyMember
from errorflow.formats.folders.dump import FolderDump
from errorflow.formats.folders.scan import (
    MANY,
    Folder,
    FolderHints,
    Listing,
    SideKind,
    check_not_mixed,
    first_array,
    quantized_names,
    walk,
)
from errorflow.formats.npu.names import NpyName, is_hashed, npy_name, read_mapping, written
from errorflow.graph.dump import Dump, Stored
from errorflow.graph.model import Problem

LABEL = "folder of NumPy arrays"
_SUFFIX = ".npy"
# How msit calls what goes into a node; what comes out of one lies beside it without this.
_INPUT = "input_"


@dataclass(frozen=True)
class NpyFolder(FolderDump):
    """Tensors of the original model, called by operator and number of the output (`conv1.0`) or by the file's path."""

    # The operator and output of each name of the form that msaccucmp knows.
    operators: Mapping[str, NpyName] = field(default_factory=dict, repr=False)

    @cached_property
    def quantized(self) -> tuple[str, ...]:
        """The names by which msaccucmp takes this for the files of a quantized model."""
        return quantized_names(tuple(self.operators))

    @property
    def kind(self) -> SideKind:
        return "npy-quantized" if self.quantized else "npy"

    def tensor(self, op_name: str, index: int) -> Stored | None:
        """Output `index` of the operator, whose name is looked up as it is written to disk; None if it is not there."""
        key = f"{written(op_name)}.{index}"
        return self.stored(key) if key in self.operators else None


def _is_npy_folder(found: Listing) -> bool:
    return any(name.endswith(_SUFFIX) for level in walk(found) for name in level.files)


def read_npy_folder(found: Listing, given: FolderHints, progress: Progress) -> Dump:  # noqa: ARG001 - as every row is called
    """The folder's files by name; none is opened yet."""
    progress.step(0, 1, found.path.name)
    if first_array(found) is not None:
        return _named_by_operator(found)
    return _named_by_path(found)


def _named_by_operator(found: Listing) -> NpyFolder:
    check_not_mixed(found)
    mapping, problems = read_mapping(found.path, found.root)
    listed = [*found.problems, *problems]
    files: dict[str, tuple[NpyName | None, str]] = {}
    arrays = [name for name in found.files if name.endswith(_SUFFIX)]
    for name in stepwise(arrays, found.progress, f"Looking into {found.path.name}", MANY):
        real = mapping.get(name, mapping.get(name.removesuffix(_SUFFIX), name)) if is_hashed(name) else name
        parts = npy_name(real)
        key = parts.key if parts else real.removesuffix(_SUFFIX)
        before = files.get(key)
        if before is None or _time(parts) >= _time(before[0]):
            files[key] = (parts, name)
        if before is not None:
            listed.append(Problem(f"It is there more than once; {files[key][1]} is the newest and is used.", key))
    inputs = {key for key, (parts, _) in files.items() if parts and _is_input(parts, files)}
    if inputs:
        listed.append(Problem(f"{len(inputs):,} files {_INPUT}… hold what went into nodes and are left out."))
    kept = {key: value for key, value in files.items() if key not in inputs}
    return NpyFolder(
        found.path,
        LABEL,
        {key: NpyMember(found.path / name) for key, (_, name) in kept.items()},
        tuple(listed),
        {key: parts for key, (parts, _) in kept.items() if parts},
    )


def _time(parts: NpyName | None) -> int:
    return parts.timestamp if parts else -1


def _is_input(parts: NpyName, files: Mapping[str, object]) -> bool:
    """A network's input may be called `input_1` too: only what has its node beside it went into a node."""
    return parts.op_name.startswith(_INPUT) and f"{parts.op_name.removeprefix(_INPUT)}.0" in files


def _named_by_path(found: Listing) -> NpyFolder:
    members: dict[str, NpyMember] = {}
    listed: list[Problem] = []
    for level in walk(found):
        listed += level.problems
        for name in level.files:
            if name.endswith(_SUFFIX):
                path = level.path / name
                members[path.relative_to(found.path).as_posix().removesuffix(_SUFFIX)] = NpyMember(path)
    return NpyFolder(found.path, LABEL, members, tuple(listed))


NPY_FOLDER = Folder(
    key="npy-folder",
    label=LABEL,
    claims=_is_npy_folder,
    read=read_npy_folder,
    obtain="One `.npy` file per tensor, such as op_name.output_index.timestamp.npy of msaccucmp and msit.",
)
