"""What other tools' numbers are, and that those that are ours in disguise are turned into ours."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.definitions import DEFINITIONS
from errorflow.compare.metrics.definitions.definition import Definition
from errorflow.compare.metrics.details import DETAILS
from errorflow.compare.metrics.measure import measure

Doubles = NDArray[np.float64]
OURS = {row.key: row for row in (*METRICS, *DETAILS)}
CONVERTED = [row for row in DEFINITIONS if row.equals]
each = pytest.mark.parametrize("row", DEFINITIONS, ids=lambda row: row.key)
each_converted = pytest.mark.parametrize("row", CONVERTED, ids=lambda row: row.key)


def norm(values: Doubles) -> float:
    return math.sqrt(float((values * values).sum()))


def cosine(r: Doubles, c: Doubles) -> float:
    return float((r * c).sum()) / norm(r) / norm(c)


# As the tools compute them, where that is not our own formula.
FORMULAS: dict[str, Callable[[Doubles, Doubles], float]] = {
    "rknn.v1.entire.eculidean_norm": lambda r, c: norm(c / norm(c) - r / norm(r)),
    "rknn.v1.single.eculidean_norm": lambda r, c: norm(c / norm(c) - r / norm(r)),
    "horizon.sensitivity.sqnr": lambda r, c: 20 * math.log10(math.sqrt(norm(r)) / math.sqrt(norm(c - r))),
    "amct.sensitivity": lambda r, c: 0.5 + 0.5 * cosine(r, c),
    "tpu-mlir.loss": lambda r, c: 1 - cosine(r, c),
    "ort.xmodel_err": lambda r, c: 20 * math.log10(norm(r) / norm(c - r)),
    "ort.qdq_err": lambda r, c: 20 * math.log10(norm(r) / norm(c - r)),
    "ppq.graphwise.snr": lambda r, c: norm(c - r) ** 2 / norm(r) ** 2,
    "ppq.layerwise.snr": lambda r, c: norm(c - r) ** 2 / norm(r) ** 2,
    "nncf.nmse": lambda r, c: norm(c - r) ** 2 / norm(r) ** 2,
    "msaccucmp.RelativeEuclideanDistance.2023": lambda r, c: norm(c - r) ** 2 / norm(r) ** 2,
}


@pytest.mark.parametrize("key", FORMULAS)
@given(seed=st.integers(0, 1000))
def test_a_number_in_disguise_becomes_ours(key: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    r = random.standard_normal(30)
    c = r + random.standard_normal(30) * 0.3
    row = DEFINITIONS.by_key[key]

    assert row.ours(FORMULAS[key](r, c)) == pytest.approx(measure(r, c).values[row.equals], rel=1e-9, abs=1e-9)


@each_converted
def test_all_others_are_ours_under_another_name(row: Definition) -> None:
    assert row.key in FORMULAS or row.ours(0.25) == 0.25


@each_converted
def test_better_stays_better(row: Definition) -> None:
    low, high = row.ours(0.3), row.ours(0.6)

    assert low is not None and high is not None
    assert (high > low) == (row.higher_is_better == OURS[row.equals].higher_is_better)


@pytest.mark.parametrize(("key", "value"), [("ppq.graphwise.snr", math.inf), ("nncf.nmse", 0.0)])
def test_no_error_is_the_best_there_is(key: str, value: float) -> None:
    assert DEFINITIONS.by_key[key].ours(0.0) == value


@pytest.mark.parametrize("key", ["ppq.graphwise.snr", "nncf.nmse"])
def test_what_cannot_be_is_no_number(key: str) -> None:
    assert math.isnan(DEFINITIONS.by_key[key].ours(-1.0) or 0.0)


@each
def test_a_row_converts_to_a_metric_of_ours_or_to_none(row: Definition) -> None:
    assert (row.equals in OURS) == (row.convert is not None)
    assert (row.equals == "") == (row.ours(0.5) is None)


@each
def test_a_row_says_what_it_is(row: Definition) -> None:
    assert row.vendor and row.name and row.formula
    assert "|" not in row.formula
    assert not row.misleads or row.misleads.endswith(".")


def test_each_row_has_its_own_key() -> None:
    assert len({row.key for row in DEFINITIONS}) == len(DEFINITIONS)
    assert all(DEFINITIONS.by_key[row.key] is row for row in DEFINITIONS)
