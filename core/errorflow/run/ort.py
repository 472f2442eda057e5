"""Runs a model with ONNX Runtime, in a process of its own: a model that crashes or hangs costs its own run only."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_STORED, ZipFile

import numpy as np

from errorflow.base.errors import ErrorflowError, FileError
from errorflow.base.files import replacing
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass
from errorflow.base.workers import MEMORY_BYTES, run_apart
from errorflow.graph.model import Graph, Problem
from errorflow.run.model import Array, Inputs, Ran, RunError, plain_facts
from errorflow.run.parts import Parts, reads
from errorflow.run.sessions import OPTIMISATION, Arrays, run, runtime, session, told, type_proto, value_of

if TYPE_CHECKING:
    import onnx


# Seconds; who waits can see that it goes on, and cancel.
TIMEOUT = 4 * 3600.0
# What the process may take beyond its usual limit, in multiples of the weights: they are there several times.
WEIGHTS = 4


@dataclass(frozen=True, slots=True)
class OnnxRuntime:
    """A `Runner`. With one thread the same inputs give the same bits every time."""

    threads: int = 1
    # Of operators that make random numbers.
    seed: int = 0
    # How many nodes the model has, for the progress, and how many bytes of weights.
    nodes: int = 0
    weights: int = 0

    @classmethod
    def of(cls, graph: Graph, threads: int = 1) -> "OnnxRuntime":
        """Opens ONNX Runtime for this model."""
        return cls(threads, nodes=len(graph), weights=weights_of(graph))

    def run(self, model: Path, inputs: Inputs, target: Path, progress: Progress = SILENT) -> Ran:
        """Writes the .npz `target`, which is there when all of it is."""
        text = f"Running {model.name}"
        with TemporaryDirectory(prefix="errorflow-") as place, replacing(target) as beside:
            folder = Path(place)
            save_arrays(folder / "inputs.npz", inputs.arrays)
            with _refused():
                answer = run_apart(
                    observe,
                    str(model),
                    str(folder / "inputs.npz"),
                    str(beside),
                    str(folder / "meter"),
                    self.threads,
                    self.seed,
                    text=text,
                    progress=_Meter(progress, folder / "meter", self.nodes),
                    timeout=TIMEOUT,
                    memory=MEMORY_BYTES + WEIGHTS * self.weights,
                )
        return _ran(answer, inputs, target)


@contextmanager
def _refused() -> Iterator[None]:
    """Raises again what was a `RunError` in the other process: only a few kinds of error come across."""
    try:
        yield
    except ErrorflowError as error:
        if type(error) is not ErrorflowError:
            raise
        raise RunError(error.message, error.hint) from error.__cause__


def can_run() -> bool:
    """Whether ONNX Runtime is installed; it is not loaded for that."""
    return find_spec("onnxruntime") is not None


def weights_of(graph: Graph) -> int:
    """Bytes of all constants of the main graph, also of those beside the model."""
    return sum(graph.weights.info(name).nbytes for name in graph.weights.names())


def save_arrays(path: Path, arrays: Mapping[str, Array]) -> None:
    """Saves arrays as numpy.savez does, which takes a name such as `file` for an argument of its own."""
    try:
        with ZipFile(path, "x", ZIP_STORED) as archive:
            for name, array in arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, array, allow_pickle=False)
    except OSError as error:
        raise FileError(f"{path.name} could not be written: {error.strerror}.", "Free some space.") from error


def _ran(answer: Mapping[str, Any], inputs: Inputs, target: Path) -> Ran:
    notes = (*(Problem(note) for note in inputs.notes), *(Problem(text, name) for name, text in answer["notes"]))
    return Ran(target, int(answer["tensors"]), notes, plain_facts(answer["facts"]), inputs.made_up)


@dataclass(frozen=True, slots=True)
class _Meter:
    """A progress that reads how far the other process is from the length of a file."""

    progress: Progress
    file: Path
    total: int

    def step(self, done: int, total: int, text: str) -> None:  # noqa: ARG002 - as every progress is called
        count = 0
        with suppress(OSError):  # the process has not begun yet
            count = self.file.stat().st_size
        self.progress.step(min(count, self.total), self.total, text)


# Runs a model segment by segment and writes down every tensor of its main graph. Runs in a process of its own.
#
# A segment is a model of a few nodes whose inputs are what others left; only what somebody still reads stays in
# memory.

# Nodes of the first segment, and of any: a session costs about a millisecond.
FIRST, MOST = 4, 64
# What the nodes of one segment may make, judged by those before.
SEGMENT_BYTES = 64 << 20


def observe(model: str, inputs: str, target: str, meter: str, threads: int, seed: int) -> dict[str, Any]:
    """Writes the .npz `target`; a byte in the file `meter` per node says how far it is.

    `inputs` is an .npz with the arrays.
    """
    path = Path(model)
    library = runtime()
    library.set_seed(seed)
    parts = Parts.load(path)
    parts.check_operators()
    with np.load(inputs, allow_pickle=False) as archive:
        given = {name: archive[name] for name in archive.files}
    try:
        with told(path), ZipFile(target, "x", ZIP_STORED) as archive:
            writer = _Writer(archive)
            _run_all(_Run(parts, threads, writer), given, Path(meter))
    except OSError as error:
        raise FileError(
            f"The run of {path.name} could not be written: {error.strerror}.",
            "Choose another folder or free some space.",
        ) from error
    facts = {"ONNX Runtime": library.__version__, "optimisation": OPTIMISATION, "threads": str(threads)}
    return {"tensors": writer.count, "notes": writer.notes, "facts": facts}


def _run_all(work: "_Run", given: Mapping[str, Array], meter: Path) -> None:
    work.feed(given)
    with meter.open("ab", buffering=0) as done:
        for nodes in work.segments():
            work.run(nodes)
            done.write(b"." * len(nodes))


class _Writer:
    """Arrays into the archive, each as soon as it is there."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive
        self._arrays = Arrays()
        self._names: set[str] = set()
        self.count = 0
        self.notes: list[list[str]] = []

    def put(self, name: str, value: Any) -> int:
        """Writes a value; returns how many bytes it takes."""
        found = self._arrays.of(value)
        if isinstance(found, str):
            self.notes.append([name, f"{name} was left out: {found}."])
            return 0
        self.put_array(name, found)
        return found.nbytes

    def put_array(self, name: str, array: Array) -> None:
        if name in self._names:
            return
        self._names.add(name)
        with self._archive.open(f"{name}.npy", "w", force_zip64=True) as file:
            np.lib.format.write_array(file, array, allow_pickle=False)
        self.count += 1


