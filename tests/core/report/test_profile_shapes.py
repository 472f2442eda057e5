"""The profile as an SVG."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errorflow.explain.blame.model import Verdict
from errorflow.explain.findings.profile import INTRODUCED, RELATIVE, Profile, ProfileCurve
from errorflow.report.colors import THEMES, ThemeName
from errorflow.report.profile_shapes import profile_svg

SVG = "{http://www.w3.org/2000/svg}"


def profile(*values: float | None, names: str = "node", runs: int = 1) -> Profile:
    """None: not measured."""
    count = len(values)
    measured = np.array([value is not None for value in values], bool)
    numbers = np.array([np.nan if value is None else value for value in values], np.float64)
    curves = tuple(ProfileCurve(RELATIVE, numbers, measured, f"run {run}" if runs > 1 else "") for run in range(runs))
    return Profile(
        curves,
        ProfileCurve(RELATIVE, numbers, measured, measure=INTRODUCED),
        np.arange(count, dtype=np.int32),
        np.array([Verdict.ORIGIN if place == 1 else Verdict.CLEAN for place in range(count)], np.int8),
        np.zeros(count, np.uint16),
        lambda place: (f"{names}{place}", "Conv"),
    )


def drawn(found: Profile, title: str = "") -> ET.Element:
    return ET.fromstring(profile_svg(found, "light", title=title))


def of_class(root: ET.Element, name: str) -> list[ET.Element]:
    return [element for element in root.iter() if element.get("class") == name]


def test_it_says_what_it_shows() -> None:
    texts = [element.text for element in drawn(profile(0.1, 0.2), title="a against b").iter(f"{SVG}text")]
    assert texts[:3] == ["a against b", "accumulated · Relative error", "introduced · Relative error"]
    assert {"0.05", "0.5"} <= set(texts)


def test_points_say_their_name_and_value() -> None:
    titles = [element.text for element in drawn(profile(0.1, 0.2)).iter(f"{SVG}title")]
    assert any(
        title is not None and "node0 · Conv · depth 0 · accumulated · Relative error 0.1000" in title
        for title in titles
    )


def test_where_nothing_was_measured_the_line_is_dotted_and_a_mark_stands_below() -> None:
    root = drawn(profile(0.1, None, 0.2))
    assert len(of_class(root, "bridge")) == 1
    assert of_class(root, "missing")[0].get("d", "").count("M") == 1
    assert not of_class(drawn(profile(0.1, 0.2)), "missing")


def test_nan_has_a_mark_and_an_origin_its_glyph() -> None:
    root = drawn(profile(0.1, 0.3, float("nan")))
    assert len(of_class(root, "strange")) == 1
    assert len(of_class(root, "origin")) == 1


def test_every_run_has_its_curve() -> None:
    root = drawn(profile(0.1, 0.2, runs=3))
    assert len(of_class(root, "curve")) == 3


def test_many_nodes_make_no_larger_picture_and_keep_the_worst() -> None:
    values = [0.01] * 50_000
    values[31_234] = 2.0
    text = profile_svg(profile(*values), "light")
    assert len(text) < 400_000
    assert text.count('fill="#7B1E3A"') == 1


def test_names_cannot_break_out() -> None:
    root = drawn(profile(0.1, 0.2, names='<script>&"\x00'), title="<b>\x07")
    assert not list(root.iter(f"{SVG}script"))


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.one_of(st.none(), st.floats(), st.floats(0, 1)), min_size=1, max_size=60), st.sampled_from(list(THEMES))
)
def test_it_is_well_formed_whatever_was_measured(values: list[float | None], theme: ThemeName) -> None:
    text = profile_svg(profile(*values), theme)
    assert ET.fromstring(text).tag == f"{SVG}svg"
    assert "nan" not in "".join(part for part in text.split('"') if part[:1] in "MLVH0123456789-")


@pytest.mark.parametrize("theme", THEMES)
def test_it_has_the_ground_of_its_theme(theme: ThemeName) -> None:
    text = profile_svg(profile(0.1), theme)
    ground = ET.fromstring(text).find(f"{SVG}rect")
    assert ground is not None and ground.get("fill") == THEMES[theme].background
    assert "%" not in "".join(map(str, (ground.get("width"), ground.get("height"))))  # which Qt takes for pixels
