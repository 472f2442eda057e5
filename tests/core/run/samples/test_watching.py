"""What is odd about samples is said by name."""

import numpy as np
import pytest
from numpy.typing import NDArray

from errorflow.run.samples.watching import beyond, looked_at, oddities, range_note
from run_models import floats


def said(*arrays: NDArray[np.generic]) -> tuple[str, ...]:
    return oddities([fed for number, array in enumerate(arrays) for fed in looked_at(f"{number}.npy", {"x": array})])


def test_nothing_is_odd_about_usual_samples() -> None:
    assert said(floats(20), 3 * floats(20, seed=1), floats(20, seed=2) / 3) == ()


def test_values_that_are_not_finite_are_named_with_their_sample() -> None:
    bad = np.array([1, np.nan, np.inf, -np.inf], np.float32)
    assert said(floats(4), bad)[0] == "1.npy: x holds 1 NaN and 2 infinite values."
    assert said(np.full(3, np.nan, np.float32)) == ("0.npy: x holds 3 NaN and 0 infinite values.",)


def test_a_sample_of_another_range_is_named() -> None:
    small = [np.linspace(0, 1, 9, dtype=np.float32) for _ in range(4)]
    [note] = said(*small, 255 * small[0])
    assert note == "4.npy: x lies in 0 … 255; most reach 1. Is it normalised alike?"


def test_raw_pixels_are_recognised() -> None:
    raw = np.arange(0, 250, 10).astype(np.float32)
    assert "as pixels that are not normalised" in said(raw, raw)[0]
    assert said(raw.astype(np.uint8)) == ()


def test_many_notes_are_cut() -> None:
    bad = np.full(3, np.nan, np.float32)
    assert said(*[bad] * 9)[-1] == "… and 6 samples more."


@pytest.mark.parametrize(("high", "odd"), [(255.0, True), (1.5, False), (0.01, True), (0.0, False)])
def test_data_of_another_range_than_calibration_saw(high: float, odd: bool) -> None:
    [fed] = looked_at("a.npy", {"x": np.array([0, high], np.float32)})
    assert bool(range_note(fed, 0, 1)) == odd


def test_of_many_samples_in_another_range_a_few_are_named() -> None:
    values = np.array([0, 255], np.float32)
    seen = [fed for number in range(5) for fed in looked_at(f"{number}.npy", {"x": values, "y": values})]
    found = beyond(seen, {"x": (0.0, 1.0)})
    assert found[0].startswith("0.npy: x lies in 0 … 255, and calibration saw 0 … 1")
    assert found[-1] == "… and 2 samples more."
    assert beyond(seen, {"x": (0.0, 200.0)}) == ()