class _Run:
    """The values that are still needed, while the segments run one after the other."""

    def __init__(self, parts: Parts, threads: int, writer: _Writer) -> None:
        self._parts, self._threads, self._writer = parts, threads, writer
        self._values: dict[str, Any] = {}
        # By the last segment.
        self._made_bytes = 0
        self._readers: dict[str, int] = {}
        for node in parts.nodes:
            for name in reads(node):
                self._readers[name] = self._readers.get(name, 0) + 1

    def feed(self, given: Mapping[str, Array]) -> None:
        """The inputs, which are tensors of the run as well."""
        from onnx import TensorProto

        for value in self._parts.model.graph.input:
            if value.name in given:
                is_bfloat = value.type.tensor_type.elem_type == TensorProto.BFLOAT16
                self._values[value.name] = value_of(given[value.name], "bfloat16" if is_bfloat else "")
                self._writer.put_array(value.name, given[value.name])

    def segments(self) -> "Iterator[Sequence[onnx.NodeProto]]":
        """Yields as many nodes as fit, going by what the last ones made; to be run one after the other."""
        nodes, start, count = self._parts.nodes, 0, FIRST
        while start < len(nodes):
            yield nodes[start : start + count]
            start += count
            fitting = SEGMENT_BYTES * count // max(self._made_bytes, 1)
            count = max(1, min(fitting, 2 * count, MOST))

    def run(self, nodes: "Sequence[onnx.NodeProto]") -> None:
        made = [name for node in nodes for name in node.output if name]
        wanted = [name for node in nodes for name in reads(node)]
        fed = {name: self._values[name] for name in dict.fromkeys(wanted) if name in self._values}
        constants = [name for name in dict.fromkeys(wanted) if name not in fed and name not in made]
        model = self._parts.build(nodes, [_info(name, value) for name, value in fed.items()], made, constants)
        found = run(session(model, self._parts.path.parent, self._threads), fed, made)
        self._made_bytes = 0
        for name, value in zip(made, found, strict=True):
            self._made_bytes += self._writer.put(name, value)
            self._values[name] = value
        self._forget(wanted, made)

    def _forget(self, wanted: Sequence[str], made: Sequence[str]) -> None:
        """Forgets what is read no more."""
        for name in wanted:
            self._readers[name] -= 1
        for name in (*wanted, *made):
            if not self._readers.get(name):
                self._values.pop(name, None)


def _info(name: str, value: Any) -> "onnx.ValueInfoProto":
    """A tensor that another segment made, as an input."""
    from onnx import helper

    kind = type_proto(value.data_type(), value.shape() if value.is_tensor() else None)
    if kind is None:
        raise RunError(
            f"{name} is no tensor but {value.data_type()}, and other nodes read it.",
            "Run the model elsewhere, save all tensors with numpy.savez and compare that.",
        )
    return helper.make_value_info(name, kind)
