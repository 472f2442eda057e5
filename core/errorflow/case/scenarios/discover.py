"""Looks through folders for what can be compared. Names decide about folders, content about files; nothing is kept."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from errorflow.base import SILENT, ErrorflowError, Progress, dataclass, field, one_line
from errorflow.base.files import is_folder
from errorflow.case.scenarios.found import Discovered, FoundFile
from errorflow.case.scenarios.identify import identify_file
from errorflow.formats.folders import FOLDERS
from errorflow.formats.folders.npu import open_npu_folder
from errorflow.formats.folders.npy import NpyFolder, read_npy_folder
from errorflow.formats.folders.raw import RAW_FOLDER
from errorflow.formats.folders.scan import FolderHints, Listing, first_array, first_dump, listing, walk
from errorflow.formats.npu.names import written

# Folders that are looked into, files that are opened, and things that are listed: more is nobody's case.
MAX_LEVELS, MAX_FILES, MAX_FOUND = 20_000, 2_000, 1_000
# Files that may be something by themselves; dumps and single tensors are counted by their folders.
_ENDINGS = frozenset(
    (".json", ".om", ".onnx", ".prototxt", ".npz", ".csv", ".txt", ".log", ".cfg", ".mmd", ".db", ".errorflow")
)
_FEW = 2
# What is dumped when something overflows, which is no tensor.
_OVERFLOWS = "Opdebug"


@dataclass(slots=True)
class _Search:
    """Search: what was found so far, and what is left of the allowance."""

    progress: Progress
    found: list[FoundFile] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    # Runs whose own folders belong to them.
    whole: list[Path] = field(default_factory=list)
    files: int = 0

    @property
    def is_full(self) -> bool:
        return self.files >= MAX_FILES or len(self.found) >= MAX_FOUND

    def add_file(self, path: Path) -> None:
        self.files += 1
        self.progress.step(0, 0, f"Looking at {path.name}")
        self._try(path, lambda: identify_file(path, self.progress))

    def add_level(self, level: Listing) -> None:
        """Adds what lies right in one folder."""
        if any(level.path.is_relative_to(run) for run in self.whole):
            return
        self._try(level.path, lambda: self._run(level))
        for name in level.files:
            if Path(name).suffix.lower() in _ENDINGS and not self.is_full:
                self.add_file(level.path / name)

    def _try(self, path: Path, look: Callable[[], FoundFile | None]) -> None:
        try:
            found = look()
        except ErrorflowError as error:
            name = one_line(path.name)
            is_named = error.message.startswith(name) or f"/{name}" in error.message
            self.problems.append(error.message if is_named else f"{path.name}: {error.message}")
            return
        if found is not None:
            self.found.append(found)

    def _run(self, level: Listing) -> FoundFile | None:
        """The run in this folder, not in those below."""
        flat = Listing(level.path, level.root, level.files, (), level.problems, level.progress)
        for kind in FOLDERS:
            if kind.holds and kind.claims(level) and (not kind.runs or level.path.name in kind.runs):
                self.whole.append(level.path)
                count = len(level.files) if level.files else len(level.folders)
                return FoundFile(level.path, kind.holds, kind.label, f"{count:,} entries")
        if first_dump(level) is not None:
            dump = open_npu_folder(flat)
            if all(op.op_type == _OVERFLOWS for op in dump.ops()):
                return None
            names, operators = _model_names(level.path), frozenset(dump.by_name)
            return FoundFile(level.path, dump.kind, "", f"{len(operators):,} operators", names, operators=operators)
        return _arrays(flat, self.progress)


def _arrays(level: Listing, progress: Progress) -> FoundFile | None:
    count = sum(name.endswith(".npy") for name in level.files)
    if first_array(level) is not None:
        dump = read_npy_folder(level, FolderHints(), progress)
        if not isinstance(dump, NpyFolder):
            return FoundFile(level.path, "arrays", "", f"{count:,} tensors")
        operators = frozenset(written(parts.op_name) for parts in dump.operators.values())
        return FoundFile(level.path, dump.kind, "", f"{len(dump.members):,} tensors", operators=operators)
    if count >= _FEW:
        return FoundFile(level.path, "arrays", "folder of NumPy arrays", f"{count:,} tensors")
    raw = sum(name.endswith(".bin") for name in level.files)
    return FoundFile(level.path, "raw", RAW_FOLDER.label, f"{raw:,} files") if raw >= _FEW else None


def _model_names(path: Path) -> tuple[str, ...]:
    """Names the model: in {time}/{device}/{model}/{model id}/{step} its folder has the graph's name."""
    parts = path.parts
    return (parts[-3],) if len(parts) >= 3 and parts[-1].isdigit() and parts[-2].isdigit() else ()


def discover(paths: Path | Iterable[Path], progress: Progress = SILENT) -> Discovered:
    """Looks through these paths and below. Links are not followed out of them; what is broken is a problem."""
    tops = (paths,) if isinstance(paths, Path) else tuple(paths)
    search = _Search(progress)
    for top in tops:
        if not is_folder(top):
            search.add_file(top)
            continue
        for level in _levels(top, search):
            search.add_level(level)
            if search.is_full:
                search.problems.append(f"{top} holds more than is looked at; choose a folder inside.")
                break
    return Discovered(tops, tuple(_once(search.found)), tuple(search.problems))


def _levels(top: Path, search: _Search) -> Iterator[Listing]:
    try:
        for count, level in enumerate(walk(listing(top, progress=search.progress))):
            if count >= MAX_LEVELS:
                search.problems.append(f"{top} holds more than {MAX_LEVELS:,} folders; choose one inside.")
                return
            if not any(part.startswith(".") for part in level.path.relative_to(top).parts):
                search.problems += [f"{problem.where}: {problem.text}" for problem in level.problems]
                yield level
    except ErrorflowError as error:
        search.problems.append(error.message)


def _once(found: Iterable[FoundFile]) -> Iterator[FoundFile]:
    seen: set[str] = set()
    for each in found:
        where = os.path.realpath(each.path)
        if where not in seen:
            seen.add(where)
            yield each
