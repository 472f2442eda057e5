"""Plots of distributions over samples."""

from xml.etree import ElementTree

import numpy as np
import pytest

from errorflow.explain.inspect.distribution import Distribution, distribution
from errorflow.explain.inspect.figure import BoxPlots, Line, Points, Rules, figure_csv
from errorflow.explain.inspect.spread_figures import boxes_figure, error_figure, histogram_figure, judged, wants_log
from errorflow.graph.qparams import QParams
from errorflow.quant.fake import fake_quantize
from errorflow.report.figure_shapes import figure_svg

CODES = QParams((0.1,), (0,), 8, True)


def _seen(loud: float = 1.0, channels: int = 6, qparams: QParams | None = CODES) -> Distribution:
    dice = np.random.default_rng(4)
    samples = [dice.standard_normal((1, channels, 50)).astype(np.float32) for _ in range(3)]
    for array in samples:
        array[:, 1] *= loud
    pairs = [(array, None if qparams is None else fake_quantize(array, qparams)) for array in samples]
    return distribution("features", lambda: iter(pairs), qparams=qparams, axis=1)


def test_thresholds_are_lines_where_they_are() -> None:
    figure = histogram_figure(_seen(loud=5.0), False)
    rules = next(layer for layer in figure.layers if isinstance(layer, Rules) and not layer.ticks)
    assert rules.x.tolist() == pytest.approx([-12.8, 12.7])
    assert figure.x.low < -12.8 < 12.7 < figure.x.high
    assert any("Codes reach from" in note for note in figure.notes)


def test_thresholds_far_out_are_told_and_do_not_press_the_values() -> None:
    figure = histogram_figure(_seen(qparams=QParams((100.0,), (0,), 8, True)), False)
    assert figure.x.high < 10
    assert any("−12,800" in note or "−1.28e4" in note for note in figure.notes)


def test_a_scale_per_channel_is_told() -> None:
    seen = _seen(qparams=QParams((0.02,) * 6, (0,) * 6, 8, True, 1))
    assert any("A scale for each of 6 channels" in note for note in histogram_figure(seen, False).notes)
    steps = boxes_figure(seen).layers
    assert any(isinstance(layer, Line) for layer in steps)


def test_what_stays_in_float_has_no_errors() -> None:
    assert error_figure(_seen(qparams=None), False) is None
    figure = error_figure(_seen(), False)
    assert figure is not None
    assert figure.x.low < 0 < figure.x.high


def test_every_channel_has_a_box_a_mean_and_what_lies_beyond() -> None:
    seen = _seen()
    figure = boxes_figure(seen)
    boxes = next(layer for layer in figure.layers if isinstance(layer, BoxPlots))
    means, fliers = (
        next(layer for layer in figure.layers if isinstance(layer, Points) and layer.label == label)
        for label in ("Mean", "Beyond the whiskers")
    )
    assert seen.channels is not None
    assert boxes.x.tolist() == [0, 1, 2, 3, 4, 5]
    np.testing.assert_array_equal(boxes.middle, seen.channels.median)
    np.testing.assert_array_equal(means.y, seen.channels.mean)
    assert len(fliers.x) == sum(map(len, seen.channels.fliers))


def test_a_loud_channel_presses_large_values_together() -> None:
    figure = boxes_figure(_seen(loud=1000.0))
    assert len(figure.y.names) > 3
    assert figure.y.high < 20
    assert not boxes_figure(_seen()).y.names


def test_many_channels_come_page_by_page() -> None:
    seen = _seen(channels=500)
    first, second = boxes_figure(seen, 0, 400), boxes_figure(seen, 400, 400)
    assert (first.x.high, second.x.low, second.x.high) == (399.8, 399.2, 499.8)
    assert any("Channels 400 to 499 of 500" in note for note in second.notes)


def test_quiet_channels_are_told() -> None:
    notes = boxes_figure(_seen(loud=100.0)).notes
    assert any("1/2: 83% · 1/4: 83%" in note for note in notes)
    assert any("Loudest: channel 1" in note for note in notes)


@pytest.mark.parametrize(
    ("qparams", "told"), [(CODES, True), (None, True), (QParams((0.1,) * 6, (0,) * 6, 8, True, 1), False)]
)
def test_one_peak_is_no_comfort_where_one_scale_drowns_channels(qparams: QParams | None, told: bool) -> None:
    loud = _seen(loud=100.0, qparams=qparams)
    assert loud.peaks.friendly
    assert ("That rule sees no channels" in " ".join(judged(loud))) is told
    assert "sees no channels" not in " ".join(judged(_seen(qparams=qparams)))


def test_ends_of_codes_beyond_the_channels_are_not_drawn_at_the_edge() -> None:
    def lines(qparams: QParams) -> list[Line]:
        return [layer for layer in boxes_figure(_seen(qparams=qparams)).layers if isinstance(layer, Line)]

    assert lines(QParams((100.0,), (0,), 8, True)) == []
    assert len(lines(QParams((0.02,), (0,), 8, True))) == 2
    some = lines(QParams((0.02, 0.02, 9.0, 0.02, 0.02, 9.0), (0,) * 6, 8, True, 1))
    assert [(line.x[0], line.x[-1]) for line in some] == [(-0.5, 1.5), (2.5, 4.5)] * 2


@pytest.mark.parametrize("log", [False, True])
def test_all_of_them_are_drawn_and_tabulated(log: bool) -> None:
    seen = _seen(loud=40.0)
    errors = error_figure(seen, log)
    assert errors is not None
    for figure in (histogram_figure(seen, log), errors, boxes_figure(seen)):
        ElementTree.fromstring(figure_svg(figure))
        assert figure_csv(figure)


def test_what_holds_nothing_is_drawn_too() -> None:
    seen = distribution("t", lambda: iter([(np.full((1, 3, 4), np.nan, np.float32), None)]), axis=1)
    assert not wants_log(seen)
    for figure in (histogram_figure(seen, False), boxes_figure(seen)):
        ElementTree.fromstring(figure_svg(figure))
