"""Two runs without fusion rules: by names of tensors, of operators with a model, and of files."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from errorflow.base.errors import FormatError
from errorflow.compare.match.any_runs import match_runs
from errorflow.compare.match.model import Match
from errorflow.graph.build import GraphBuilder
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph, Problem
from match_runs import Seen, seen


@dataclass(frozen=True)
class Named:
    """A run of which only the names matter."""

    all: Sequence[str]
    broken: frozenset[str] = frozenset()
    label: str = "run"
    problems: Sequence[Problem] = field(default=())

    def names(self) -> Sequence[str]:
        return self.all

    def info(self, name: str) -> TensorInfo:
        return self.stored(name).info

    def read(self, name: str) -> NDArray[np.generic]:
        return self.stored(name).read()

    def stored(self, name: str) -> Seen:
        if name in self.broken:
            raise FormatError(f"{name} is broken.", "")
        return seen(name, name)


def model() -> Graph:
    builder = GraphBuilder()
    for name, shape in (("x", (1,)), ("y/1", (1,)), ("z", (1,))):
        builder.tensor(name, "float32", shape)
    builder.input("x")
    builder.node("Relu", ["x"], ["y/1"], name="scope/relu")
    builder.node("Add", ["y/1"], ["z"], name="add")
    builder.output("z")
    return builder.build()


def shown(match: Match) -> list[tuple[str, str, str]]:
    return [
        (
            "" if pair.candidate is None else pair.candidate.info.name,
            "" if pair.reference is None else pair.reference.info.name,
            pair.rule,
        )
        for pair in match.pairs
    ]


@pytest.mark.parametrize(
    ("mine", "golden", "rule"),
    [
        ("a", "a", "tensor-name"),
        ("scope/a:0", "scope_a_0", "written-name"),
        ("conv1", "conv1.0", "written-name"),
        ("a.b.0", "a_b_0", "written-name"),
    ],
)
def test_names_that_mean_the_same_are_paired(mine: str, golden: str, rule: str) -> None:
    assert shown(match_runs(Named([golden]), Named([mine]))) == [(mine, golden, rule)]


def test_names_that_could_mean_several_are_not(tmp_path: object) -> None:
    match = match_runs(Named(["a/b", "a.b"]), Named(["a_b"]))

    assert shown(match) == [("", "a/b", ""), ("", "a.b", ""), ("a_b", "", "")]
    assert (match.only_reference, match.only_candidate) == (("a/b", "a.b"), ("a_b",))


def test_an_exact_name_goes_first() -> None:
    assert shown(match_runs(Named(["a_b", "a.b"]), Named(["a.b", "a_b"])))[0] == ("a_b", "a_b", "tensor-name")


def test_a_model_finds_tensors_by_their_operators_and_gives_the_order() -> None:
    match = match_runs(Named(["add.0", "scope_relu.0", "x"]), Named(["x", "y/1", "z"]), model())

    assert shown(match) == [
        ("y/1", "scope_relu.0", "operator-name"),
        ("z", "add.0", "operator-name"),
        ("x", "x", "tensor-name"),
    ]
    assert [(pair.node, pair.op_type) for pair in match.pairs] == [("scope/relu", "Relu"), ("add", "Add"), ("", "")]
    assert match.network_outputs == ("z",)


def test_a_file_that_is_broken_is_noted() -> None:
    match = match_runs(Named(["a"], frozenset({"a"})), Named(["a"]))

    assert [(pair.note, pair.reference) for pair in match.pairs] == [("a is broken.", None)]
