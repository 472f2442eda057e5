"""Curves as a table, and in words."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curve_values import INF, NAN, curve_of, curves_of
from errorflow.report.curve_csv import HEAD, curves_csv
from errorflow.report.curve_lines import curve_lines
from errorflow.study.rank.curves import Curves

NUMBERS = st.floats(-1e300, 1e300) | st.sampled_from([NAN, INF, -INF, 0.1 + 0.2])


def _rows(curves: Curves) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(curves_csv(curves))))


@given(st.lists(st.lists(NUMBERS, min_size=2, max_size=2), min_size=1, max_size=6))
def test_numbers_come_back_as_they_are(values: list[list[float]]) -> None:
    rows = _rows(curves_of(curve_of(values)))
    found = [[float(row[f"sample {number}"]) for number in (1, 2)] for row in rows]
    np.testing.assert_array_equal(np.array(found), np.array(values))


def test_all_that_a_curve_says_is_there() -> None:
    line = curve_of([[0.1, 0.3], [NAN, 0.2], [NAN, NAN]], "worst kept", "recovery", "y")
    line.done[2] = False
    marks = curve_of([[NAN, NAN], [0.5, 0.6], [0.7, 0.8]], "alone", "impact", "y", "marks", 1)
    rows = _rows(curves_of(line, marks, kind="partial"))
    assert list(rows[0])[: len(HEAD)] == list(HEAD)
    assert [(row["curve"], row["index"]) for row in rows] == [
        *[("worst kept", "0"), ("worst kept", "1"), ("worst kept", "2")],
        *[("alone", "1"), ("alone", "2")],
    ]
    assert [row["mean"] for row in rows[:3]] == ["0.2", "0.2", ""]
    assert [(row["samples"], row["no number"]) for row in rows[:3]] == [("2", "0"), ("2", "1"), ("0", "0")]
    assert [row["sample 1"] for row in rows[:3]] == ["0.1", "nan", ""]
    assert (rows[0]["name"], rows[0]["type"], rows[0]["metric"]) == ("/n0", "Conv", "relative_l2")


def test_names_are_no_formulas() -> None:
    assert _rows(curves_of(curve_of([[0.1]]), names="=cmd"))[0]["name"].startswith("'=")


def test_averages_say_so() -> None:
    assert _rows(curves_of(curve_of([[0.1]])).average())[0]["measure"] == "average accumulated"


def test_along_the_depth_the_end_and_the_largest_step_are_told() -> None:
    curves = curves_of(curve_of([[0.001], [0.01], [0.4], [0.41], [NAN], [0.42]]))
    lines = list(curve_lines(curves))
    assert lines == [
        "weights only: Relative error 0.4200 at /n5",
        "  largest step at /n2: 0.0100 → 0.4000",
        "  NaN or infinite at 1 points, the first is /n4",
    ]


def test_a_curve_that_stays_good_has_no_step() -> None:
    assert len(list(curve_lines(curves_of(curve_of([[0.001], [0.01], [0.02]]))))) == 1


@pytest.mark.parametrize(
    ("values", "said"),
    [([5.0, 28.0, 30.0, 31.0], "Knee: 1 kept, 28.00 dB"), ([5.0, 10.0, 15.0, 20.0], "The curve has no knee.")],
)
def test_along_a_ranking_the_knee_is_told(values: list[float], said: str) -> None:
    curve = curve_of([[value] for value in values], measure="recovery", output="y")
    lines = list(curve_lines(curves_of(curve, kind="recovery", metric="sqnr")))
    assert said in lines[-1]
    assert lines[0] == "y: SQNR"


def test_long_rankings_are_cut_in_the_terminal() -> None:
    curve = curve_of([[0.1]] * 40, measure="recovery", output="y")
    assert any("and 27 more" in line for line in curve_lines(curves_of(curve, kind="recovery")))
