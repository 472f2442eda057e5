"""Introduced and inherited, from running nodes once more."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from onnx import TensorProto, helper

from errorflow.base.sample import SAMPLES, Sample
from errorflow.compare.match.any_runs import match_runs
from errorflow.compare.pairs import match_by_name
from errorflow.compare.split import split
from errorflow.explain.blame.model import ExactParts
from errorflow.formats import read_model, read_tensors
from errorflow.graph.model import Graph
from exact_parts import exact_parts
from onnx_models import graph, model, relu, value
from run_models import net, one_node, savez

Floats = NDArray[np.float32]
rng = np.random.default_rng(3)


@dataclass
class Case:
    """A model, its run, and a candidate made by disturbing what one node makes."""

    folder: Path
    proto: onnx.ModelProto
    x: Floats

    def runs(self, disturbed: str, amount: float) -> tuple[dict[str, Floats], dict[str, Floats]]:
        """Every tensor as it should be, and after that node's output was disturbed and passed on."""
        golden, mine = {"x": self.x}, {"x": self.x}
        for node in self.proto.graph.node:
            for run in (golden, mine):
                run[node.output[0]] = one_node(self.proto, node, run)
            if node.name == disturbed:
                noise = np.random.default_rng(1).standard_normal(mine[node.output[0]].shape, np.float32)
                mine[node.output[0]] = mine[node.output[0]] + np.float32(amount) * noise
        return golden, mine

    def parts(self, golden: Mapping[str, Floats], mine: Mapping[str, Floats]) -> tuple[Graph, ExactParts]:
        onnx.save(self.proto, self.folder / "m.onnx")
        savez(self.folder / "golden.npz", golden)
        savez(self.folder / "mine.npz", mine)
        shape = read_model(self.folder / "m.onnx").graph
        runs = read_tensors(self.folder / "golden.npz"), read_tensors(self.folder / "mine.npz")
        return shape, exact_parts(self.folder / "m.onnx", shape, match_runs(*runs, shape))


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path, net(), rng.standard_normal((1, 3, 4, 4), np.float32))


NODES = ("conv1", "relu1", "conv2", "add", "flatten", "gemm")


@pytest.mark.parametrize("disturbed", NODES)
def test_the_disturbed_node_introduces_all_and_those_behind_it_nothing(disturbed: str, case: Case) -> None:
    shape, parts = case.parts(*case.runs(disturbed, 0.2))
    assert parts.exact.all()
    guilty = shape.node_index(disturbed)
    assert guilty is not None
    assert parts.shares[guilty] == pytest.approx(1, abs=1e-5)
    before, behind = parts.shares[:guilty], parts.shares[guilty + 1 :]
    # Two libraries that compute in float32 differ in the last bit, which is all the error there is before.
    assert np.all(parts.accumulated[:guilty] < 1e-6), before
    assert np.all(np.abs(behind[parts.accumulated[guilty + 1 :] > 1e-3]) < 1e-4)
    assert np.all(parts.introduced[guilty + 1 :] < 1e-5)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6, width=32), min_size=3, max_size=30),
    st.floats(-1e3, 1e3, width=32),
    st.floats(-1e3, 1e3, width=32),
)
def test_the_shares_sum_to_one(values: list[float], added: float, passed: float) -> None:
    golden = np.array(values, np.float64)
    wave = np.cos(np.arange(len(values)))
    again = golden + passed * wave
    mine = again + added
    found = split(mine, again, golden)
    turned = split(again, mine, golden)  # the same parts the other way round of another error
    error = mine - golden
    power = float(error @ error)
    if not power:
        assert np.isnan(found.share)
        return
    inherited = float((again - golden) @ error) / power
    assert found.share + inherited == pytest.approx(1, abs=1e-9)
    assert turned.introduced == found.introduced


def test_large_tensors_are_split_as_small_ones() -> None:
    golden, noise = rng.standard_normal((2, 600_000))
    found = split(golden + 2 * noise, golden + noise, golden)
    assert found.share == pytest.approx(0.5)
    assert found.accumulated == pytest.approx(2 * found.inherited)


@pytest.mark.parametrize(
    ("mine", "again", "share", "accumulated"),
    [
        ([np.nan, 1], [1, 1], 1.0, np.inf),
        ([np.nan, 1], [np.nan, 1], 0.0, np.inf),
        ([np.inf, 1], [1, 1], 1.0, np.inf),
        ([1, 1], [1, 1], np.nan, 0.0),
    ],
)
def test_what_is_not_finite_is_an_error_without_end(
    mine: list[float], again: list[float], share: float, accumulated: float
) -> None:
    found = split(np.array(mine), np.array(again), np.array([1.0, 1.0]))
    assert found.share == pytest.approx(share, nan_ok=True)
    assert found.accumulated == accumulated


def test_what_the_candidate_fused_is_judged_together(case: Case) -> None:
    golden, mine = case.runs("conv1", 0.2)
    del mine["c1"]
    _, parts = case.parts(golden, mine)
    assert not parts.exact[0] and parts.exact[1]
    assert parts.notes[1] == "judged together with conv1: nobody dumped what they make"
    assert parts.shares[1] == pytest.approx(1, abs=1e-5)


def test_without_the_input_nothing_is_exact_that_needs_it(case: Case) -> None:
    golden, mine = case.runs("conv2", 0.2)
    del mine["x"]
    _, parts = case.parts(golden, mine)
    assert parts.exact.tolist() == [False, True, True, True, True, True]
    assert parts.notes[0] == "what it reads, x, is not in the dump"


