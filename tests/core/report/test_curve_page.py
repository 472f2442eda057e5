"""Curves as a picture."""

import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

from curve_values import INF, NAN, curve_of, curves_of
from errorflow.compare.metrics import METRICS
from errorflow.report.colors import ThemeName
from errorflow.report.curve_page import curve_svg
from errorflow.report.curve_shapes import ShownCurves, Vertical
from errorflow.report.curve_text import point_lines
from errorflow.study.rank.curves import Curves

KEYS = [metric.key for metric in METRICS]
_TAG = "{http://www.w3.org/2000/svg}"


def _drawn(
    curves: Curves, key: str = "relative_l2", theme: ThemeName = "light", linear: bool = False
) -> ElementTree.Element:
    return ElementTree.fromstring(curve_svg(ShownCurves(curves, key, linear), theme, "model.onnx"))


def _texts(root: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in root.iter(f"{_TAG}text")]


def _marked(root: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [element for element in root.iter() if element.get("class") == kind]


def _height_of(moved: ElementTree.Element) -> float:
    return float(moved.get("transform", "").split()[1].rstrip(")"))


def _rising(count: int, samples: int = 3, metric: str = "relative_l2") -> Curves:
    values = np.geomspace(0.001, 0.5, count)[:, None] * np.linspace(0.8, 1.2, samples)
    values = 1 - values if metric == "cosine" else values
    return curves_of(curve_of(values.tolist()), metric=metric, names="/backbone")


@pytest.mark.parametrize("most", [2, 3, 5, 7])
def test_numbers_at_the_axis_do_not_lie_over_each_other(most: int) -> None:
    ticks = [share for share, _ in Vertical.of(_rising(40), "relative_l2").ticks(most)]
    assert ticks
    assert all(other - one >= 0.85 / most for one, other in pairwise(ticks))


def test_the_axis_is_about_what_is_drawn() -> None:
    """Bands are drawn of one curve, and of several they would leave the picture empty."""
    alone = curve_of([[0.1, 0.00001, 0.00001, 0.1], [0.2, 0.00002, 0.00002, 0.2]])
    one = Vertical.of(curves_of(alone), "relative_l2")
    two = Vertical.of(curves_of(alone, curve_of([[0.1] * 4, [0.2] * 4])), "relative_l2")
    assert one.low < -2 < two.low


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("count", [1, 7, 80, 3000])
def test_every_metric_theme_and_size_is_drawn(key: str, theme: ThemeName, linear: bool, count: int) -> None:
    root = _drawn(_rising(count, metric=key), key, theme, linear=linear)
    assert len(_marked(root, "curve" if count > 1 else "points")) == 1
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    for element in root.iter(f"{_TAG}text"):
        if element.get("x") is not None:
            assert 0 <= float(element.get("x", "")) <= width
            assert 0 <= float(element.get("y", "")) <= height


def test_names_stand_below_the_points_where_they_fit_and_else_numbers() -> None:
    assert "/backbone/n5" in _texts(_drawn(_rising(30)))
    many = _texts(_drawn(_rising(3000)))
    assert "/backbone/n5" not in many
    assert "1,000" in many


def test_the_pointer_is_told_the_name_and_all_numbers() -> None:
    root = _drawn(_rising(30))
    titles = [title.text or "" for title in root.iter(f"{_TAG}title")]
    told = next(title for title in titles if "/backbone/n7" in title)
    assert told.splitlines()[:2] == ["8 of 30 · /backbone/n7 · Conv", "t7"]
    assert re.search(r"weights only: 0\.0\d+, 0\.0\d+ … 0\.0\d+", told)


def test_every_column_of_many_points_tells_one() -> None:
    root = _drawn(_rising(3000))
    hovers = next(iter(_marked(root, "hovers")))
    assert len(list(hovers)) == 1080


def test_what_is_no_number_is_checked_at_the_bad_end_and_leaves_a_gap() -> None:
    values = [[0.1], [0.2], [NAN], [0.2], [INF], [0.3]]
    root = _drawn(curves_of(curve_of(values)))
    assert len(_marked(root, "broken")) == 2
    [[line], [points]] = (_marked(root, kind) for kind in ("curve", "points"))
    assert [each.get("d", "").count("M") for each in (line, points)] == [1, 4], "two neighbours, and two alone"
    assert not _marked(root, "bridge")
    assert any("2 values are no number or infinite" in text for text in _texts(root))
    upper = curves_of(curve_of([[0.9], [NAN], [0.8]]), metric="cosine")
    place, other = (_height_of(_marked(each, "broken")[0]) for each in (root, _drawn(upper, "cosine")))
    # An error is worse when it is higher, a cosine when it is lower.
    assert place < 150 < 350 < other


def test_what_is_exact_is_a_ring_at_the_good_end() -> None:
    root = _drawn(curves_of(curve_of([[20.0], [INF], [30.0]]), metric="sqnr"), "sqnr")
    assert len(_marked(root, "exact")) == 1
    assert not _marked(root, "broken")
    assert "1 value is exact: a ring, at the edge" in _texts(root)
    zero = _drawn(curves_of(curve_of([[0.0], [0.0], [0.3]])))
    assert len(_marked(zero, "exact")) == 2
    assert "2 values are exact: a ring, at the edge" in _texts(zero)


def test_what_is_odd_is_told_below() -> None:
    curves = replace(curves_of(curve_of([[0.1], [0.2]])), notes={"weights only": "a was NaN before it was coded"})
    assert "weights only: a was NaN before it was coded" in _texts(_drawn(curves))


def test_what_is_not_measured_yet_is_bridged() -> None:
    curves = curves_of(curve_of([[0.5], [NAN], [NAN], [0.1], [0.05]], measure="recovery", output="y"), kind="recovery")
    curves.curves[0].done[1:3] = False
    root = _drawn(curves)
    assert len(_marked(root, "bridge")) == 1
    assert not _marked(root, "broken")
    assert "60% measured" in _texts(root)


def test_bands_are_drawn_of_one_curve_only() -> None:
    assert len(_marked(_drawn(_rising(9)), "band")) == 2
    two = curves_of(*(curve_of([[0.1, 0.2], [0.2, 0.3]], label) for label in "ab"))
    assert not _marked(_drawn(two), "band")


def test_a_recovery_has_its_knee_and_the_line_of_float() -> None:
    values = [[5.0], [28.0], [30.0], [31.0], [32.0]]
    root = _drawn(curves_of(curve_of(values, measure="recovery", output="y"), kind="recovery", metric="sqnr"), "sqnr")
    assert len(_marked(root, "knee")) == 2
    assert "Knee: 1 kept, 28.00 dB" in _texts(root)
    assert "float" in _texts(root)


def test_a_partial_quantization_has_a_mark_for_each_part_and_a_baseline() -> None:
    line = curve_of([[0.9], [0.99], [0.995]], "worst kept in float", "recovery", "y")
    marks = curve_of([[NAN], [0.95], [0.97]], "quantized alone", "impact", "y", "marks", 1)
    marks.done[0] = False
    root = _drawn(curves_of(line, marks, kind="partial", metric="cosine"), "cosine")
    [drawn] = _marked(root, "marks")
    assert drawn.get("d", "").count("M") == 2 * 2, "two crosses"
    assert "float: 1" in _texts(root)
    assert not _marked(root, "broken")


def test_curves_beyond_the_legend_are_counted() -> None:
    curves = curves_of(*(curve_of([[0.1], [0.2]], f"only /a/very/long/name/of/a/layer/{at}/Conv") for at in range(60)))
    texts = _texts(_drawn(curves))
    assert any("more curves are not named here" in text for text in texts)


def test_names_of_others_cannot_break_the_file() -> None:
    root = _drawn(curves_of(curve_of([[0.1], [0.2]], "<script>\x00&"), names='"<b>\x01'))
    assert not list(root.iter(f"{_TAG}script"))


@pytest.mark.parametrize("key", KEYS)
def test_ticks_grow_with_the_numbers(key: str) -> None:
    axis = Vertical.of(_rising(20, metric=key), key)
    shares = [share for share, _ in axis.ticks(7)]
    assert len(shares) >= 2
    assert shares == sorted(shares) or shares == sorted(shares, reverse=True)
    numbers = [float(text.replace("−", "-").replace(",", "")) for _, text in sorted(axis.ticks(7)) if " " not in text]
    assert numbers == sorted(numbers)
    assert len(set(numbers)) == len(numbers)


def test_ticks_stand_where_their_numbers_are() -> None:
    axis = Vertical.of(_rising(20, metric="cosine"), "cosine")
    for share, text in axis.ticks(7):
        assert axis.shares(np.array([float(text)]))[0] == pytest.approx(share, abs=1e-6)


def test_a_point_says_what_is_strange_about_it() -> None:
    curves = curves_of(curve_of([[0.1, NAN, 0.3, 0.2]]))
    overs = tuple(curves.over(curve, "relative_l2") for curve in curves.curves)
    assert list(point_lines(curves, "relative_l2", 0, overs))[-1].endswith("1 of 4 samples no number or infinite")
