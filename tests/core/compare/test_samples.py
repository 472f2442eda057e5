"""Several inputs: found by their names, and gathered per tensor."""

import math
from pathlib import Path

import numpy as np
import pytest

from errorflow.base.errors import UsageError
from errorflow.compare.model import Comparison, Row
from errorflow.compare.samples import lonely_samples, sample_paths, spread


def folders(root: Path, side: str, names: list[str]) -> Path:
    for name in names:
        (root / side / name).mkdir(parents=True)
    return root / side


def test_samples_are_the_names_that_both_sides_have_in_the_order_of_counting(tmp_path: Path) -> None:
    candidate = folders(tmp_path, "m", ["10", "2", "1", "only", ".hidden"])
    reference = folders(tmp_path, "g", ["1", "2", "10", ".hidden"])

    assert [sample.name for sample in sample_paths(candidate, reference)] == ["1", "2", "10"]


def test_an_archive_stands_for_a_folder(tmp_path: Path) -> None:
    candidate, reference = folders(tmp_path, "m", ["img1"]), folders(tmp_path, "g", [])
    reference.mkdir()
    np.savez(reference / "img1.npz", a=np.ones(1))
    (reference / "img1.txt").touch()

    (sample,) = sample_paths(candidate, reference)

    assert (sample.candidate, sample.reference) == (candidate / "img1", reference / "img1.npz")


@pytest.mark.parametrize("missing", [True, False])
def test_nothing_in_common_is_a_sentence(tmp_path: Path, missing: bool) -> None:
    candidate = folders(tmp_path, "m", ["1"])
    reference = tmp_path / "none" if missing else folders(tmp_path, "g", ["2"])

    with pytest.raises(UsageError, match="--samples"):
        sample_paths(candidate, reference)


def rows(**cosines: float) -> Comparison:
    return Comparison(tuple(Row(tensor, None, None, {"cosine": value}) for tensor, value in cosines.items()))


def test_the_worst_sample_and_the_one_in_the_middle_are_told() -> None:
    (a, b) = spread({"1": rows(a=0.9), "2": rows(a=0.5, b=1.0), "3": rows(a=0.8)})

    assert (a.tensor, a.samples, a.worst["cosine"], a.median["cosine"]) == ("a", 3, (0.5, "2"), 0.8)
    assert (b.tensor, b.samples, b.worst["cosine"], b.median["cosine"]) == ("b", 1, (1.0, "2"), 1.0)


def test_what_no_sample_measured_is_left_out() -> None:
    assert spread({"1": Comparison((Row("a", None, None, note="no dump"),))}) == ()


def test_nan_is_the_worst_and_spoils_the_middle_only_when_half_of_all_are_nan() -> None:
    (few,) = spread({"1": rows(a=0.9), "2": rows(a=math.nan), "3": rows(a=0.8)})
    (half,) = spread({"1": rows(a=0.9), "2": rows(a=math.nan)})

    assert few.worst["cosine"][1] == "2"
    assert few.median["cosine"] == pytest.approx(0.85)
    assert math.isnan(half.median["cosine"])


def test_inputs_that_one_side_lacks_are_named_in_the_order_of_counting(tmp_path: Path) -> None:
    mine, golden = folders(tmp_path, "m", ["1", "2", "10"]), folders(tmp_path, "g", ["1", "x"])

    assert lonely_samples(mine, golden) == (["2", "10"], ["x"])
