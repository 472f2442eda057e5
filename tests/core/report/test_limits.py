import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.metrics.metric import Scale, are_limits, badness
from errorflow.explain.findings.model import with_limits
from errorflow.report.legend import LimitAxis, typed
from errorflow.report.presets import PRESET_OF, PRESETS

OF = {scale.key: scale for scale in MEASURES}
every_metric = pytest.mark.parametrize("scale", MEASURES, ids=lambda scale: scale.key)
places = st.floats(0, 1)


@every_metric
def test_limits_lie_on_the_line_the_good_one_at_the_left(scale: Scale) -> None:
    axis = LimitAxis.of(scale)
    assert 0.05 < axis.good < axis.bad < 0.95


@every_metric
@given(place=places, which=st.sampled_from(["good", "bad"]))
def test_a_limit_can_be_put_anywhere_but_behind_the_other(scale: Scale, place: float, which: str) -> None:
    good, bad = LimitAxis.of(scale).moved(which, place)
    assert are_limits(scale, good, bad)
    moved = replace(scale, good=good, bad=bad)
    assert badness(moved, good) == 0 and badness(moved, bad) == 1


@every_metric
@given(place=st.floats(0.1, 0.9))
def test_what_was_put_somewhere_is_found_there(scale: Scale, place: float) -> None:
    axis = LimitAxis.of(scale)
    assert axis.place(axis.value(place)) == pytest.approx(place, abs=0.03)


@pytest.mark.parametrize(
    ("key", "place", "value"), [("cosine", 0.3, 0.999), ("relative_l2", 0.5, 0.16), ("sqnr", 0.3, 26.0)]
)
def test_limits_that_are_put_are_round(key: str, place: float, value: float) -> None:
    assert LimitAxis.of(OF[key]).value(place) == value


def test_the_line_holds_still_while_a_limit_is_moved() -> None:
    axis = LimitAxis.of(OF["sqnr"])
    good, bad = axis.moved("good", 0.1)
    assert axis.with_limits(replace(OF["sqnr"], good=good, bad=bad)).place(20.0) == axis.place(20.0)


def test_limits_far_from_the_usual_ones_lie_on_the_line_too() -> None:
    axis = LimitAxis.of(with_limits(OF["relative_l2"], {"relative_l2": (1e-9, 1e-8)}))
    assert 0 <= axis.good < axis.bad < axis.place(0.05) < 1


@pytest.mark.parametrize(
    ("key", "which", "text", "limits"),
    [
        ("cosine", "good", "0.99", (0.99, 0.9)),
        ("cosine", "good", "0,99", (0.99, 0.9)),
        ("cosine", "good", " 1 ", (1.0, 0.9)),
        ("sqnr", "bad", "−3 dB", (26.0, -3.0)),
        ("relative_l2", "bad", "1e-1", (0.05, 0.1)),
        *((("cosine", "good", text, None)) for text in ("0.9", "0.5", "", "nan", "inf", "good")),
    ],
)
def test_a_limit_is_typed(key: str, which: str, text: str, limits: tuple[float, float] | None) -> None:
    assert typed(OF[key], which, text) == limits


@given(st.text())
def test_whatever_is_typed_makes_limits_or_none(text: str) -> None:
    found = typed(OF["cosine"], "good", text)
    assert found is None or are_limits(OF["cosine"], *found)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.key)
def test_presets_are_limits_of_metrics_and_say_why(preset: object) -> None:
    row = PRESET_OF[preset.key]  # type: ignore[attr-defined]  # parametrized over a tuple of Preset
    assert all(are_limits(OF[key], *limits) for key, limits in row.limits.items())
    assert row.why.endswith(".") and row.source


@pytest.mark.parametrize("preset", [row for row in PRESETS if "sqnr" in row.limits], ids=lambda preset: preset.key)
@pytest.mark.parametrize("end", [0, 1], ids=["good", "bad"])
def test_metrics_of_a_preset_say_the_same(preset: object, end: int) -> None:
    limits = preset.limits  # type: ignore[attr-defined]  # see above
    cosine, relative, sqnr = (limits[key][end] for key in ("cosine", "relative_l2", "sqnr"))
    assert math.sqrt(2 * (1 - cosine)) == pytest.approx(relative, rel=0.15)
    assert -20 * math.log10(relative) == pytest.approx(sqnr, abs=0.6)
