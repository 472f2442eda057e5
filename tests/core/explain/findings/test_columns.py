"""What the list of nodes says after a comparison, and in which order."""

from dataclasses import replace

import numpy as np
import pytest

from core.explain.findings.test_select import NODES, findings, with_shares
from errorflow.compare.model import Comparison, Row
from errorflow.explain.findings.columns import COLUMNS, NodeColumn, Sheet, sorted_by
from errorflow.explain.findings.model import Findings

each = pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.key)


def sheet(metric: str = "relative_l2", with_blame: bool = True) -> Sheet:
    known = findings(with_blame)
    return Sheet(with_shares(known) if with_blame else known, metric, {})


def texts(key: str, on: Sheet) -> list[str]:
    column = next(column for column in COLUMNS if column.key == key)
    return [column.text(on, node) for node in range(len(on))]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("accumulated", ["0.0010", "0.2000", "2.0000", "NaN", "", ""]),
        ("verdict", ["clean", "origin", "amplifier", "carrier", "", ""]),
        ("introduced", ["0.0010", "0.2000", "0.5000", "0.0000", "", ""]),
        ("share", ["hardly", "likely", "hardly", "", "possible", ""]),
        ("introduced_share", ["100 %", "90 %", "30 %", "0 %", "", ""]),
        ("states", ["", "infinite", "saturated, sign flipped", "NaN", "not comparable", "missing"]),
        ("quantized", ["", "", "yes", "yes", "", ""]),
        ("rule", [*["same tensor name"] * 4, "", ""]),
    ],
)
def test_a_cell_says_what_is_known(key: str, expected: list[str]) -> None:
    assert texts(key, sheet()) == expected


@pytest.mark.parametrize(
    ("share", "expected"), [(-0.004, "0 %"), (-0.0, "0 %"), (-0.25, "0 %"), (1.009, "100 %"), (0.254, "25 %")]
)
def test_a_share_that_is_as_good_as_none_has_no_sign(share: float, expected: str) -> None:
    known = findings()
    assert known.blame is not None
    shares = np.full(len(NODES), share, known.blame.shares.dtype)
    on = Sheet(replace(known, blame=replace(known.blame, shares=shares)), "relative_l2", {})
    assert texts("introduced_share", on)[0] == expected


@pytest.mark.parametrize("metric", ["relative_l2", "cosine"])
def test_the_worst_are_first_and_what_is_no_number_is_worst(metric: str) -> None:
    on = sheet(metric, with_blame=False)
    assert [NODES[node] for node in on.worst_first] == ["conv2", "quant", "relu1", "conv1"]


def test_who_is_to_blame_comes_before_what_is_worst_measured_or_not() -> None:
    assert [NODES[node] for node in sheet().worst_first] == ["relu1", "softmax", "quant", "conv2", "conv1"]


def test_the_column_of_blame_sorts_as_the_worst_are_and_says_of_which_error() -> None:
    on, column = sheet(), next(column for column in COLUMNS if column.key == "share")
    order = sorted_by(column.keys(on), descending=True)
    assert [NODES[node] for node in order[:4]] == ["relu1", "softmax", "quant", "conv1"]
    assert column.tip_text(on, 1) == "likely" and column.exact(on, 1) == 0.754


def test_badness_is_nan_only_where_nothing_was_measured() -> None:
    assert np.isnan(sheet().badness).tolist() == [False] * 4 + [True] * 2
    assert sheet().badness[:4].tolist() == [0.0, pytest.approx(0.602, abs=1e-3), 1.0, 1.0]


@each
def test_every_column_has_a_key_for_every_node_and_none_where_it_says_nothing(column: NodeColumn) -> None:
    on = sheet()
    keys = column.keys(on)
    assert keys.shape == (len(NODES),)
    assert [not column.text(on, node) for node in range(len(on))] == np.isnan(keys).tolist()


@each
def test_every_column_can_be_asked_without_verdicts(column: NodeColumn) -> None:
    on = sheet(with_blame=False)
    assert len(column.keys(on)) == len([column.text(on, node) for node in range(len(on))]) == len(NODES)


@each
def test_what_nothing_is_known_of_is_last_in_either_direction(column: NodeColumn) -> None:
    keys = column.keys(sheet())
    known = int((~np.isnan(keys)).sum())
    for descending in (False, True):
        assert not np.isnan(keys[sorted_by(keys, descending=descending)[:known]]).any()


def test_the_metric_on_view_is_the_title_and_its_tooltip_says_all_of_it() -> None:
    column = COLUMNS[0]
    assert column.title_on(sheet("cosine")) == "Cosine similarity"
    assert column.tip_on(sheet("cosine")) == "accumulated · Cosine similarity · Σ r·c / (√Σ r² · √Σ c²)"
    assert (column.worst_is_large(sheet("cosine")), column.worst_is_large(sheet())) == (False, True)


def test_a_value_that_is_none_is_worse_than_an_infinite_one() -> None:
    rows = tuple(Row(f"t{node}", None, None, {"relative_l2": value}) for node, value in ((0, np.inf), (1, np.nan)))
    on = Sheet(Findings.of(findings().graph, Comparison(rows)), "relative_l2", {})
    assert on.worst_first.tolist() == [1, 0]
    assert sorted_by(on.keys, descending=True).tolist()[:2] == [1, 0]


def test_the_tooltip_of_a_verdict_says_how_it_was_found() -> None:
    sheet = Sheet(findings(), "cosine", {})
    verdict = next(column for column in COLUMNS if column.key == "verdict")

    assert (verdict.text(sheet, 1), verdict.tip_text(sheet, 1)) == ("origin", "origin (estimated)")
    assert verdict.tip_text(sheet, 4) == ""
