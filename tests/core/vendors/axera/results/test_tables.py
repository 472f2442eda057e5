"""Pulsar2's tables and chart."""

from pathlib import Path

import pytest

from errorflow.base.errors import FormatError
from errorflow.compare.results import ResultTable, read_results
from errorflow.vendors.axera.results.tables import CUT
from result_samples import DATA


@pytest.fixture
def tables() -> dict[str, ResultTable]:
    return {table.label: table for table in read_results(DATA / "pulsar2.txt")}


def write(folder: Path, text: str) -> Path:
    path = folder / "console.txt"
    path.write_text(text, "utf-8")
    return path


def test_every_table_among_the_other_output_is_found(tables: dict[str, ResultTable]) -> None:
    assert {label: len(table.rows) for label, table in tables.items()} == {
        "Pulsar2 layer types": 2,
        "Pulsar2 precision, PerLayer Reference": 3,
        "Pulsar2 outliers": 2,
    }


def test_a_precision_row_is_a_tensor(tables: dict[str, ResultTable]) -> None:
    row = tables["Pulsar2 precision, PerLayer Reference"].rows[1]

    assert (row.name, row.names, row.op_type, row.shape, row.dtype) == (
        *("sum_out", ("sum",), "AxQuantizedAdd"),
        *((1, 8, 16, 16), "FP32"),
    )
    assert row.values == {"pulsar2.PerLayer.Cosin": 0.94512, "pulsar2.PerLayer.MSE": 0.07}
    assert row.extra["QDType"] == "U16"


def test_a_name_that_the_console_cut_is_marked(tables: dict[str, ResultTable]) -> None:
    rows = tables["Pulsar2 precision, PerLayer Reference"].rows

    assert [row.name for row in rows if CUT in row.notes] == ["very/long/na…"]


@pytest.mark.parametrize(("method", "measure"), [("PerLayer", "node"), ("EndToEnd", "accumulated")])
def test_the_title_says_what_was_measured(method: str, measure: str, tmp_path: Path) -> None:
    text = (DATA / "pulsar2.txt").read_text("utf-8").replace("PerLayer", method)
    table = read_results(write(tmp_path, text))[1]

    assert (table.measures, table.problems) == ((measure,), ())
    assert table.label == f"Pulsar2 precision, {method} Reference"


def test_without_a_title_the_default_is_assumed_and_said(tmp_path: Path) -> None:
    text = (DATA / "pulsar2.txt").read_text("utf-8").replace("Quant Precision Table【PerLayer Reference】", "")
    table = read_results(write(tmp_path, text))[1]

    assert table.measures == ("node",)
    assert "PerLayer, the default, is assumed" in table.problems[0].text


def test_older_columns_have_other_names(tmp_path: Path) -> None:
    text = """   Quant Precision Table 【PerLayer Reference】
    ┏━━━━━━━━━━┳━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━┳━━━━━━━━━━━┳━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━┓
    ┃ Operator ┃ Type            ┃ Output Tensor ┃ Data Type ┃ Shape   ┃ Cosin Distance    ┃
    ┡━━━━━━━━━━╇━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━╇━━━━━━━━━━━╇━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━┩
    │ Conv_0   │ AxQuantizedConv │ 474           │ FP32      │ (1, 32) │ 0.999932050704956 │
    └──────────┴─────────────────┴───────────────┴───────────┴─────────┴───────────────────┘
"""
    (table,) = read_results(write(tmp_path, text))

    assert table.rows[0].values == {"pulsar2.PerLayer.Cosin": 0.999932050704956}
    assert table.rows[0].dtype == "FP32"
    assert table.columns[0].definition.higher_is_better


def test_levels_of_outliers_are_a_column_each(tables: dict[str, ResultTable]) -> None:
    table = tables["Pulsar2 outliers"]

    assert [column.name for column in table.columns] == ["Sparse channel ratio", "level>=3 ratio", "level>=4 ratio"]
    assert table.rows[0].values["pulsar2.outliers.level.4"] == 0.125


def test_layer_types_are_no_numbers(tables: dict[str, ResultTable]) -> None:
    table = tables["Pulsar2 layer types"]

    assert table.columns == ()
    assert [(row.name, row.extra["Precision"]) for row in table.rows] == [("Add", "U16"), ("head/conv", "S8")]


def test_a_row_of_other_width_is_a_problem(tmp_path: Path) -> None:
    text = (DATA / "pulsar2.txt").read_text("utf-8").replace("│ sum_out       │ (1,", "│ sum_out       (1,")
    table = read_results(write(tmp_path, text))[1]

    assert [row.name for row in table.rows] == ["stem/conv_out", "very/long/na…"]
    assert table.problems[0].where == "row 2 of the table in line 11"


def test_a_title_without_a_table_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="holds none"):
        read_results(write(tmp_path, "Quant Precision Table\nfailed\n"))


def test_boxes_of_the_chart_are_tensors() -> None:
    (table,) = read_results(DATA / "pulsar2-chart.mmd")

    assert table.label == "Pulsar2 precision, PerLayer (chart)"
    assert [(row.name, row.shape, dict(row.extra)) for row in table.rows] == [
        ("input", (1, 3, 32, 32), {}),
        ("stem/conv_out", (1, 8, 16, 16), {"QDType": "U8"}),
        ("sum_out", (1, 8, 16, 16), {"QDType": "U16"}),
    ]
    assert table.rows[0].values == {}
    assert table.rows[2].values == {"pulsar2.PerLayer.Cosin": 0.94512, "pulsar2.PerLayer.MSE": 0.07}


def test_boxes_without_quotes_are_read_as_well(tmp_path: Path) -> None:
    text = "graph TD\n  a[conv,out,(1, 2),FP32->U8,0.5,0.25] --> b(x,(1,),FP32->U8,1.0,0.0)\n"
    (table,) = read_results(write(tmp_path, text))

    assert [(row.name, row.shape) for row in table.rows] == [("conv,out", (1, 2)), ("x", (1,))]
    assert "PerLayer, the default, is assumed" in table.problems[0].text


def test_a_table_with_a_title_twice_is_left_out(tmp_path: Path) -> None:
    text = (DATA / "pulsar2.txt").read_text("utf-8").replace("┃ MSE     ┃", "┃ Cosin   ┃")

    assert [table.label for table in read_results(write(tmp_path, text))] == ["Pulsar2 layer types", "Pulsar2 outliers"]
