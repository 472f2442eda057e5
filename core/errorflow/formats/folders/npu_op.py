"""One operator in a folder of NPU dumps: its newest file, or the pieces that several threads left behind."""

from pathlib import Path
from typing import Literal, Self

from errorflow.base.files import Source
from errorflow.base.values import dataclass
from errorflow.formats.folders.pieces import joined
from errorflow.formats.npu.file import NpuFile, NpuStored
from errorflow.formats.npu.names import DumpName
from errorflow.graph.dump import Stored
from errorflow.graph.model import Problem

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
