"""Numbers that vendors' own tools printed, computed again from the same tensors."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errorflow.compare.metrics.definitions import DEFINITIONS
from errorflow.compare.metrics.measure import measure
from errorflow.vendors.ascend.comparers.columns import COLUMNS, FILE_COLUMNS, cells

DATA = Path(__file__).parents[3] / "shared" / "data"
ASCEND = DATA / "ascend" / "metrics"
RKNN = DATA / "vendors" / "rknn"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the vendor files next to the repository are absent")


def loaded(name: str) -> Any:
    path = ASCEND / name
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


EXPECTED, SHAPES = loaded("expected.json"), loaded("shapes.json")


@pytest.mark.parametrize("columns", [COLUMNS, FILE_COLUMNS], ids=["compare", "file_compare"])
@pytest.mark.parametrize("name", EXPECTED)
def test_every_cell_and_remark_is_the_tools(name: str, columns: Any) -> None:
    expected = EXPECTED[name]
    with np.load(ASCEND / "vectors.npz") as vectors:
        mine, golden = (vectors[key] for key in pair(name, vectors.files))

    found = cells(mine, golden, columns=columns, shape=SHAPES[name], my_path="MY", golden_path="GOLDEN")

    assert found.values == {column.name: expected[column.name] for column in columns}
    shown = {column.name for column in columns}
    hidden = {column.name for column in COLUMNS} - shown
    assert list(found.messages) == [text for text in expected["_errors"] if not any(name in text for name in hidden)]


def pair(name: str, keys: list[str]) -> list[str]:
    return [key for key in keys if key in (f"{name}__x", f"{name}__y")]


def rknn_rows() -> list[tuple[str, float, float]]:
    """Name, cosine and Euclidean distance in the column `entire`."""
    file = RKNN / "own_v2.5.0_sim_resblock.error_analysis.txt"
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    found = (re.fullmatch(r"\[\w+\] (\w+) +([\d.]+) +\| +([\d.]+) .*", line) for line in lines)
    rows = [(match[1], float(match[2]), float(match[3])) for match in found if match]
    return [row for row in rows if (RKNN / "own_snapshot_npy" / "golden" / f"{row[0]}.npy").exists()]


@pytest.mark.parametrize(("name", "cos", "euc"), rknn_rows(), ids=lambda value: value if isinstance(value, str) else "")
def test_rknn_means_what_its_definitions_say(name: str, cos: float, euc: float) -> None:
    golden, simulator = (
        np.load(RKNN / "own_snapshot_npy" / side / f"{name}.npy", allow_pickle=False)
        for side in ("golden", "simulator")
    )
    found = measure(golden, simulator.reshape(golden.shape))

    assert DEFINITIONS.by_key["rknn.entire.cos"].ours(cos) == pytest.approx(found.values["cosine"], abs=6e-6)
    assert euc == pytest.approx(float(np.linalg.norm((simulator - golden).astype(np.float64))), abs=1e-4)