def test_tensors_of_another_shape_cost_their_node_only(case: Case) -> None:
    golden, mine = case.runs("conv2", 0.2)
    mine["f"] = mine["f"][:, :7]
    _, parts = case.parts(golden, mine)
    assert parts.exact.tolist() == [True, True, True, True, False, False]
    assert "shape" in parts.notes[4].lower()


def test_a_node_that_cannot_run_does_not_cost_the_others(tmp_path: Path) -> None:
    """On the candidate's shape values, Reshape fails."""
    nodes = [
        relu("x", "a", "relu"),
        helper.make_node("Reshape", ["a", "shape"], ["b"], "reshape"),
        helper.make_node("Neg", ["a"], ["n"], "neg"),
    ]
    inputs = [value("x", (4,)), value("shape", (1,), TensorProto.INT64)]
    onnx.save(
        model(graph(*nodes, inputs=inputs, outputs=[value("b", None), value("n", (4,))]), ir_version=10),
        tmp_path / "m.onnx",
    )
    x = np.arange(4, dtype=np.float32)
    run = {"x": x, "a": x, "b": x, "n": -x}
    savez(tmp_path / "golden.npz", {"shape": np.array([4]), **run})
    savez(tmp_path / "mine.npz", {"shape": np.array([3]), **run})
    shape = read_model(tmp_path / "m.onnx").graph
    match = match_by_name(read_tensors(tmp_path / "golden.npz"), read_tensors(tmp_path / "mine.npz"))
    parts = exact_parts(tmp_path / "m.onnx", shape, match)
    assert parts.exact.tolist() == [True, False, True]
    assert "cannot run" in parts.notes[1]


def test_a_node_that_reads_bfloat16_runs(tmp_path: Path) -> None:
    """Files of arrays hold it as float32."""
    cast = helper.make_node("Cast", ["x"], ["y"], "cast", to=TensorProto.FLOAT)
    main = graph(cast, inputs=[value("x", (3,), TensorProto.BFLOAT16)], outputs=[value("y", (3,))])
    onnx.save(model(main, ir_version=10), tmp_path / "m.onnx")
    right = np.array([1, 2, 4], np.float32)
    savez(tmp_path / "golden.npz", {"x": right, "y": right})
    savez(tmp_path / "mine.npz", {"x": right + 1, "y": right + 1})
    match = match_by_name(read_tensors(tmp_path / "golden.npz"), read_tensors(tmp_path / "mine.npz"))
    parts = exact_parts(tmp_path / "m.onnx", read_model(tmp_path / "m.onnx").graph, match)
    assert parts.exact.all()
    assert parts.introduced.tolist() == [0]
    assert parts.inherited[0] > 0.1


@pytest.mark.parametrize("kind", ["If", "RandomNormalLike", "own"])
def test_what_cannot_be_repeated_says_why(kind: str, tmp_path: Path) -> None:
    node = {
        "If": helper.make_node(
            "If",
            ["c"],
            ["y"],
            "n",
            then_branch=graph(relu("x", "t"), outputs=[value("t")]),
            else_branch=graph(relu("x", "e"), outputs=[value("e")]),
        ),
        "RandomNormalLike": helper.make_node("RandomNormalLike", ["x"], ["y"], "n"),
        "own": helper.make_node("Own", ["x"], ["y"], "n", domain="own"),
    }[kind]
    inputs = [value("x"), value("c", (), TensorProto.BOOL)]
    made = model(graph(node, inputs=inputs, outputs=[value("y")]), {"": 17, "own": 1}, ir_version=10)
    onnx.save(made, tmp_path / "m.onnx")
    run = {"x": np.ones(2, np.float32), "y": np.ones(2, np.float32), "c": np.array(True)}
    savez(tmp_path / "run.npz", run)
    savez(tmp_path / "other.npz", run)
    shape = read_model(tmp_path / "m.onnx").graph
    match = match_by_name(read_tensors(tmp_path / "run.npz"), read_tensors(tmp_path / "other.npz"))
    parts = exact_parts(tmp_path / "m.onnx", shape, match)
    assert not parts.exact.any()
    assert (
        parts.notes[0]
        == {
            "If": "If has branches or a body of its own",
            "RandomNormalLike": "RandomNormalLike makes random values",
            "own": "ONNX Runtime does not know own:Own",
        }[kind]
    )


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
def test_every_node_of_the_samples_is_exact(sample: Sample) -> None:
    shape = read_model(sample.model).graph
    match = match_runs(read_tensors(sample.reference_run), read_tensors(sample.candidate_run), shape)
    parts = exact_parts(sample.model, shape, match)
    assert parts.exact.all()
    assert dict(parts.notes) == {}
    assert np.isfinite(parts.accumulated).all()


@pytest.mark.parametrize("key", ["node_fault", "cosine_cries"])
def test_the_planted_culprit_introduces_most(key: str) -> None:
    sample = next(row for row in SAMPLES if row.key == key)
    shape = read_model(sample.model).graph
    match = match_runs(read_tensors(sample.reference_run), read_tensors(sample.candidate_run), shape)
    parts = exact_parts(sample.model, shape, match)
    (culprit,) = sample.truth().culprits[:1]
    worst = int(np.argmax(parts.introduced))
    assert shape.node_names[worst] == culprit
    assert parts.shares[worst] > 0.95
    assert np.sort(parts.introduced)[-2] < 0.05
