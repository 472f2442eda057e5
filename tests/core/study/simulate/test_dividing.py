"""Which samples calibrate and which are measured."""

import pytest

from errorflow.base.errors import UsageError
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.dividing import Division, divided


@pytest.mark.parametrize(
    ("basis", "count", "has_ranges", "others", "numbers", "text"),
    [
        (Basis(), 12, False, None, (9, 9, 3), "Calibrated on 9 samples, evaluated on 3 others."),
        (Basis(), 64, False, None, (56, 56, 8), "Calibrated on 56 samples, evaluated on 8 others."),
        (Basis(), 300, False, None, (263, 263, 37), "Calibrated on 263 samples, evaluated on 37 others."),
        (Basis(), 5000, False, None, (4936, 4936, 64), "evaluated on 64 others."),
        (Basis(samples=8, calibrate_on=6), 100, False, None, (6, 6, 2), "evaluated on 2 others."),
        (Basis(), 4, False, None, (3, 3, 1), "Calibrated on 3 samples, evaluated on 1 other."),
        (Basis(calibrate_on=20), 12, False, None, (12, 0, 12), "on the same 12 samples: no others are left."),
        (
            Basis(calibrate_on=50),
            12,
            False,
            None,
            (12, 0, 12),
            "Only 12 of the 50 samples to calibrate on are there. "
            "Calibrated and evaluated on the same 12 samples: no others are left.",
        ),
        (
            Basis(calibrate_on=50),
            12,
            False,
            30,
            (12, 0, 30),
            "Only 12 of the 50 samples to calibrate on are there. Calibrated on 12 samples, evaluated on 30 others.",
        ),
        (Basis(), 1, False, None, (1, 0, 1), "on the same 1 sample: no others are left."),
        (Basis(samples=5), 12, True, None, (0, 0, 5), "Evaluated on 5 of 12 samples."),
        (Basis(calibrate_on=4), 12, True, None, (0, 0, 12), "so that the first 4 are evaluated too."),
        (Basis(), 12, False, 30, (12, 0, 30), "Calibrated on 12 samples, evaluated on 30 others."),
        (Basis(calibrate_on=4), 12, False, 30, (4, 0, 30), "Calibrated on 4 samples, evaluated on 30 others."),
        (Basis(), 30, True, 30, (0, 0, 30), "Evaluated on 30 samples."),
    ],
)
def test_samples_are_kept_apart_and_it_is_said(
    basis: Basis, count: int, has_ranges: bool, others: int | None, numbers: tuple[int, int, int], text: str
) -> None:
    found = divided(basis, count, has_ranges, others)
    assert found == Division(*numbers, found.text)
    assert found.text.endswith(text)


def test_calibrating_on_none_is_refused() -> None:
    with pytest.raises(UsageError, match="at least 1"):
        divided(Basis(calibrate_on=0), 4, False)


def test_who_calibrates_on_all_lacks_none() -> None:
    assert "Only" not in divided(Basis(calibrate_on=12), 12, False).text
