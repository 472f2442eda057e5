"""What is said of a tensor is exact, in whatever pieces it is looked at."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from errorflow.base.progress import Cancelled
from errorflow.explain.inspect import overview as room
from errorflow.explain.inspect import tensors as pieces
from errorflow.explain.inspect.figures import clipped_texts
from errorflow.explain.inspect.overview import first_look, overview
from errorflow.explain.inspect.summary import ERROR_PERCENTS, VALUE_PERCENTS
from errorflow.explain.inspect.tensors import Tensors, read_pair, weight
from errorflow.graph.qparams import QParams
from evidence_tensors import both, pair

WITH_ALL = st.floats(width=32)
PER_CHANNEL = QParams((0.01, 0.02), (0,), axis=0)
SIDE = arrays.arrays(np.float32, 257, elements=WITH_ALL)


@pytest.fixture(autouse=True, scope="module")
def small_pieces() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "PIECE", 64)
        patch.setattr(room, "PIECE", 64)
        yield


@given(SIDE, SIDE)
def test_numbers_are_those_of_numpy(reference: NDArray[np.float32], candidate: NDArray[np.float32]) -> None:
    seen = overview(both(reference, candidate))
    for side, found in ((reference, seen.reference), (candidate, seen.candidate)):
        assert found is not None
        wide = side.astype(np.float64)
        fine = wide[np.isfinite(wide)]
        assert (found.count, found.nan) == (257, int(np.isnan(wide).sum()))
        assert (found.plus_infinite, found.minus_infinite) == (
            int((wide == np.inf).sum()),
            int((wide == -np.inf).sum()),
        )
        if len(fine):
            assert (found.low, found.high) == (fine.min(), fine.max())
            size = float(np.abs(fine).max())
            assert found.mean == pytest.approx(fine.mean(), rel=1e-9, abs=size * 1e-9)
            values = [value for _, value in found.percentiles]
            assert values == pytest.approx(np.percentile(fine, VALUE_PERCENTS), rel=1e-9, abs=size * 1e-12)
        counts = seen.values.reference if side is reference else seen.values.candidate
        assert counts is not None and int(counts.sum()) == len(fine)


@given(SIDE, SIDE)
def test_errors_are_those_of_numpy(reference: NDArray[np.float32], candidate: NDArray[np.float32]) -> None:
    found = overview(both(reference, candidate)).errors
    assert found is not None
    with np.errstate(invalid="ignore"):
        errors = candidate.astype(np.float64) - reference.astype(np.float64)
    fine = errors[np.isfinite(errors)]
    assert (found.count, found.broken) == (len(fine), 257 - len(fine))
    if len(fine):
        assert found.largest == np.abs(fine).max()
        percentiles = [value for _, value in found.percentiles]
        sizes = np.abs(fine)
        assert percentiles == pytest.approx(np.percentile(sizes, ERROR_PERCENTS), rel=1e-9, abs=sizes.max() * 1e-12)


@pytest.mark.parametrize(
    "values",
    [
        np.array(3.5, np.float32),
        np.zeros((0, 4), np.float32),
        np.full(5, np.nan, np.float32),
        np.array([True, False, True]),
        np.array([-128, 127, 0], np.int8),
        np.full((2, 3), 7.0, np.float16),
    ],
    ids=["scalar", "empty", "nan", "bool", "int8", "constant"],
)
def test_every_kind_of_tensor_can_be_looked_at(values: NDArray[np.generic]) -> None:
    seen = overview(both(values, values.copy()))
    assert seen.reference is not None and seen.reference.count == values.size
    assert seen.errors is not None
    finite = int(np.isfinite(values).sum())
    assert seen.values.candidate is not None and int(seen.values.candidate.sum()) == finite == seen.errors.count


def test_a_large_tensor_is_first_seen_in_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "AT_ONCE", 1000)
    monkeypatch.setattr(room, "FIRST", 512)
    values = np.random.default_rng(1).standard_normal((10, 500), np.float32)
    tensors = both(values, values + np.float32(0.5))
    first, whole = first_look(tensors), overview(tensors)
    assert not first.exact and whole.exact and first.tensors is tensors
    assert first.reference is not None and 256 <= first.reference.count <= 512
    assert first.errors is not None and first.errors.mean == pytest.approx(0.5, abs=1e-6)


def test_a_cancel_strikes_between_two_pieces() -> None:
    class Cancel:
        def step(self, done: int, total: int, text: str) -> None:
            if done:
                raise Cancelled

    with pytest.raises(Cancelled):
        overview(both(np.zeros(500), np.zeros(500)), progress=Cancel())


def test_the_scatter_always_shows_the_same_points() -> None:
    values = np.random.default_rng(2).standard_normal(100_000)
    one, other = (room.sampled_points(both(values, values * 2)) for _ in range(2))
    assert one is not None and other is not None
    assert (one[0] == other[0]).all() and (one[1] == one[0] * 2).all() and 7000 < len(one[0]) <= room.POINTS


def test_the_grid_of_the_run_counts_and_tells_what_is_clipped() -> None:
    reference = np.array([-3.0, -1.0, 0.0, 0.26, 0.5, 1.27, 3.0, 9.0], np.float32)
    codes = np.clip(np.round(reference / 0.01), -128, 127).astype(np.int8)
    tensors = read_pair(pair(reference, codes, QParams((0.01,), (0,))))
    assert tensors.together and tensors.candidate is not None and tensors.candidate.dtype == np.float32
    assert "candidate dequantized" in tensors.done[0]
    seen = overview(tensors)
    assert seen.grid is not None and seen.grid.source == "run" and seen.grid.bits == 8
    assert seen.clipping is not None and (seen.clipping.below, seen.clipping.above) == (1 / 8, 2 / 8)


def test_values_of_the_candidate_on_its_rails_are_counted_whatever_the_reference_says() -> None:
    reference = np.array([-1.0, -0.5, 0.0, 0.5, 1.0, 0.2], np.float32)
    codes = np.array([-128, -128, 0, 127, 127, 127], np.int8)
    seen = overview(read_pair(pair(reference, codes, QParams((0.01,), (0,)))))
    assert seen.clipping is not None and (seen.clipping.below, seen.clipping.above) == (0.0, 0.0)
    assert (seen.clipping.lowest, seen.clipping.highest) == (2, 3)
    assert list(clipped_texts(seen)) == [
        "none of the reference is beyond the grid",
        "2 + 3 of 6 candidate values are on the rails, −1.280 and 1.270",
    ]
    channels = overview(read_pair(pair(np.stack([reference] * 2), np.stack([codes] * 2), PER_CHANNEL)))
    assert channels.clipping is not None and (channels.clipping.lowest, channels.clipping.highest) == (4, 6)


def test_zero_after_a_relu_is_no_rail() -> None:
    codes = np.array([0, 0, 0, 100, 90, 255], np.uint8)
    seen = overview(read_pair(pair(np.abs(codes * 0.01).astype(np.float32), codes, QParams((0.01,), (0,)))))
    assert seen.clipping is not None and (seen.clipping.lowest, seen.clipping.highest) == (0, 1)


def test_of_several_scales_each_channel_is_clipped_by_its_own() -> None:
    reference = np.array([[-3.0, -1.0, 0.0, 1.27], [-30.0, -10.0, 12.7, np.nan]], np.float32)
    scales = np.array([[0.01], [0.1]])
    codes = np.clip(np.round(np.nan_to_num(reference) / scales), -128, 127).astype(np.int8)
    seen = overview(read_pair(pair(reference, codes, QParams((0.01, 0.1), (0,), axis=0))))
    assert seen.grid is None and seen.grids is not None
    assert (len(seen.grids), seen.grids.axis, seen.grids.finest, seen.grids.coarsest) == (2, 0, 0, 1)
    assert seen.clipping is not None and (seen.clipping.below, seen.clipping.above) == (2 / 7, 0.0)
    ends = seen.grids.grid(1)
    assert (ends.zero_point, round(ends.low, 4), round(ends.high, 4)) == (0, -12.8, 12.7)


@given(
    st.integers(2, 9), st.integers(1, 5), st.integers(0, 2), st.sampled_from([(8, True), (8, False), (4, True)]), SIDE
)
def test_what_is_beyond_is_the_same_channel_by_channel(
    count: int, inner: int, axis: int, kind: tuple[int, bool], values: NDArray[np.float32]
) -> None:
    shape = [3, 3, inner]
    shape[axis] = count
    reference = np.resize(values, shape)
    scales = np.linspace(0.01, 1.0, count).astype(np.float32)
    zero = 0 if kind[1] else 100
    qparams = QParams(tuple(scales.tolist()), (zero,), *kind, axis)
    tensors = Tensors("x", reference, np.zeros(shape, np.float32), tuple(shape), together=True, qparams=qparams)
    found = overview(tensors)
    assert found.grids is not None and found.clipping is not None
    below = above = 0
    for channel, side in enumerate(np.moveaxis(reference, axis, 0)):
        grid = found.grids.grid(channel)
        assert grid.zero_point == zero
        fine = side[np.isfinite(side)].astype(np.float64)
        below += int((fine < grid.low - grid.scale / 2).sum())
        above += int((fine > grid.high + grid.scale / 2).sum())
    known = max(1, int(np.isfinite(reference).sum()))
    assert (found.clipping.below, found.clipping.above) == (below / known, above / known)


def test_a_grid_that_nobody_wrote_down_is_read_off_the_values() -> None:
    reference = np.random.default_rng(3).standard_normal(5000).astype(np.float32)
    candidate = (np.round(reference / np.float32(0.04)) * np.float32(0.04)).astype(np.float32)
    grid = overview(both(reference, candidate)).grid
    assert grid is not None and grid.source == "values" and grid.scale == pytest.approx(0.04, rel=1e-4)
    assert overview(both(reference, reference + np.float32(1e-3))).grid is None
    assert overview(both(candidate, candidate.copy())).grid is None


def test_sides_of_different_shapes_are_seen_each_by_itself() -> None:
    tensors = read_pair(pair(np.zeros((2, 3), np.float32), np.ones((4, 5), np.float32)))
    assert not tensors.together and "shape" in tensors.note.lower()
    seen = overview(tensors)
    assert seen.errors is None and seen.points is None
    assert seen.reference is not None and seen.candidate is not None
    assert (seen.reference.count, seen.candidate.count) == (6, 20)


@pytest.mark.parametrize("missing", ["reference", "candidate"])
def test_one_side_alone_is_seen(missing: str) -> None:
    values = np.arange(6, dtype=np.float32)
    tensors = read_pair(pair(None, values) if missing == "reference" else pair(values, None))
    seen = overview(tensors)
    assert getattr(seen, missing) is None and seen.errors is None and tensors.note


def test_what_has_no_order_is_refused() -> None:
    from errorflow.explain.inspect.tensors import UnseenError

    with pytest.raises(UnseenError, match="complex64"):
        weight("w", np.zeros(3, np.complex64))
    with pytest.raises(UnseenError, match="Neither run"):
        read_pair(pair(None, None))


def test_two_that_lie_differently_in_memory_are_compared_place_by_place() -> None:
    values = np.arange(12.0).reshape(3, 4)
    seen = overview(Tensors("x", values, np.asfortranarray(values), (3, 4), together=True))
    assert seen.errors is not None and seen.errors.largest == 0
