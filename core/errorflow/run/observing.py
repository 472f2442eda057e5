"""Runs a model segment by segment and writes down every tensor of its main graph. Runs in a process of its own.

A segment is a model of a few nodes whose inputs are what others left; only what somebody still reads stays in memory.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_STORED, ZipFile

import numpy as np

from errorflow.base.errors import FileError
from errorflow.run.model import Array, RunError
from errorflow.run.parts import Parts, reads
from errorflow.run.sessions import OPTIMISATION, Arrays, run, runtime, session, told, type_proto, value_of

if TYPE_CHECKING:
    import onnx

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
        """How many bytes it takes."""
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
        """As many nodes as fit, going by what the last ones made; to be run one after the other."""
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
        """What nobody reads any more."""
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
