"""Looks into folders: names only, within limits, and never out of the folder that was opened."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Literal

from errorflow.base import SILENT, FileError, FormatError, Progress, WrongFileError, dataclass, field
from errorflow.base.files import is_file
from errorflow.formats.npu.names import MAPPING, DumpName, dump_name, is_hashed, npy_name
from errorflow.graph.dump import Dump
from errorflow.graph.model import Problem

MAX_FILES = 1_000_000
MAX_DEPTH = 16
# Names between two looks at whether to go on.
MANY = 1000
_SMALLER = "Open a folder further inside."


@dataclass(frozen=True)
class Listing:
    """Listing of one folder, in the order of names. A link counts where it leads to within `root`."""

    path: Path
    root: Path
    files: tuple[str, ...]
    folders: tuple[str, ...]
    problems: tuple[Problem, ...] = ()
    # Who is told while folders inside are looked into.
    progress: Progress = field(default=SILENT, repr=False, compare=False)

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(self.files)

    def inner(self, name: str) -> "Listing | None":
        """A folder inside; None where it is not there or may not be read."""
        if name not in self.folders:
            return None
        try:
            return listing(self.path / name, self.root, self.progress)
        except FileError:
            return None


def listing(path: Path, root: Path | None = None, progress: Progress = SILENT) -> Listing:
    """Lists what lies right in `path`; a `FileError` if it cannot be looked into."""
    files: list[str] = []
    folders: list[str] = []
    problems: list[Problem] = []
    try:
        base = Path(os.path.realpath(path)) if root is None else root
        with os.scandir(path) as entries:
            for count, entry in enumerate(entries):
                if count % MANY == 0:
                    progress.step(0, 0, f"Looking into {path.name}")
                if count >= MAX_FILES:
                    raise FormatError(f"{path} holds more than {MAX_FILES:,} files.", _SMALLER)
                _place(entry, base, files, folders, problems)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None)
        raise FileError(
            f"The folder {path} could not be read: {str(reason if reason else error).lower()}.",
            "Check that it exists and that you may read it.",
        ) from error
    return Listing(path, base, tuple(sorted(files)), tuple(sorted(folders)), tuple(problems), progress)


def _place(entry: os.DirEntry[str], root: Path, files: list[str], folders: list[str], problems: list[Problem]) -> None:
    if entry.is_symlink():
        problem = _follow(entry, root)
        if problem:
            problems.append(Problem(problem, entry.name))
        else:
            files.append(entry.name)
    elif entry.is_dir(follow_symlinks=False):
        folders.append(entry.name)
    elif entry.is_file(follow_symlinks=False):
        files.append(entry.name)


def _follow(entry: os.DirEntry[str], root: Path) -> str:
    """Says why a link is not followed; "" if it leads to a file within the folder."""
    target = Path(os.path.realpath(entry.path))
    if not target.is_relative_to(root):
        return "It is a link that leads out of the folder and is not followed."
    return "" if is_file(target) else "It is a link to no file and is not followed."


def walk(top: Listing) -> Iterator[Listing]:
    """The folder and all folders inside, each before what is in it; what cannot be read is left out as a problem."""
    waiting = [(top, 0)]
    count = 0
    while waiting:
        found, depth = waiting.pop()
        count += len(found.files)
        if count > MAX_FILES:
            raise FormatError(f"{top.path} holds more than {MAX_FILES:,} files.", _SMALLER)
        deeper: list[tuple[Listing, int]] = []
        problems = list(found.problems)
        for name in found.folders:
            try:
                if depth >= MAX_DEPTH:
                    raise FileError(f"Folders deeper than {MAX_DEPTH} are not looked into.", _SMALLER)
                deeper.append((listing(found.path / name, found.root, found.progress), depth + 1))
            except FileError as error:
                problems.append(Problem(error.message, name))
        waiting += reversed(deeper)
        yield Listing(found.path, found.root, found.files, found.folders, tuple(problems), found.progress)


# The row under which a kind of folder stands in `errorflow.formats.folders.FOLDERS`.


@dataclass(frozen=True, slots=True)
class Declared:
    """Declaration of a tensor whose file holds bare values. None in the shape: as the file's size says."""

    dtype: str
    shape: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class FolderHints:
    """Facts that a folder alone does not tell: tensors by their names in the model."""

    tensors: Mapping[str, Declared] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Folder:
    """One kind of folder. Its content decides: `claims` looks at names, never at the name of the folder alone."""

    key: str
    label: str
    claims: Callable[[Listing], bool]
    read: Callable[[Listing, FolderHints, Progress], Dump]
    obtain: str
    # What one opens it as: a run, or samples of inputs; "": what lies in it says more.
    holds: Literal["arrays", "array", ""] = ""
    # Names of folders that hold a run each, where the folder around several of them is claimed too.
    runs: frozenset[str] = frozenset()
    # The order of asking, the surest first.
    rank: int = 0


