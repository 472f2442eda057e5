"""What was found, as a file."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from errorflow.base.errors import FormatError
from errorflow.base.sample import SAMPLES
from errorflow.compare.match.model import Match, Pair
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import Scale
from errorflow.compare.model import NOTHING, Comparison, Row
from errorflow.explain.stages.model import Stages, StageTensor
from errorflow.formats import read_model
from errorflow.graph.dump import TensorInfo
from errorflow.graph.qparams import QParams
from errorflow.report.bundle.found_file import (
    Absent,
    BundledResults,
    BundledTensor,
    PairFacts,
    found_of,
    is_below,
    kept_in,
    plain_found,
    told,
)
from errorflow.report.bundle.model import decoded, encoded

GRAPH = read_model(SAMPLES[0].model).graph
INFO = TensorInfo("x", "float16", (1, 2), 4, "NC1HWC0", (1, 2, 1, 1), 1, 7, QParams((0.5,), (3,)))


def test_nothing_of_a_pair_is_forgotten() -> None:
    assert [each.name for each in fields(PairFacts)] == [each.name for each in fields(Pair)]


def test_numbers_that_json_has_no_form_for_come_back() -> None:
    rows = (Row("x", INFO, None, {"cosine": float("nan"), "sqnr": float("inf"), "mse": -float("inf")}, "why"),)
    found = _back(Comparison(rows, "node", (_scale(),)), None)
    assert found.comparison is not None and repr(found.comparison.rows) == repr(rows)
    assert found.comparison.measure == "node" and found.comparison.scales[0].key == METRICS[0].key


def _scale() -> Scale:
    return Scale(**{each.name: getattr(METRICS[0], each.name) for each in fields(Scale)})


def test_pairs_come_back_with_all_that_is_told_of_them() -> None:
    pair = Pair("x", Absent(INFO), None, "name", "note", "origin", "NCHW", (1, 2), "node", "Conv", "speaker")
    match = Match((pair,), ("a",), ("b",), network_outputs=("c",))
    found = _back(Comparison((Row("x", INFO, None),)), match)
    assert found.match is not None and told(found.match.pairs[0]) == told(pair)
    assert (found.match.only_reference, found.match.network_outputs) == (("a",), ("c",))


def test_the_three_stages_come_back() -> None:
    row = Row("x", INFO, INFO, {"cosine": 0.5})
    tensor = StageTensor("x", "y", "z", row, None, row, "quantization", 0.25)
    stages = Stages((tensor,), "quantization", "It is quantization.", tensor, None, (tensor,))
    rows = decoded(encoded(plain_found(NOTHING, None, None, stages)).encode(), "results")
    assert found_of(rows, GRAPH).stages == stages


@pytest.mark.parametrize("key", ["comparison", "match", "blame", "stages"])
@pytest.mark.parametrize("value", [7, [], {}, {"rows": 3}, "x"])
def test_rubbish_is_a_sentence(key: str, value: object) -> None:
    rows = {**plain_found(NOTHING, None, None, None), key: value}
    with pytest.raises(FormatError):
        found_of(rows, GRAPH)


def test_a_tensor_is_looked_for_in_the_bundle_only(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones(3))
    rows = {"tensors": {"0 candidate": {"member": "x.npy"}, "1 candidate": {"member": "../x.npy"}, "2 candidate": 7}}
    finds = kept_in(tmp_path, rows)
    assert isinstance(finds(0, "candidate", INFO), BundledTensor)
    assert all(isinstance(finds(number, "candidate", INFO), Absent) for number in (1, 2, 3))


@pytest.mark.parametrize(("member", "below"), [("a/b.npy", True), ("", False), ("/a", False), ("a/../../b", False)])
def test_names_of_members_lead_nowhere_else(member: str, below: bool) -> None:
    assert is_below(member) == below


def _back(comparison: Comparison, match: Match | None) -> BundledResults:
    rows = decoded(encoded(plain_found(comparison, match, None, None)).encode(), "results")
    return found_of(rows, GRAPH)
