"""Numbers over samples."""

import numpy as np
import pytest

from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.sums import sums
from errorflow.run.engine.rows import ACCUMULATED, empty, row_of
from errorflow.run.engine.table import Table, spread

NAN = float("nan")


def table(*errors: float) -> Table:
    """One tensor, with another error in each sample."""
    golden = np.array([3.0, 4.0])
    rows = np.stack([empty(1) for _ in errors])
    for row, error in zip(rows, errors, strict=True):
        row[0, ACCUMULATED] = row_of(sums(golden, golden + np.array([error, 0])))
    return Table(("t",), tuple(range(10, 10 + len(errors))), rows)


@pytest.mark.parametrize(
    ("column", "higher", "want"),
    [
        ([1.0, 5.0, 3.0], True, (3.0, 5.0, 1.0, 0)),
        ([1.0, 5.0, 3.0], False, (3.0, 1.0, 5.0, 1)),
        ([1.0, NAN, 3.0], False, (3.0, 1.0, NAN, 1)),
        ([2.0, 1.0], True, (1.0, 2.0, 1.0, 1)),
        ([NAN, NAN], True, (NAN, NAN, NAN, -1)),
    ],
)
def test_of_several_samples(column: list[float], higher: bool, want: tuple[float, ...]) -> None:
    found = spread(np.array(column)[:, None], higher)
    got = found.median[0], found.best[0], found.worst[0], found.worst_sample[0]
    assert got == pytest.approx(want, nan_ok=True)


def test_of_no_samples_there_is_nothing() -> None:
    found = spread(np.zeros((0, 3)), True)
    assert np.isnan(found.median).all() and (found.worst_sample == -1).all()


def test_columns_are_metrics_of_the_rows() -> None:
    found = table(0.0, 0.5, 1.0)
    relative = next(metric for metric in METRICS if metric.key == "relative_l2")
    assert found.column(relative)[:, 0] == pytest.approx([0, 0.1, 0.2])
    assert found.spread(relative).worst_sample.tolist() == [2]
    assert np.isnan(found.column(relative, "node")).all()
    assert np.isnan(found.part("introduced")).all()


def test_what_was_not_measured_has_no_sums() -> None:
    assert Table(("t",), (0,), empty(1)[None]).sums("t", 0) is None
