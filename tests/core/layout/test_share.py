"""Tall items and the rows they stand in."""

import numpy as np
import pytest

from errorflow.layout.drawing import Floats
from errorflow.layout.level import Level
from errorflow.layout.ranks import rank


def level(edges: list[tuple[int, int]], heights: list[float]) -> Level:
    count = len(heights)
    sources, sinks = (np.array(column, np.int32) for column in zip(*edges, strict=True))
    nothing: Floats = np.zeros(count)
    return Level(
        left=nothing + 30,
        right=nothing + 30,
        heights=np.array(heights, np.float64),
        sources=sources,
        nets=np.arange(len(edges), dtype=np.int32),
        sinks=sinks,
        source_ports=np.full(len(edges), np.nan),
        sink_ports=np.full(len(edges), np.nan),
        tops=np.zeros(count, bool),
        bottoms=np.zeros(count, bool),
        favoured=np.zeros(len(edges), bool),
        stubs=np.zeros(len(edges), bool),
        sides=np.zeros(count, np.int32),
    )


# 0 → 1 → 2 → 3 → 4, and 5 beside them between 0 and 4.
BESIDE = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 5), (5, 4)]


@pytest.mark.parametrize("tall", [1, 2, 3])
def test_a_tall_item_stands_beside_another_tall_one(tall: int) -> None:
    heights = [28.0] * 5 + [400.0]
    heights[tall] = 500.0
    assert rank(level(BESIDE, heights)).rows[5] == tall


def test_a_low_item_stays_where_its_lines_are_short() -> None:
    low, tall = (rank(level(BESIDE, [28.0, 28.0, 500.0, 28.0, 28.0, height])).rows for height in (28.0, 90.0))
    assert low.tolist() == tall.tolist()


def test_no_item_leaves_the_rows_between_its_neighbours() -> None:
    heights = [28.0, 28.0, 28.0, 500.0, 28.0, 400.0]
    rows = rank(level([*BESIDE[:5], (5, 3), (3, 4)][:-1], heights)).rows
    assert rows[0] < rows[5] < rows[3]
