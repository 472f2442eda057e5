"""RKNN's three generations, and its proposal."""

import math
from pathlib import Path

import pytest

from errorflow.base.errors import FormatError
from errorflow.compare.results import ResultTable, read_results
from errorflow.vendors.rockchip.results.analysis import FUSED, ON_SIMULATOR_ONLY, STATES
from result_samples import DATA

BOARD = """
layer_name                     simulator_error                             runtime_error
                           entire              single                  entire           single_sim
                        cos      euc        cos      euc            cos      euc        cos      euc
------------------------------------------------------------------------------------------------------
[Input] input2        1.00000 | 0.0       1.00000 | 0.0           0.99995 | 0.1627    0.99995 | 0.1627
[Conv] 779            0.99999 | 1.0755    0.99999 | 1.0755
[Relu] 524
[Relu] 527            0.99997 | 0.8659     q_zero |  q_zero        rt_nan |  rt_inf   1.00000 | 0.0046
"""
COSINES = """# quant_error: calculate the quantize errors.
layer_name                     quant_error              runtime_error
                           entire    per_layer      simu_err  golden_err
------------------------------------------------------------------------
images                     1.000000  1.000000
/stem/Conv_output_0        0.999929  0.999929       -0.775455 -0.775426
"""


def read(folder: Path, text: str, name: str = "error_analysis.txt") -> ResultTable:
    path = folder / name
    path.write_text(text, "utf-8")
    (table,) = read_results(path)
    return table


def test_both_measures_stand_in_one_table() -> None:
    (table,) = read_results(DATA / "rknn-error-analysis.txt")

    assert table.measures == ("accumulated", "node")
    assert [column.key for column in table.columns] == [
        *("rknn.entire.cos", "rknn.entire.euc", "rknn.single.cos", "rknn.single.euc")
    ]
    row = table.rows[4 + 1]
    assert (row.name, row.op_type) == ("r2_out", "Relu")
    assert row.values == {
        "rknn.entire.cos": 0.99989,
        "rknn.entire.euc": 1.58488,
        "rknn.single.cos": 0.99995,
        "rknn.single.euc": 1.03983,
    }


def test_a_blank_row_was_fused_and_is_not_zero() -> None:
    (table,) = read_results(DATA / "rknn-error-analysis.txt")

    fused = [row.name for row in table.rows if FUSED in row.notes]
    assert fused == ["c1_out", "c2_out", "c3_bad_out", "add_out", "c6_out", "c7_out"]
    assert all(not row.values for row in table.rows if row.name in fused)


def test_the_board_has_columns_of_its_own(tmp_path: Path) -> None:
    table = read(tmp_path, BOARD)

    assert [column.name for column in table.columns[4:]] == [
        *("runtime entire cos", "runtime entire euc", "runtime single_sim cos", "runtime single_sim euc")
    ]
    assert table.rows[0].values["rknn.runtime.single_sim.euc"] == 0.1627
    assert table.rows[1].notes == (ON_SIMULATOR_ONLY,)


def test_a_broken_tensor_is_worse_than_any_number(tmp_path: Path) -> None:
    row = read(tmp_path, BOARD).rows[3]

    assert math.isnan(row.values["rknn.single.cos"])
    assert row.states["rknn.single.cos"] == "q_zero: the quantized tensor is all zero"
    assert row.states["rknn.runtime.entire.euc"] == "rt_inf: the board's tensor holds infinity"
    assert row.values["rknn.entire.cos"] == 0.99997


@pytest.mark.parametrize("word", STATES)
def test_every_word_in_place_of_a_number_is_known(word: str, tmp_path: Path) -> None:
    table = read(tmp_path, BOARD.replace("rt_nan", word))

    assert table.rows[3].states["rknn.runtime.entire.cos"].startswith(f"{word}: ")


def test_the_early_form_has_cosines_only(tmp_path: Path) -> None:
    table = read(tmp_path, COSINES)

    assert [column.name for column in table.columns] == ["entire", "per_layer", "simu_err", "golden_err"]
    assert table.rows[1].values == {
        "rknn.entire.cos": 0.999929,
        "rknn.single.cos": 0.999929,
        "rknn.simu_err": -0.775455,
        "rknn.golden_err": -0.775426,
    }


def test_colours_of_the_terminal_and_what_it_says_next_are_no_rows(tmp_path: Path) -> None:
    colored = BOARD.replace("0.99997", "\x1b[1;33m0.99997\x1b[0m") + "I The error analysis results save to: ./a.txt\n"

    assert read(tmp_path, colored).rows == read(tmp_path, BOARD).rows


def test_two_analyses_in_one_console_are_two_tables(tmp_path: Path) -> None:
    path = tmp_path / "console.txt"
    path.write_text(BOARD + COSINES, "utf-8")

    assert [len(table.rows) for table in read_results(path)] == [4, 2]


def test_a_name_may_hold_spaces(tmp_path: Path) -> None:
    assert read(tmp_path, BOARD.replace("779 ", "a b 1.5 ")).rows[1].name == "a b 1.5"


def test_a_cast_that_was_added_knows_the_tensor_it_changes() -> None:
    (table,) = read_results(DATA / "rknn-error-analysis.txt")

    assert (table.rows[1].name, table.rows[1].names) == ("input_int8", ("input",))


def test_toolkit_1_spells_it_like_that() -> None:
    (table,) = read_results(DATA / "rknn-toolkit1.txt")

    assert [column.name for column in table.columns] == ["cosine_norm", "eculidean_norm", "eculidean"]
    row = table.rows[1]
    assert (row.names, row.shape, row.dtype) == (("leaky_2",), (1, 60, 90, 16), "u8")


@pytest.mark.parametrize(
    ("name", "measure"),
    [("individual_qnt_error_analysis.txt", "node"), ("entire_qnt_error_analysis.txt", "accumulated")],
)
def test_the_name_of_the_file_tells_whether_errors_add_up(name: str, measure: str, tmp_path: Path) -> None:
    table = read(tmp_path, (DATA / "rknn-toolkit1.txt").read_text("utf-8"), name)

    assert (table.measures, table.problems) == ((measure,), ())


def test_the_proposal_is_a_curve_of_recovery() -> None:
    (table,) = read_results(DATA / "rknn-proposal.quantization.cfg")

    assert [row.name for row in table.rows] == ["(everything quantized)", "b02_b", "b02_a", "b01_b", "b01_a"]
    assert [round(value, 4) for row in table.rows for value in row.values.values()] == [
        *(0.8242, 0.8340, 0.9798, 0.9808, 0.9998)
    ]
    assert table.rows[1].dtype == "float16"
    assert table.measures == ("recovery",)


@pytest.mark.parametrize("head", [("single_sim", "entire"), ("per_layer", "entire"), ("entire", "other")])
def test_a_head_that_no_version_prints_is_a_sentence(head: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "error_analysis.txt"
    path.write_text((BOARD if head[0] in BOARD else COSINES).replace(*head), "utf-8")

    with pytest.raises(FormatError, match="has no table below 'layer_name'"):
        read_results(path)
