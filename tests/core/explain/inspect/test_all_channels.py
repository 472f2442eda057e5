"""All channels in one plot, and the histogram with thresholds."""

import numpy as np
import pytest

from errorflow.explain.inspect.all_channels import all_channels_figure, view_of
from errorflow.explain.inspect.channels import channel_view
from errorflow.explain.inspect.distribution_figure import distribution_figure
from errorflow.explain.inspect.figure import BoxPlots, Figure, Line, Rules, figure_csv
from errorflow.explain.inspect.overview import overview
from errorflow.explain.inspect.readout import readout, stops
from errorflow.explain.inspect.spread import Spreading
from errorflow.explain.inspect.tensors import Tensors
from errorflow.graph.qparams import QParams

CHANNELS, LOUD, SILENT = 600, 417, 3


def tensors(channels: int = CHANNELS, *, both: bool = True, qparams: QParams | None = None) -> Tensors:
    values = np.random.default_rng(1).standard_normal((2, channels, 40))
    values[:, LOUD % channels] *= 300
    values[:, SILENT % channels] = 0
    other = np.round(values * 8) / 8
    reference, candidate = (values, other) if both else (None, other)
    return Tensors("t", reference, candidate, values.shape, both, 1, qparams)


def figure(given: Tensors, columns: int = 60, **options: object) -> Figure:
    grid = overview(given).grid
    ends = None if grid is None else (grid.low, grid.high)
    return all_channels_figure(channel_view(given, 1), ends, "t", columns=columns, **options)  # type: ignore[arg-type]  # order


def boxes(found: Figure) -> list[BoxPlots]:
    return [layer for layer in found.layers if isinstance(layer, BoxPlots)]


def test_many_channels_share_boxes_with_their_outermost_ends() -> None:
    given = tensors()
    [reference, candidate] = boxes(figure(given))
    assert len(reference.x) == len(candidate.x) == 60
    assert given.reference is not None
    ends = given.reference.transpose(1, 0, 2).reshape(60, -1)
    assert [value[0] for value in reference.values] == ends.min(axis=1).tolist()
    assert [value[2] for value in reference.values] == ends.max(axis=1).tolist()


def test_a_box_names_its_channels_and_the_loudest_of_them() -> None:
    found = figure(tensors())
    at = LOUD // 10
    assert readout(found, at).startswith(f"Channels {10 * at} to {10 * at + 9} (loudest {LOUD}, quietest ")
    assert readout(found, 60.0) == ""
    assert stops(found) == list(range(60))


def test_few_channels_have_a_box_each() -> None:
    found = figure(tensors(12))
    assert readout(found, 7).startswith("Channel 7: Reference ")
    assert not any("in each box" in note for note in found.notes)


def test_the_loudest_and_the_quietest_are_named_and_those_that_are_zero_counted() -> None:
    notes = " ".join(figure(tensors()).notes)
    assert f"Loudest: {LOUD} (" in notes
    assert "Quietest: " in notes
    assert f"1 of {CHANNELS} channels is zero." in notes


def test_the_loudest_can_stand_first() -> None:
    found = figure(tensors(12), order="loudness")
    assert readout(found, 0).startswith(f"Channel {LOUD % 12}: ")
    assert readout(found, 11).startswith(f"Channel {SILENT}: ")


def test_one_side_alone_has_one_box_per_channel() -> None:
    [candidate] = boxes(figure(tensors(both=False)))
    assert (candidate.role, candidate.width) == ("candidate", 0.8)


def test_thresholds_are_lines_across() -> None:
    found = figure(tensors(12, qparams=QParams((1.0,), (0,), 8, True)))
    lines = [layer for layer in found.layers if isinstance(layer, Line)]
    assert {line.label for line in lines} == {"Thresholds"}
    assert len(lines) == 2


def test_channels_over_samples_are_drawn_as_those_of_one_sample() -> None:
    values = np.random.default_rng(2).standard_normal((4, 12, 20))
    spreading = Spreading(1, 12, 4)
    for sample in values:
        spreading.see(sample[np.newaxis])
    found = all_channels_figure(view_of(spreading.found()), None, "t")
    [only] = boxes(found)
    ends = values.transpose(1, 0, 2).reshape(12, -1)
    assert [value[0] for value in only.values] == ends.min(axis=1).tolist()
    assert [value[2] for value in only.values] == ends.max(axis=1).tolist()


def test_the_numbers_of_the_boxes_are_a_table() -> None:
    head, first, *_ = figure_csv(figure(tensors(12))).splitlines()
    assert head.startswith("Channel,lowest")
    assert first.startswith("Channel 0,")


@pytest.mark.parametrize(("scale", "shown"), [(0.1, 2), (4.0, 2), (1000.0, 0)])
def test_thresholds_of_codes_stand_in_the_histogram_where_they_are_near(scale: float, shown: int) -> None:
    given = tensors(12, qparams=QParams((scale,), (0,), 8, True))
    found = distribution_figure(overview(given), log=False)
    [rules] = [layer for layer in found.layers if isinstance(layer, Rules) and layer.label == "Thresholds"]
    assert len(rules.x) == shown
    assert all(found.x.low <= x <= found.x.high for x in rules.x)
    assert found.notes[0].startswith("Thresholds ")


def test_without_codes_there_are_no_thresholds() -> None:
    noise = np.random.default_rng(0).standard_normal((1, 4, 50))
    found = distribution_figure(overview(Tensors("t", noise, noise + 1e-3, noise.shape, True)), log=False)
    assert not any(layer.label == "Thresholds" for layer in found.layers)
