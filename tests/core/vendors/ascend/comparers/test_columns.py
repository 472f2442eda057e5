"""The columns of msaccucmp, digit for digit: as the tool printed them, and as whole arrays give them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from errorflow.base.errors import UsageError
from errorflow.compare.comparer import Cells
from errorflow.vendors.ascend.comparers import columns as tool_passes
from errorflow.vendors.ascend.comparers.columns import COLUMNS, FILE_COLUMNS, MsaccucmpColumn, cells, chosen, is_scalar

DATA = Path(__file__).parents[4] / "data" / "compare"
RECORDED = json.loads((DATA / "metrics.json").read_text("utf-8"))
DOCS = Path(__file__).parents[5] / "docs" / "metrics.md"
TINY = np.float32(2**-52)
each_column = pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.name)


def row(mine: NDArray[Any], golden: NDArray[Any], **options: Any) -> Cells:
    return cells(mine, golden, shape=mine.shape, my_path="my", golden_path="golden", **options)


def plainly(x: NDArray[Any], y: NDArray[Any]) -> list[str]:
    """The formulas in float32, each over the whole array at once."""
    with np.errstate(all="ignore"):
        x, y = x.astype(np.float32), y.astype(np.float32)
        d = np.abs(x - y)
        r = np.where(np.abs(y) > TINY, np.abs(x / y - 1), np.float32(0))
        red = np.float32(0) if (y**2).sum() ** 0.5 <= TINY else (((x - y) ** 2).sum() / (y**2).sum()) ** 0.5
        numbers = [d.max(), r.sum(), red, divergence(x, y), d.mean(), np.sqrt((d**2).mean()), r.max(), r.mean()]
        numbers = [f"{number:.6f}" for number in numbers]
        sides = ",".join(f"({near(v.mean(dtype='f8'))};{near(v.std(dtype='f8'))})" for v in (x, y))
        return [cosine(x, y), *numbers[:4], sides, *numbers[4:]]


def cosine(x: NDArray[Any], y: NDArray[Any]) -> str:
    norms = [np.sqrt((v * v).sum()) for v in (x, y)]
    if norms[0] <= TINY and norms[1] < TINY:
        return "1.0"
    if any(norm**0.5 <= TINY for norm in norms):
        return "NaN"
    return f"{min(((x / norms[0]) * (y / norms[1])).sum(), 1.0):.6f}"


def divergence(x: NDArray[Any], y: NDArray[Any]) -> Any:
    p, q = (share(v) for v in (x, y))
    p, q = p / p.sum(), q / q.sum()
    found = (p * np.log(p / q)).sum()
    return np.float32(0) if abs(found) < TINY else found


def share(v: NDArray[Any]) -> NDArray[Any]:
    spread = v.max() - v.min()
    shares: NDArray[Any] = np.maximum((v - v.min()) / spread if spread != 0 else v, np.finfo(np.float32).eps)
    return shares


def near(value: Any) -> str:
    return f"{0.0 if abs(value) < 0.001 else value:.3f}"


@pytest.mark.parametrize("case", RECORDED["cases"], ids=lambda case: case["name"])
def test_a_row_is_what_the_tool_printed(case: dict[str, Any]) -> None:
    with np.load(DATA / "metrics.npz") as arrays:
        mine, golden = (np.resize(arrays[case[side]], case["size"]) for side in ("mine", "golden"))

    found = cells(
        mine,
        golden,
        shape=case["shape"],
        my_path=RECORDED["mine"],
        golden_path=RECORDED["golden"],
        maximum=case["maximum"],
    )

    assert found.values == dict(zip(RECORDED["columns"], case["values"], strict=True))
    assert list(found.messages) == case["messages"]


def some(count: int, seed: int, dtype: Any = np.float32) -> tuple[NDArray[Any], NDArray[Any]]:
    random = np.random.default_rng(seed)
    golden = random.standard_normal(count) * 10.0 ** random.integers(-6, 6)
    mine = golden + random.standard_normal(count) * np.abs(golden).max(initial=0) * 10.0 ** random.integers(-5, 1)
    if seed % 3 == 0:
        mine, golden = np.maximum(mine, 0), np.maximum(golden, 0)
    return mine.astype(dtype), golden.astype(dtype)


@pytest.mark.parametrize("count", [1, 2, 7, 127, 128, 129, 8192, 8200, 32768, 32769, 65537, 131071, 400_003, 999_999])
@pytest.mark.parametrize("seed", range(3))
def test_pieces_give_the_bits_of_the_whole(count: int, seed: int) -> None:
    mine, golden = some(count, seed + count)

    assert list(row(mine.reshape(1, -1), golden.reshape(1, -1), maximum=0).values.values()) == (
        plainly(mine, golden) if count > 1 else ["1.000000", *plainly(mine, golden)[1:]]
    )


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int32, ">f4"])
def test_types_are_converted_the_same_way_when_each_pass_converts_anew(
    dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_passes, "KEPT", 0)
    mine, golden = (np.clip(each * 10, -60000, 60000).astype(dtype) for each in some(150_001, 5))

    assert list(row(mine, golden).values.values()) == plainly(mine, golden)


numbers = st.one_of(
    st.floats(width=32), st.sampled_from([0.0, -0.0, 1.0, 3.4e38, 1e-45, 2.0**-52]), st.integers(-128, 127).map(float)
)
pairs = st.integers(2, 300).flatmap(
    lambda size: st.tuples(*(hnp.arrays(np.float32, size, elements=numbers, fill=numbers) for _ in range(2)))
)


@given(both=pairs)
def test_special_values_give_what_whole_arrays_give(both: tuple[NDArray[Any], NDArray[Any]]) -> None:
    mine, golden = both

    assert list(row(mine, golden).values.values()) == plainly(mine, golden)


@given(both=pairs)
def test_a_wide_spread_of_deviations_is_printed_exactly(both: tuple[NDArray[Any], NDArray[Any]]) -> None:
    mine, golden = (np.nan_to_num(each, posinf=1e3, neginf=-1e3).clip(-1e3, 1e3) / 1000 for each in both)

    assert row(mine, golden).values["StandardDeviation"] == plainly(mine, golden)[5]


@pytest.mark.parametrize("cut", [slice(None, None, 2), slice(None, None, -1)])
def test_the_layout_does_not_matter(cut: slice) -> None:
    mine, golden = some(70_000, 1)

    assert row(mine[cut], golden[cut]) == row(mine[cut].copy(), golden[cut].copy())


def test_arrays_are_read_in_their_logical_order() -> None:
    mine, golden = (each.reshape(40, -1) for each in some(40_000, 4))

    assert row(np.asfortranarray(mine), golden) == row(mine, golden)


def test_unaligned_data_is_read() -> None:
    mine, golden = some(1000, 2)
    shifted = np.frombuffer(b"\0" + mine.tobytes(), np.uint8)[1:].view(np.float32)

    assert row(shifted, golden) == row(mine, golden)


def test_sizes_that_differ_are_a_remark() -> None:
    found = cells(np.zeros(3), np.zeros(4), shape=(3,), my_path="a.0", golden_path="b.npy")

    assert set(found.values.values()) == {"NaN"}
    assert ",".join(found.messages) == (
        "The my output dump data size (3) in ''a.0'' does not match the ground truth dump data size (4) in ''b.npy''."
    )


def test_the_remarks_are_joined_by_commas() -> None:
    empty = np.zeros(0, np.float32)

    assert ",".join(row(empty, empty).messages).count("zero-size array") == 3
    assert ",".join(row(empty, empty).messages).count(",Failed to execute") == 2


@each_column
def test_a_column_alone_is_what_it_is_among_all(column: MsaccucmpColumn) -> None:
    mine, golden = some(9000, 7)

    assert row(mine, golden, columns=(column,)).values == {column.name: row(mine, golden).values[column.name]}


@pytest.mark.parametrize(
    ("shape", "scalar"), [((), True), ((1, 1), True), ((2, 0), True), ((0,), False), ((2,), False), ((1, 2), False)]
)
def test_a_scalar_is_what_the_tool_takes_for_one(shape: tuple[int, ...], scalar: bool) -> None:
    assert is_scalar(shape) == scalar


@each_column
def test_a_column_is_chosen_by_name_or_number(column: MsaccucmpColumn) -> None:
    assert chosen(column.name) == chosen(f" {column.number} ,") == (column,)


@pytest.mark.parametrize("text", ["all", "ALL"])
def test_all_are_chosen(text: str) -> None:
    assert chosen(text) == COLUMNS


def test_columns_come_in_the_order_asked_for_and_once() -> None:
    assert [column.number for column in chosen("9,0,CosineSimilarity, 3")] == [9, 0, 3]


@pytest.mark.parametrize("text", ["", " , ", "cosine", "10", "0,SNR", "-1"])
def test_what_is_no_algorithm_is_refused_with_those_that_are(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        chosen(text)

    assert all(column.name in caught.value.hint for column in COLUMNS)


def test_comparing_two_files_shows_eight_columns() -> None:
    assert [column.number for column in FILE_COLUMNS] == [0, 1, 2, 3, 6, 7, 8, 9]


@each_column
def test_the_documentation_tells_of_the_column(column: MsaccucmpColumn) -> None:
    text = DOCS.read_text("utf-8")

    assert f"- {column.number} **{column.name}** `{column.formula}`. {column.definition}\n" in text
