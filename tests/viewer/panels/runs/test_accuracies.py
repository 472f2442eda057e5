"""What runs score as columns, the float model's row, and the table that both are exported as."""

import csv
import io
import math
from dataclasses import replace

import pytest

from errorflow.quant.presets import preset
from errorflow.report.runs_text import runs_csv
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.trial import Accuracy, Trial
from errorflow_viewer.panels.runs.accuracies import FLOAT
from errorflow_viewer.panels.runs.evaluate_words import said, told
from errorflow_viewer.panels.runs.rows import RunColumn, RunRows, as_table

PLAN = preset("onnxruntime").plan
COUNTED = Accuracy(
    "300 samples of digits; labels in y.txt",
    300,
    {"top-1": 270, "top-5": 297},
    {"top-1": 294, "top-5": 300},
    told=("It keeps 91.84% of what the original has. At more than 4 % settings come first: `errorflow simulate`.",),
    identity="digits",
)
MEASURED = replace(
    COUNTED, measure="mine.py", value=0.25, original_value=0.125, evaluator="file", higher_is_better=False, good=False
)


def trial(name: str, accuracy: Accuracy | None, basis: Basis | None = None) -> Trial:
    return Trial(name, PLAN, Basis() if basis is None else basis, {"y": {"sqnr": 20.0}}, accuracy=accuracy)


def column(rows: RunRows, title: str) -> RunColumn:
    return next(each for each in rows.columns if each.title == title)


def cells(rows: RunRows, title: str) -> list[str]:
    return [column(rows, title).text(rows, each) for each in rows.listed]


def test_without_an_evaluation_there_is_neither() -> None:
    rows = RunRows((trial("Run 1", None),))
    assert rows.listed == rows.trials and "Top-1" not in [each.title for each in rows.columns]


def test_the_float_model_stands_above_the_runs() -> None:
    better = replace(COUNTED, right={"top-1": 291, "top-5": 300})
    rows = RunRows((trial("Run 1", COUNTED), trial("Run 2", better)))
    assert cells(rows, "Run") == [FLOAT, "Run 1", "Run 2"]
    assert cells(rows, "Top-1") == ["98.00%", "90.00%", "97.00%"]
    assert cells(rows, "Top-5") == ["100.00%", "99.00%", "100.00%"]
    assert cells(rows, "SQNR")[0] == cells(rows, "Verdict")[0] == cells(rows, "Samples")[0] == ""
    assert rows.best(column(rows, "Top-1")) == {"Run 2"}, "the float model is no run"
    assert "digits; labels in y.txt" in column(rows, "Top-1").tip


def test_what_is_about_other_samples_stays_in_the_tooltip() -> None:
    other = replace(COUNTED, about="8 samples", identity="others")
    rows = RunRows((trial("Run 1", other), trial("Run 2", COUNTED), trial("Run 3", None)), now="Run 2")
    assert cells(rows, "Top-1") == ["98.00%", "", "90.00%", ""]
    assert "Evaluated on 8 samples" in rows.tip(rows.trials[0])
    assert "270 of 300 = 90.00%, at 95 % between 86.1% and 92.9%" in rows.tip(rows.trials[1])
    assert "Evaluated" not in rows.tip(rows.trials[2])


def test_an_own_measure_is_a_column_beside_the_counts_of_the_same_samples() -> None:
    another = replace(MEASURED, evaluator="another file", value=9.0)
    runs = (trial("Run 1", MEASURED), trial("Run 2", COUNTED), trial("Run 3", another))
    rows = RunRows((*runs, trial("Run 4", replace(MEASURED, value=math.nan))), now="Run 1")
    assert cells(rows, "mine.py") == ["0.125", "0.25", "", "", "no number"]
    assert cells(rows, "Top-1")[1:] == ["90.00%"] * 4
    lower = RunRows((runs[0], trial("Run 2", replace(MEASURED, value=0.2))))
    assert lower.best(column(lower, "mine.py")) == {"Run 2"}, "less is better"


def test_scores_can_be_compared_on_whatever_samples_errors_were_measured() -> None:
    elsewhere = trial("Run 2", replace(COUNTED, right={"top-1": 280, "top-5": 290}), Basis(SampleSpec(("other.npz",))))
    rows = RunRows((trial("Run 1", COUNTED), elsewhere), now="Run 1")
    assert not rows.is_comparable(elsewhere) and rows.is_comparable(elsewhere, column(rows, "Top-1"))
    assert rows.best(column(rows, "Top-1")) == {"Run 2"} and rows.best(column(rows, "Top-5")) == {"Run 1"}


def test_sentences_are_about_the_run_by_its_name_in_words_of_the_window() -> None:
    (sentence,) = told(trial("As it ships", COUNTED))
    assert sentence.startswith("As it ships keeps 91.84% of what the float model has.") and "`" not in sentence


@pytest.mark.parametrize(
    "text",
    [
        "Give more with --data.",
        "Choose another output with --output, or an evaluator of your own.",
        "Give it more with --time-limit SECONDS, or have it look at fewer samples.",
        "Give it a function good_enough(original, new) -> (bool, loss), or say it with --max-drop 0.01.",
        "Give pictures, or raw .bin files; or make samples up with --random SEED.",
        "Say how it is to be resized: --resize letterbox.",
        "Say it with --dim N=1.",
        "Say --layout nchw or --layout nhwc.",
    ],
)
def test_hints_name_no_options(text: str) -> None:
    assert "--" not in said(text) and said(text).endswith(".")


def test_all_advice_is_in_words_of_the_window() -> None:
    from errorflow.report.evaluation import advice

    for loss in (0.0, 0.02, 0.035, 0.5):
        assert "`" not in said(advice(loss)) and "--" not in said(advice(loss))


def test_the_list_is_exported_with_what_was_evaluated() -> None:
    runs = (trial("Run 1", MEASURED), trial("Run 2", None))
    first, second = csv.DictReader(io.StringIO(runs_csv(runs)))
    assert (first["top-1"], first["float_top-1"], first["evaluated_samples"]) == ("0.9", "0.98", "300")
    assert (first["measure"], first["value"], first["float_value"], first["good_enough"]) == (
        *("mine.py", "0.25", "0.125"),
        "no",
    )
    assert first["evaluated_on"] == MEASURED.about and FLOAT not in runs_csv(runs)
    assert second["top-1"] == second["value"] == second["evaluated_on"] == "" and None not in second
    assert "evaluated_on" not in runs_csv(runs[1:])


def test_the_copied_table_has_the_float_model_as_it_is_shown() -> None:
    rows = RunRows((trial("Run 1", COUNTED),))
    head, first, _ = (line.split("\t") for line in as_table(rows, rows.listed).splitlines())
    found = dict(zip(head, first, strict=True))
    assert (found["Run"], found["Changed"], found["Top-1"]) == (FLOAT, "nothing is quantized", "98.00%")
    assert found["SQNR"] == "" and found["Float, 16 bit"] == "all in float"
