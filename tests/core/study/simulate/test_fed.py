"""Samples that errors are measured on, one at a time."""

from pathlib import Path

import numpy as np

from errorflow.quant.ranges import Calibration, Range
from errorflow.run.model import ModelInput
from errorflow.run.samples.asked import SampleSpec
from errorflow.run.samples.fitting import SampleSlice
from errorflow.run.samples.opening import open_samples
from errorflow.study.simulate.fed import Feeding
from run_models import floats, savez


def fed(place: Path, values: np.ndarray[tuple[int, ...], np.dtype[np.float32]], first: int = 0) -> Feeding:
    whole = open_samples((ModelInput("x", "float32", (1, 2)),), SampleSpec((str(savez(place, {"x": values})),)))
    return Feeding(SampleSlice(whole, first, whole.count - first))


def test_each_sample_is_read_when_it_is_asked_for(tmp_path: Path) -> None:
    values = floats(5, 2)
    found = fed(tmp_path / "a.npz", values, first=2)
    assert len(found) == 3
    assert np.array_equal(found[0]["x"], values[2:3])
    assert [float(each["x"][0, 0]) for each in found[1:]] == values[3:, 0].tolist()


def test_equal_values_are_the_same_whatever_file_and_place_they_have(tmp_path: Path) -> None:
    values = floats(5, 2)
    late, short = fed(tmp_path / "a.npz", values, first=2), fed(tmp_path / "b.npz", values[2:])
    assert late.identity == short.identity
    assert fed(tmp_path / "c.npz", values[::-1]).identity != fed(tmp_path / "d.npz", values).identity


def test_what_is_odd_beside_the_calibration_is_told_with_its_sample(tmp_path: Path) -> None:
    found = fed(tmp_path / "a.npz", floats(2, 2) * 1000)
    said = found.odd(Calibration("minmax", {"x": Range(-1.0, 1.0)}))
    assert said and "a.npz[0]" in said[0]
