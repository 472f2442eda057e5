"""tpu-mlir, PPQ, visq and AMCT."""

import json
import math
from pathlib import Path

import pytest

from errorflow.base.errors import FormatError
from errorflow.compare.results import read_results
from errorflow.vendors.ascend.results.amct import FAILS, LAST, PASSES
from errorflow.vendors.sophgo.results.table import ASSUMED
from result_samples import DATA


def write(folder: Path, text: str) -> Path:
    path = folder / "file"
    path.write_text(text, "utf-8")
    return path


def test_a_name_with_commas_is_one_name() -> None:
    """The tool quotes nothing."""
    (table,) = read_results(DATA / "tpu-mlir-csv.csv")

    assert [row.name for row in table.rows] == ["stem/conv_out_Conv", "sum,out", "prob"]
    assert table.rows[1].values == {"tpu-mlir.cos": 0.81, "tpu-mlir.euc": 0.25, "tpu-mlir.sqnr": 4.5}
    assert table.rows[1].extra == {"pass": "False"}


def test_what_was_never_measured_is_marked() -> None:
    """The tool writes 1 and infinity for what it found equal or close."""
    (table,) = read_results(DATA / "tpu-mlir-csv.csv")

    assert [ASSUMED in row.notes for row in table.rows] == [False, False, True]
    assert table.rows[2].values["tpu-mlir.sqnr"] == math.inf


def test_the_console_prints_numbers_below_the_name() -> None:
    (table,) = read_results(DATA / "tpu-mlir-console.txt")

    row, close = table.rows
    assert row.values == {"tpu-mlir.cos": 0.9991, "tpu-mlir.euc": 0.957, "tpu-mlir.sqnr": 27.5}
    assert (row.shape, row.dtype, row.names) == ((1, 8, 16, 16), "float32", ("stem/conv_out",))
    assert (close.values, close.notes) == ({}, (ASSUMED,))


def test_the_console_says_when_it_prints_some_only() -> None:
    (table,) = read_results(DATA / "tpu-mlir-console.txt")

    assert [problem.text for problem in table.problems] == [
        "2 of the 230 tensors that were compared stand in this text."
    ]


def test_the_search_ranks_layers_and_tells_of_the_model() -> None:
    ranked, tried = read_results(DATA / "tpu-mlir-search.log")

    assert [(row.name, row.op_type, row.extra["rank"]) for row in ranked.rows] == [
        ("sum.1", "top.Add", "0"),
        ("stem.1", "top.Conv", "1"),
    ]
    assert tried.rows[0].extra == {"best_th": "9.44", "best_method": "KL"}
    assert ranked.facts == ("all_int8_cos=0.9868", "int8 outputs_cos:0.986809")
    assert ranked.columns[0].definition.ours(0.25) == 0.75


def test_a_qtable_has_types_and_no_numbers(tmp_path: Path) -> None:
    (table,) = read_results(write(tmp_path, "# op_name   quantize_mode\na F32\nb QUICK\nc\n"))

    assert [(row.name, row.dtype) for row in table.rows] == [("a", "F32"), ("b", "QUICK")]
    assert [problem.where for problem in table.problems] == ["line 3", "line 4"]


def test_bars_are_numbers_and_percents_are_shares() -> None:
    (table,) = read_results(DATA / "ppq.txt")

    assert [(row.name, *row.values.values()) for row in table.rows] == [("sum", 0.28455), ("stem/conv", 0.0)]
    assert table.measures == ("impact",)


def test_noise_to_signal_becomes_decibels() -> None:
    (table,) = read_results(DATA / "ppq.txt")
    (column,) = table.columns

    assert column.definition.equals == "sqnr"
    assert column.definition.ours(0.1) == pytest.approx(10.0)
    assert [row.name for row in table.worst(column, 1)] == ["sum"]


def test_ppq_without_a_title_is_taken_for_graphwise(tmp_path: Path) -> None:
    text = (DATA / "ppq.txt").read_text("utf-8").partition("\n")[2]
    (table,) = read_results(write(tmp_path, text))

    assert table.measures == ("accumulated",)
    assert "graphwise is assumed" in table.problems[0].text


@pytest.mark.parametrize("measure", ["COSINE SIMILARITY", "MSE LOSS(UNSCALED)"])
def test_other_measures_of_ppq_are_columns_of_their_own(measure: str, tmp_path: Path) -> None:
    text = f"Analysing Graphwise\nLayer | {measure} \nConv_3:   | ███ | 0.5\n"
    (table,) = read_results(write(tmp_path, text))

    assert [column.name for column in table.columns] == [measure]
    assert [*table.rows[0].values.values()] == [0.5]


def test_visq_names_its_measure() -> None:
    (table,) = read_results(DATA / "visq.json")

    assert table.label == "visq error of net.circle"
    assert [column.key for column in table.columns] == ["visq.mpeir"]
    assert table.rows[1].values == {"visq.mpeir": 0.1221}


def test_a_measure_that_visq_was_taught_is_shown_as_it_is(tmp_path: Path) -> None:
    data = {"meta": {"metric": "TAE", "colorscheme": []}, "error": [{"a": 1, "b": "x"}, 3]}
    (table,) = read_results(write(tmp_path, json.dumps(data)))

    assert table.columns[0].name == "TAE"
    assert table.judging == ()
    assert [*table.rows[1].states.values()] == ["x"]
    assert len(table.problems) == 1


def test_amct_ranks_the_most_sensitive_first() -> None:
    (table,) = read_results(DATA / "amct-ranking.json")

    assert [row.name for row in table.rows] == ["layer3.conv2", "fc"]
    assert table.columns[0].definition.ours(0.98112) == pytest.approx(0.96224)
    assert table.measures == ("node",)


def test_objects_behind_each_other_are_trials() -> None:
    (table,) = read_results(DATA / "amct-history.json")

    first, second = table.rows
    assert (first.notes, second.notes) == ((FAILS,), (PASSES, LAST))
    assert second.extra == {"quantized": "1 of 2", "left in float": "layer3.conv2"}
    assert [*second.values.values()] == [0.0012]


def test_a_history_that_breaks_off_shows_what_is_there(tmp_path: Path) -> None:
    text = (DATA / "amct-history.json").read_text("utf-8")
    (table,) = read_results(write(tmp_path, text[: len(text) - 30]))

    assert len(table.rows) == 1
    assert table.problems[0].text.startswith("The history breaks off: ")


def test_the_final_setting_says_which_layers_are_quantized() -> None:
    (table,) = read_results(DATA / "amct-setting.json")

    assert [(row.name, dict(row.extra)) for row in table.rows] == [
        ("layer3.conv2", {"quantized": "no", "activation bits": "8", "weight bits": "8"}),
        ("fc", {"quantized": "yes"}),
    ]


@pytest.mark.parametrize("key", ["amct-ranking", "amct-setting", "visq", "msprobe-dump"])
def test_json_that_is_nested_without_end_is_a_sentence(key: str, tmp_path: Path) -> None:
    text = (DATA / f"{key}.json").read_text("utf-8").rstrip().removesuffix("]").removesuffix("}")
    closing = ", " if key == "amct-ranking" else ', "deep": '

    with pytest.raises(FormatError, match="is no JSON"):
        read_results(write(tmp_path, text + closing + "[" * 200_000))