# Kinds of folders in a comparison: an NPU's dump or the original model's files, quantized or not.

SideKind = Literal["npu", "npu-quantized", "npy", "npy-quantized"]
# Parts of operators' names by which the vendor's tool takes a run for one of a quantized model.
QUANTIZED = (
    *("_quant_layer", "_anti_quant_layer", "AscendQuant", "AscendWeightQuant", "AntiQuant", "_quant", "_weight_quant"),
    *("_anti_quant", "_dequant_layer", "AscendDequant", "_dequant"),
)
# What lies beside dumps and is none.
BESIDE = frozenset({MAPPING, "convert_failed_file_list.txt"})
_OTHER = (".npy", ".npz", ".bin", ".json", ".txt", ".csv", ".log", ".onnx", ".om", ".pb", ".md", ".png", ".part")


def dump_parts(name: str) -> DumpName | None:
    """Parses the name of a dump; None also for what the vendor's tool makes of dumps, such as `….output.0.npy`."""
    return None if name.endswith(_OTHER) else dump_name(name)


def first_dump(found: Listing) -> str | None:
    """A file that an NPU may have named; digits alone are a name only where there is a mapping."""
    named = (name for name in found.files if not name.endswith(_OTHER))
    return next((name for name in named if _is_name(name, found, dump_name)), None)


def first_array(found: Listing) -> str | None:
    """A tensor of the original model, called as msaccucmp wants it; digits alone as above."""
    arrays = (name for name in found.files if name.endswith(".npy"))
    return next((name for name in arrays if _is_name(name, found, npy_name)), None)


def _is_name(name: str, found: Listing, parts: Callable[[str], object]) -> bool:
    return parts(name) is not None or (MAPPING in found.names and is_hashed(name))


def check_not_mixed(found: Listing) -> None:
    """Refuses a folder of both kinds, as the vendor's tool does: it cannot be told what it is."""
    dump, array = first_dump(found), first_array(found)
    if dump is not None and array is not None:
        raise WrongFileError(
            f"{found.path} holds both dumps of an NPU ({dump}) and files of the original model ({array}).",
            "Put each run into a folder of its own.",
        )


def quantized_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """The operators by whose names the run counts as one of a quantized model."""
    return tuple(name for name in names if any(part in name for part in QUANTIZED))


# Names of files made of names of tensors, forward only: what was replaced cannot be told from the file.

_REPLACED = re.compile(r"[^A-Za-z0-9_-]")


def stem_of(tensor: str) -> str:
    """The name with every character replaced that Pulsar2 replaces, and that no dump of an NPU may have in its name."""
    return _REPLACED.sub("_", tensor)


def tensors_by_stem(tensors: Iterable[str]) -> tuple[dict[str, str], tuple[Problem, ...]]:
    """The tensors by the stems of their files; of those that share one, the first, and a problem says so."""
    found: dict[str, str] = {}
    clashes: list[Problem] = []
    for name in tensors:
        stem = stem_of(name)
        if found.setdefault(stem, name) != name:
            clashes.append(Problem(f"{found[stem]} and {name} have the same file name; the first is taken.", stem))
    return found, tuple(clashes)
