"""Finding what lies in a rectangle."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from errorflow_viewer.canvas.cells import Cells

_AT = st.floats(-1000, 1000)
_SIZE = st.sampled_from([0.0, 1.0, 5.0, 40.0, 900.0])
_RECT = st.tuples(_AT, _AT, _SIZE, _SIZE)


@given(st.lists(_RECT, max_size=60), _RECT)
def test_finds_exactly_what_touches(rects: list[tuple[float, float, float, float]], asked: tuple[float, ...]) -> None:
    bounds = np.array([(x, y, x + w, y + h) for x, y, w, h in rects], np.float64).reshape(-1, 4)
    left, top, width, height = asked
    right, bottom = left + width, top + height
    touching = (bounds[:, 0] <= right) & (bounds[:, 2] >= left) & (bounds[:, 1] <= bottom) & (bounds[:, 3] >= top)
    found = Cells(bounds).within(left, top, right, bottom)
    assert sorted(found.tolist()) == np.flatnonzero(touching).tolist()


def test_a_long_thin_drawing_makes_few_cells() -> None:
    y = np.arange(100_000) * 40.0
    cells = Cells(np.column_stack([np.zeros_like(y), y, np.full_like(y, 100), y + 24]))
    assert cells.count <= 200_000
    assert cells.within(0, 400, 100, 410).tolist() == [10]
