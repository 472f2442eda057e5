"""Plots as values: round ticks, readable numbers, and their numbers for a spreadsheet."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.base.errors import UsageError
from errorflow.explain.inspect.channels import channel_view
from errorflow.explain.inspect.figure import Axis, Band, Figure, Line, Rules, figure_csv, number_text, short_text, ticks
from errorflow.explain.inspect.figures import channel_figure, error_figure, line_figure, scatter_figure, values_figure
from errorflow.explain.inspect.overview import overview
from errorflow.explain.inspect.planes import Planes, plane_view
from errorflow.explain.inspect.readout import readout, stops
from errorflow.explain.inspect.suits import SUITS, Datum, best
from errorflow.explain.inspect.worst import place_of, values_at, worst_places
from errorflow.graph.qparams import QParams
from evidence_tensors import both

VALUES = np.random.default_rng(1).standard_normal((1, 6, 5, 4)).astype(np.float32)
PAIR = both(VALUES, VALUES + np.float32(0.25))
PER_CHANNEL = QParams((0.5, 0.25, 1.0, 0.5, 0.25, 0.5), (0,), axis=1)


@pytest.mark.parametrize(
    ("value", "step", "text"),
    [
        (0.0, 0.0, "0"),
        (1234.5678, 0.0, "1,235"),
        (-0.25, 0.0, "−0.2500"),
        (0.5, 0.1, "0.5"),
        (2e9, 0.0, "2e9"),
        (-1e-7, 0.0, "−1e-7".replace("-7", "−7")),
        (math.nan, 0.0, "NaN"),
        (-math.inf, 0.0, "−∞"),
    ],
)
def test_a_number_is_as_short_as_it_can_be(value: float, step: float, text: str) -> None:
    assert number_text(value, step) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (5.0, "5.00"),
        (-0.30456, "−0.305"),
        (0.00123456, "0.00123"),
        (0.000229, "2.29e−4"),
        (-0.00023, "−2.3e−4"),
        (12.345, "12.3"),
        (1234.5, "1,234"),
        (65504.0, "65,504"),
        (99_999.9, "1e5"),
        (-1.5e30, "−1.5e30"),
        (5e-324, "4.94e−324"),
        (math.nan, "NaN"),
        (-math.inf, "−∞"),
    ],
)
def test_a_number_in_a_narrow_column_keeps_what_counts(value: float, text: str) -> None:
    assert short_text(value) == text


@given(st.floats(-1e300, 1e300))
def test_three_digits_are_right_and_short(value: float) -> None:
    text = short_text(value)
    assert len(text) <= 10
    assert float(text.replace("−", "-").replace(",", "")) == pytest.approx(value, rel=0.0051)


@given(st.floats(-1e12, 1e12), st.floats(1e-9, 1e12), st.integers(1, 12))
def test_ticks_are_within_the_axis_and_not_too_many(low: float, span: float, most: int) -> None:
    axis = Axis("x", low, low + span)
    found = ticks(axis, most)
    assert len(found) <= 2 * most + 2
    slack = span * 1e-6 + math.ulp(abs(low) + span)  # no place lies between two numbers
    assert all(low - slack <= place <= low + span + slack for place, _ in found)


def test_powers_of_ten_are_written_out() -> None:
    assert [text for _, text in ticks(Axis("y", -0.3, 5.2, log=True), 10)] == ["1", "10", "100", "1,000", "1e4", "1e5"]


def test_every_plot_gives_its_numbers_away() -> None:
    seen, channels = overview(PAIR), channel_view(PAIR, 1)
    for figure in (
        values_figure(seen, True),
        error_figure(seen, False),
        scatter_figure(seen),
        channel_figure(channels, seen),
        line_figure(PAIR),
    ):
        lines = figure_csv(figure).splitlines()
        assert len(lines) > 5 and "nan" not in figure_csv(figure)
        places = stops(figure)
        assert all(readout(figure, place) for place in places)
    rows = [line.split(",") for line in figure_csv(values_figure(seen, True)).splitlines()[1:]]
    assert sum(int(row[2]) for row in rows) == sum(int(row[3]) for row in rows) == VALUES.size


def test_errors_are_told_with_percentiles_and_bias() -> None:
    notes = " ".join(error_figure(overview(PAIR), False).notes)
    assert "p50 0.2500" in notes and "bias 0.2500" in notes


def test_both_sides_of_a_percentile_of_the_size_are_named() -> None:
    [rules] = [layer for layer in error_figure(overview(PAIR), False).layers if isinstance(layer, Rules)]
    assert rules.names == ("±p50", "±p50", "±p99", "±p99")
    assert rules.x.tolist() == [-rules.x[1], rules.x[1], -rules.x[3], rules.x[3]]


@pytest.mark.parametrize("most", [1, 2, 3, 5])
def test_counts_are_whole(most: int) -> None:
    values = np.arange(most, dtype=np.float64) * 0
    figure = values_figure(overview(both(values, values)), False)
    assert figure.y.whole
    assert all(place == round(place) for place, _ in ticks(figure.y, 5))


def test_where_there_are_many_channels_the_worst_are_shown() -> None:
    random = np.random.default_rng(2)
    values = random.standard_normal((1, 48, 30))
    pair = both(values, values + random.standard_normal((1, 48, 1)) / 10)
    channels = channel_view(pair, 1)
    figure = channel_figure(channels, overview(pair))
    assert len(figure.x.names) == 16 and "worst 16 of 48 channels shown" in figure.notes
    assert "Channels 17 to 32 of 48, worst first, shown" in channel_figure(channels, overview(pair), 16).notes
    assert not any("shown" in note for note in channel_figure(channels, overview(pair), most=48).notes)


def test_the_line_of_equality_is_named_and_both_axes_are_alike() -> None:
    figure = scatter_figure(overview(PAIR))
    assert figure.square and (figure.x.low, figure.x.high) == (figure.y.low, figure.y.high)
    [line] = [layer for layer in figure.layers if isinstance(layer, Line)]
    assert line.named and line.label == "Equal" and line.dashed


@given(st.integers(1, 60), st.sampled_from(["absolute", "relative"]), st.integers(0, 2**31))
def test_the_worst_places_are_those_of_numpy(top: int, by: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    reference = random.integers(-4, 5, 200).astype(np.float64)
    candidate = reference + random.integers(-2, 3, 200)
    places = worst_places(both(reference, candidate), by, top)  # type: ignore[arg-type]  # both are `By`
    with np.errstate(all="ignore"):
        errors = np.abs(candidate - reference)
        errors = np.where(errors == 0, 0.0, errors / np.abs(reference)) if by == "relative" else errors
    assert errors[places].tolist() == sorted(errors.tolist(), reverse=True)[:top]


def test_what_is_no_number_on_one_side_is_the_worst() -> None:
    reference, candidate = np.array([1.0, np.nan, 2.0, np.inf]), np.array([5.0, np.nan, np.nan, np.inf])
    assert worst_places(both(reference, candidate), "absolute", 2).tolist() == [2, 0]


@pytest.mark.parametrize(("text", "place"), [("7", 7), ("0, 5, 4, 3", 119), ("[0,0,1,0]", 4)])
def test_a_place_may_be_typed_in_two_ways(text: str, place: int) -> None:
    assert place_of(PAIR, text) == place
    assert values_at(PAIR, [place])[0].reference == VALUES.ravel()[place]


@pytest.mark.parametrize("text", ["", "x", "120", "0,6,0,0", "1,2", "-1", "9" * 40])
def test_a_place_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="There is no value"):
        place_of(PAIR, text)


@pytest.mark.parametrize("channels", [1, 3])
def test_planes_are_what_numpy_cuts_out(channels: int) -> None:
    planes = Planes.of(VALUES.shape, channels)
    assert planes is not None and planes.count == VALUES.shape[channels]
    number = planes.number(channels, 2)
    view = plane_view(PAIR, planes, number)
    assert view.reference is not None and view.difference is not None
    assert (view.reference == np.take(VALUES[0], 2, axis=channels - 1)).all()
    assert view.largest == pytest.approx(0.25, abs=1e-6)


def test_a_large_plane_is_thinned_out() -> None:
    values = np.zeros((3000, 2000), np.float32)
    planes = Planes.of(values.shape, None)
    assert planes is not None and max(planes.plane(values, 0).shape) <= 512


def test_a_few_values_are_best_seen_as_values_and_a_map_as_a_histogram() -> None:
    few = both(np.ones(3), np.ones(3))
    assert SUITS["channels"](Datum(both(np.ones((1, 1)), np.ones((1, 1))))).score == 0
    assert best(Datum(few)) == "values" and best(Datum(PAIR)) == "histogram"
    assert (
        best(Datum(PAIR), "scatter") == "scatter"
        and best(Datum(both(np.ones(()), np.ones(()))), "channels") == "values"
    )
    assert best(Datum(None, lack="gone")) == "facts"
    assert all(ask(Datum(None, lack="gone")).reason for ask in SUITS.values())


def test_what_is_beyond_the_ends_is_hatched_and_the_ends_are_named() -> None:
    reference = np.linspace(-4, 4, 400).astype(np.float32)
    steps = (np.clip(np.round(reference / 0.1), -20, 100) * 0.1).astype(np.float32)
    figure = values_figure(overview(both(reference, steps)), False)
    [band] = [layer for layer in figure.layers if isinstance(layer, Band)]
    assert band.label == "Beyond the candidate" and band.high == pytest.approx(-2.05, abs=1e-3)
    share = float((reference < -2.05).mean())
    assert f"{share:.2%} of the reference is beyond the candidate" in figure.notes


def test_of_several_scales_the_finest_and_the_coarsest_steps_are_drawn() -> None:
    """Values of all channels stand in one histogram: on no one grid."""
    scales = np.array([0.5, 0.25, 1.0, 0.5, 0.25, 0.5])
    steps = scales.reshape(1, 6, 1, 1)
    tensors = replace(both(VALUES, (np.round(VALUES / steps) * steps).astype(np.float32)), qparams=PER_CHANNEL)
    seen = overview(tensors)
    assert seen.grid is None and seen.grids is not None
    layers = {layer.label: layer for layer in values_figure(seen, False).layers if isinstance(layer, Rules)}
    assert list(layers) == ["Finest steps, channel 1", "Coarsest steps, channel 2"]
    assert [float(np.diff(layer.x).min()) for layer in layers.values()] == [0.25, 1.0]
    notes = " ".join(values_figure(seen, False).notes)
    assert "6 scales along axis 1 from 0.25 to 1, 8 bits" in notes and "each channel lies on its own steps" in notes


def test_steps_that_are_too_fine_to_be_told_apart_are_not_drawn() -> None:
    scales = (1e-4, *PER_CHANNEL.scales[1:])
    seen = overview(replace(both(VALUES, VALUES), qparams=replace(PER_CHANNEL, scales=scales, bits=16)))
    labels = [layer.label for layer in values_figure(seen, False).layers if isinstance(layer, Rules)]
    assert labels == ["Coarsest steps, channel 2"] and "from 0.0001 to 1" in " ".join(values_figure(seen, False).notes)


def test_each_channel_has_its_own_first_step() -> None:
    tensors = replace(both(VALUES, VALUES), qparams=PER_CHANNEL)
    seen, view = overview(tensors), channel_view(tensors, 1)
    line = next(layer for layer in channel_figure(view, seen).layers if isinstance(layer, Line))
    assert line.y[::2].tolist() == line.y[1::2].tolist() == [PER_CHANNEL.scales[at] for at in view.order.tolist()]
    across = channel_figure(channel_view(tensors, 2), seen)
    assert not any(isinstance(layer, Line) for layer in across.layers)  # the scales are not of these channels


def test_notes_are_read_aloud_as_sentences() -> None:
    figure = Figure("Values", Axis("x", 0, 1), Axis("y", 0, 1), (), ("none is beyond", "2 of 3 are zero."))
    assert figure.told == "None is beyond. 2 of 3 are zero."
