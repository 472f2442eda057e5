"""Tensors to be looked at that need no file."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorflow.base.sample import SAMPLES
from errorflow.compare import compare_match
from errorflow.compare.match.model import Match, Pair
from errorflow.compare.pairs import match_by_name
from errorflow.explain.findings.model import Findings
from errorflow.explain.inspect.tensors import Tensors
from errorflow.formats import read_model, read_tensors
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph, Model
from errorflow.graph.qparams import QParams


@dataclass(frozen=True)
class Held:
    """An array that stands for one in a file."""

    values: NDArray[np.generic]
    qparams: QParams | None = None
    name: str = "x"
    path: str = "held"

    @property
    def info(self) -> TensorInfo:
        values = self.values
        return TensorInfo(self.name, values.dtype.name, values.shape, values.nbytes, qparams=self.qparams)

    def read(self) -> NDArray[np.generic]:
        return self.values


def both(reference: NDArray[np.generic], candidate: NDArray[np.generic], name: str = "x") -> Tensors:
    """Two sides of the same shape."""
    return Tensors(name, reference, candidate, reference.shape, together=True)


def pair(
    reference: NDArray[np.generic] | None, candidate: NDArray[np.generic] | None, qparams: QParams | None = None
) -> Pair:
    return Pair(
        "x", None if candidate is None else Held(candidate, qparams), None if reference is None else Held(reference)
    )


@dataclass(frozen=True, eq=False)
class Opened:
    """A sample with all that was compared."""

    model: Model
    match: Match
    findings: Findings

    @property
    def graph(self) -> Graph:
        return self.model.graph

    def tensor(self, name: str) -> int:
        found = self.graph.tensor_index(name)
        assert found is not None
        return found

    def node(self, name: str) -> int:
        found = self.graph.node_index(name)
        assert found is not None
        return found


def opened_sample(key: str) -> Opened:
    row = next(each for each in SAMPLES if each.key == key)
    match = match_by_name(read_tensors(row.reference_run), read_tensors(row.candidate_run))
    model = read_model(row.model)
    return Opened(model, match, Findings.of(model.graph, compare_match(match)))
