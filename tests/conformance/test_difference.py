"""What a real compiler recorded, against an original model with the names that it recorded."""

from pathlib import Path

import pytest

from errorflow.explain.difference.link import is_candidate, link
from errorflow.explain.difference.table import Differences, differences
from errorflow.formats import read
from errorflow.graph.model import Graph, Model
from graph_pairs import graph

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "ascend"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the vendor's files are not beside the repository")

ORIGINAL = graph(
    ("Conv", "conv1", "data w1", "c"),
    ("BatchNormalization", "bn1", "c w2", "b"),
    ("Mul", "scale1", "b w3", "m"),
    ("Relu", "relu1", "m", "r"),
    ("MaxPool", "pool1", "r", "p"),
    ("Split", "split", "p", "s0 s1"),
    ("Gemm", "fc1", "s0 w4", "f"),
    ("Mul", "mA", "data w5", "ma"),
    ("Add", "mB", "ma w6", "mb"),
    ("Relu", "s", "data", "sl"),
    ("Identity", "dead", "s1", "nothing"),
    inputs=("data",),
    outputs=("f", "mb", "sl"),
)


@pytest.fixture(scope="module")
def compiled() -> Graph:
    model = read(FOLDER / "s1_fusion.json")
    assert isinstance(model, Model)
    return model.graph


@pytest.fixture(scope="module")
def found(compiled: Graph) -> Differences:
    return differences(link(ORIGINAL, compiled))


def _named(found: Differences, kind: str) -> list[tuple[str, str]]:
    return [found.names(row) for row in found.rows if row.kind == kind]


def test_the_compiled_model_is_the_candidate(compiled: Graph) -> None:
    assert is_candidate(compiled, ORIGINAL)


def test_what_was_fused_split_and_regrouped_is_found(found: Differences) -> None:
    assert _named(found, "merged") == [("conv1, bn1, scale1, relu1", "conv1")]
    assert _named(found, "split") == [("s", "s_1, s_2")]
    assert _named(found, "regrouped") == [("mA, mB", "m_1, m_2")]
    assert all(row.certain for row in found.rows)


def test_conversions_of_the_compiler_are_inserted(found: Differences) -> None:
    reasons = {found.names(row)[1]: row.reason for row in found.rows if row.kind == "inserted"}

    assert reasons["trans_Cast_0"] == "change of type"
    assert reasons["trans_TransData_1"] == "change of layout"
    assert "conv1_w" not in reasons
    assert _named(found, "removed") == [("dead", "")]


def test_layouts_that_the_compiler_chose_are_changes(found: Differences) -> None:
    changes = {found.names(row)[0]: found.what(row) for row in found.rows if row.kind == "changed"}

    assert changes["fc1"] == "layout NCHW → FRACTAL_NZ"
