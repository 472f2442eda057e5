import math
from dataclasses import replace

import numpy as np
import pytest

from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import Scale, badness
from errorflow.explain.findings.columns import sorted_by
from errorflow_viewer.panels.lines.rows import Errors

RELATIVE, COSINE = (next(each for each in METRICS if each.key == key) for key in ("relative_l2", "cosine"))
VALUES = np.array([0.1, np.nan, 0.4, np.nan, np.inf])
KNOWN = np.array([True, True, True, False, True])


def errors(scale: Scale = RELATIVE) -> Errors:
    return Errors(scale, VALUES, KNOWN)


@pytest.mark.parametrize(("row", "text"), [(0, "0.1000"), (1, "NaN"), (2, "0.4000"), (3, "–"), (4, "∞")])
def test_a_value_is_written_as_its_metric_writes_it(row: int, text: str) -> None:
    assert errors().text(row) == text


def test_a_value_that_is_none_is_told_from_one_that_was_not_measured() -> None:
    found = [errors().badness(row) for row in range(5)]
    assert found[0] == badness(RELATIVE, 0.1)
    assert found[1] is not None and math.isnan(found[1])
    assert found[3] is None
    assert found[4] == 1.0


@pytest.mark.parametrize(
    ("scale", "worst_first"), [(RELATIVE, [1, 4, 2, 0, 3]), (COSINE, [1, 0, 2, 4, 3])], ids=["error", "likeness"]
)
def test_the_worst_come_first_and_what_was_not_measured_last(scale: Scale, worst_first: list[int]) -> None:
    found = errors(scale)
    assert sorted_by(found.keys, descending=found.worst_is_large).tolist() == worst_first
    assert sorted_by(found.keys, descending=not found.worst_is_large).tolist()[-1] == 3


def test_it_says_measure_metric_and_formula() -> None:
    assert replace(errors(), measure="node").about == f"node · {RELATIVE.label} · {RELATIVE.formula}"
