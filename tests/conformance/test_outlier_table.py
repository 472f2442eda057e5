"""Our outlier table beside one that Pulsar2 printed."""

from pathlib import Path

import numpy as np
import pytest

from errorflow.explain.outliers.model import Outliers, OutlierTable
from errorflow.report.outliers_boxed import HEAD, TITLE, outliers_boxed

PRINTED = Path(__file__).parents[3] / "shared" / "data" / "vendors" / "axera" / "console_outlier_table.txt"
pytestmark = pytest.mark.skipif(not PRINTED.is_file(), reason="the vendor's table is not there")


def _shape(text: str) -> list[str]:
    """Corners and bars of the first lines, whatever the widths."""
    rows = text.splitlines()[1:6]
    return ["".join(letter for letter in row if letter in "┏┳┓┃┡╇┩│├┼┤") for row in rows]


def test_title_columns_and_lines_are_the_vendors() -> None:
    printed = PRINTED.read_text("utf-8")
    ours = outliers_boxed(
        OutlierTable("m", tuple(Outliers(name, "activation", 1, np.array([3.0, 1.0])) for name in "ab"))
    )
    assert printed.splitlines()[0].strip() == TITLE
    assert [cell.strip() for cell in printed.splitlines()[2].strip("┃").split("┃")] == list(HEAD)
    assert _shape(ours) == _shape(printed)


def test_ratios_are_written_as_the_vendor_writes_them() -> None:
    made = Outliers("t", "activation", 1, np.array([1.0] * 508 + [8.0] * 260))
    assert "0.6614583134651184" in PRINTED.read_text("utf-8")
    assert "0.6614583134651184" in outliers_boxed(OutlierTable("m", (made,)))
