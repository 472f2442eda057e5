"""Sizes of the parts of a bundle, before anything is written, and tensors of a node."""

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from math import prod
from pathlib import Path, PurePath

import numpy as np

from errorflow.base.arrays import Ints
from errorflow.base.files import is_file, is_folder
from errorflow.base.values import dataclass
from errorflow.case.model import Case
from errorflow.case.scenarios.setup import is_model
from errorflow.case.session.model import Session
from errorflow.explain.inspect.choices import node_choices
from errorflow.graph.dump import TensorInfo

# A header of .npy and what an archive says of a file.
_HEAD = 300
_WORDS = {"bfloat16": 4, "bool": 1, "int4": 1, "uint4": 1}
# Needs whose files are models, in the order in which they are told.
_MODELS = ("model", "original", "quantized", "fusion", "closed_fusion", "quantization")
_FED = ("inputs", "samples")
# How a file of inputs is called that lies beside models and runs.
_BESIDE = ("inputs.npz", "input.npz")
_RUNS = ("candidate", "reference", "simulator")
_ENDINGS = (".onnx", ".om", ".prototxt", ".pbtxt", ".caffemodel", ".json", ".onnxtxt", ".textproto")
# Files that are taken of a folder of inputs.
MOST_INPUTS = 10_000


@dataclass(frozen=True, eq=False)
class BundleSizes:
    """Sizes of one case."""

    case: Case

    @cached_property
    def worst_first(self) -> Ints:
        """Nodes that have tensors, those that are to blame first."""
        blame = self.case.blame
        if self.case.findings is None or self.case.match is None:
            return np.zeros(0, np.int32)
        known = np.flatnonzero(self.case.findings.is_measured)
        if blame is None:
            return known.astype(np.int32)
        shares = np.nan_to_num(blame.blame_shares)
        introduced = np.nan_to_num(blame.introduced[known], nan=-1.0, posinf=1e30)
        order = np.lexsort((-introduced, -blame.verdicts[known].astype(int), -shares[known]))
        return known[order].astype(np.int32)

    def numbers(self, nodes: Iterable[int]) -> tuple[int, ...]:
        """Lists the pairs whose tensors these nodes make and read, in order."""
        found: set[int] = set()
        match = self.case.match
        for node in nodes:
            for choice in node_choices(self.case.model.graph, node, self.case.findings, match):
                if choice.pair is not None and choice.number is not None and not choice.lack:
                    found.add(choice.number)
        return tuple(sorted(found))

    def of_pairs(self, numbers: Iterable[int]) -> int:
        """Sums both sides of each pair."""
        match = self.case.match
        if match is None:
            return 0
        sides = (side for number in numbers for side in (match.pairs[number].candidate, match.pairs[number].reference))
        return sum(bytes_of(side.info) + _HEAD for side in sides if side is not None)

    def of_node(self, node: int) -> int:
        return self.of_pairs(self.numbers((node,)))

    @cached_property
    def models(self) -> tuple[Path, ...]:
        """Files with weights, with those that lie beside them."""
        return tuple(dict.fromkeys(_models(self.case)))

    @cached_property
    def inputs(self) -> tuple[Path, ...]:
        """Files that models were fed with."""
        return tuple(self.input_ways)

    @cached_property
    def input_ways(self) -> Mapping[Path, PurePath]:
        """The same with the way to each: where a folder was given, from that on."""
        return dict(_inputs(self.case.session))


def bytes_of(info: TensorInfo) -> int:
    """Computes the bytes of a tensor in a file of its own."""
    return max(prod(info.shape) * _itemsize(info.dtype), 0)


def _itemsize(dtype: str) -> int:
    try:
        return int(np.dtype(dtype).itemsize)
    except (TypeError, ValueError, SyntaxError):  # numpy reads more than names
        return _WORDS.get(dtype, 4)


def size_of(paths: Iterable[Path]) -> int:
    """Sums the sizes of files that may be gone by now."""
    total = 0
    for path in paths:
        try:
            total += path.stat().st_size
        except OSError:
            continue
    return total


def uses_of(session: Session) -> Iterator[tuple[str, Path]]:
    """Every file and folder that a session names, with what it is for."""
    seen: set[Path] = set()
    setup, simulation = session.setup, session.simulation
    named: list[tuple[str, Path | None]] = [] if setup is None else list(setup.files.items())
    named += [("model", session.model), ("second graph", session.second), ("compared with", session.since)]
    if simulation is not None:
        basis = simulation.basis
        named += [("samples", Path(text)) for text in (*basis.asked.paths, *basis.others)]
        named += [("calibration", basis.calibration), ("float model", basis.reference)]
    named += [("labels", session.labelled.labels), ("evaluator", session.labelled.evaluator)]
    for use, path in named:
        if path is not None and path not in seen:
            seen.add(path)
            yield use, path


def _models(case: Case) -> Iterator[Path]:
    for use, path in uses_of(case.session):
        holds_model = use in (*_MODELS, "second graph", "float model") or (use in _RUNS and is_model(path))
        if holds_model and is_file(path) and path.suffix.lower() in _ENDINGS:
            yield path
    model = case.model
    places = {model.graph.weights.info(name).location for name in model.graph.weights.names()} - {""}
    for place in sorted(places):
        beside = model.path.parent / place
        if Path(place).name == place and is_file(beside):
            yield beside


def input_folders(session: Session) -> tuple[Path, ...]:
    """Lists folders that were given as a whole."""
    return tuple(path for use, path in uses_of(session) if use in _FED and is_folder(path))


def fed_files(session: Session) -> tuple[Path, ...]:
    """Lists files and folders that models were fed with: those that the session names, else one that lies by its name
    beside.

    Runs are dumped with their inputs there, and a comparison of dumps names none.
    """
    named = [path for use, path in uses_of(session) if use in _FED]
    if named or session.setup is None or "quantized" in session.setup.files:
        return tuple(named)
    around = dict.fromkeys(path.parent for path in session.setup.files.values())
    beside = (folder / name for folder in around for name in _BESIDE)
    return tuple(path for path in beside if is_file(path))[:1]


def _inputs(session: Session) -> Iterator[tuple[Path, PurePath]]:
    for path in fed_files(session):
        if is_folder(path):
            yield from ((file, file.relative_to(path.parent)) for file in _listed(path))
        elif is_file(path):
            yield path, PurePath(path.name)


def _listed(folder: Path) -> list[Path]:
    found: list[Path] = []
    for here, _, names in os.walk(folder):
        found += [Path(here, name) for name in sorted(names)]
        if len(found) > MOST_INPUTS:
            break
    return found[:MOST_INPUTS]
