"""Ranges as brackets over the values that they are for."""

import numpy as np

from errorflow.explain.inspect.bins import Bins
from errorflow.explain.inspect.figure import Bars, Line
from errorflow.explain.inspect.figures import RangeBracket, ranges_figure


def test_each_range_is_a_bracket_above_all_bars() -> None:
    bins, counts = Bins(np.array([-1.0, 0.0, 1.0])), np.array([9, 99])
    figure = ranges_figure(
        "y", bins, counts, [RangeBracket("A", -1, 1), RangeBracket("B", -0.5, 3, "candidate")], ("8 samples",)
    )
    bars, first, second = figure.layers
    assert isinstance(bars, Bars) and isinstance(first, Line) and isinstance(second, Line)
    assert bars.heights.tolist() == [1.0, 2.0]
    assert first.y.min() > second.y.max() > second.y.min() > 2.0
    assert second.x.tolist() == [-0.5, -0.5, 3, 3]
    assert figure.x.low < -1 and figure.x.high > 3
    assert figure.y.high > first.y.max()
    assert figure.y.names[0] == (0.0, "0")


def test_without_a_range_the_values_have_all_the_room() -> None:
    figure = ranges_figure("y", Bins(np.array([0.0, 1.0])), np.array([99]), [], ())
    assert len(figure.layers) == 1
    assert 2.0 < figure.y.high < 2.5
