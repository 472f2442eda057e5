"""`errorflow search`."""

import csv
import json
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from errorflow.cli.main import main
from errorflow.formats.amct.record import read_record
from errorflow.quant.plan_file import read_plan
from errorflow.vendors.ascend.toolchains.config import read_config
from search_benches import CULPRIT, NODE_FAULT

FEW = ("--samples", "24", "--calibrate-on", "8")


def search(out: Path, *options: str) -> int:
    return main(
        ["search", str(NODE_FAULT.model), "--data", str(NODE_FAULT.calibration), *FEW, *options, "--out", str(out)]
    )


def history(out: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((out / "history.json").read_text("utf-8"))
    return found


def test_it_says_what_was_found_and_what_it_took(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert search(tmp_path, "--metric", "agreement", "--max-drop", "0.05") == 0
    out = capsys.readouterr().out
    assert "Agreement of probabilities: 1 in float; at most 0.05 worse than the original is asked for." in out
    assert "1 in float of 21 groups of nodes is enough: 1 in simulation, 1 as deployed." in out
    assert f"{CULPRIT} (Conv) → float" in out
    assert "2 evaluations" in out


def test_its_files_hold_the_plan_and_all_that_was_tried(tmp_path: Path) -> None:
    assert search(tmp_path, "--target", "relative_l2<=0.1", "--strategy", "binary") == 0
    plan = read_plan(tmp_path / "plan.json")
    assert [rule.names for rule in plan.rules] == [(CULPRIT,)]
    found = history(tmp_path)
    assert found["met"] is True
    with (tmp_path / "history.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == found["evaluations"]
    assert rows[0]["good"] == "no"
    assert json.loads((tmp_path / "ranking.json").read_text("utf-8"))["ranking"][0]["name"] == CULPRIT
    log = (tmp_path / "search.log").read_text("utf-8").splitlines()
    assert [line.rsplit(" ", 1)[0] for line in log[:3]] == [
        "Accuracy of original model is",
        "Accuracy of global quantized model is",
        "Accuracy of saved model is",
    ]
    assert not list(tmp_path.glob(".errorflow-search-*")), "a search that is done leaves no journal"


def test_it_writes_what_amct_leaves_behind(tmp_path: Path) -> None:
    options = ("--preset", "amct", "--by", "node", "--strategy", "binary", "--rank-by", "amct", "--amct")
    assert search(tmp_path, "--target", "relative_l2<=0.03", *options) == 0
    ranking = json.loads((tmp_path / "accuracy_based_auto_calibration_ranking_information.json").read_text("utf-8"))
    values = [value for _, value in ranking]
    assert values == sorted(values)
    text = (tmp_path / "amct_log" / "accuracy_based_auto_calibration_record.json").read_text("utf-8")
    first, end = json.JSONDecoder().raw_decode(text)
    assert all(first["roll_back_config"].values())
    assert text[end] == "{", "the next one follows at once"
    final = tmp_path / "accuracy_based_auto_calibration_final_config.json"
    raised = set(read_plan(tmp_path / "plan.json").rules[0].names)
    layers = read_config(final).layers
    assert {name for name, layer in layers.items() if not layer.quant_enable} == raised & layers.keys() != set()
    assert raised.isdisjoint(read_record(tmp_path / "scale_offset_record.txt").layers)


def test_what_amct_cannot_be_told_is_told_and_all_else_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--preset", "amct", "--by", "node", "--strategy", "binary", "--amct")
    assert search(tmp_path, "--target", "relative_l2<=0.0001", *options) == 0
    assert "is not written: No layer with a name is quantized as AMCT does it." in capsys.readouterr().out
    assert (tmp_path / "plan.json").exists()


def test_labels_and_an_evaluator_of_the_users(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.py"
    text = """
        import numpy as np

        def evaluate(run):
            right = [np.argmax(run.outputs(i)["probabilities"]) == run.labels[i] for i in run.samples]
            print("right:", sum(right))
            return sum(right) / len(right)
    """
    path.write_text(dedent(text), "utf-8")
    labels = tmp_path / "labels.txt"
    labels.write_text("\n".join(map(str, first_answers())), "utf-8")
    assert search(tmp_path, "--evaluator", str(path), "--labels", str(labels), "--max-drop", "5%") == 0
    out = capsys.readouterr().out
    assert "mine.py: 1 in float; at most 5% worse than the original is asked for." in out
    assert "is enough" in out
    assert "right: 16" in (tmp_path / "evaluator.log").read_text("utf-8")


def first_answers() -> list[int]:
    """What the float model says of the first samples."""
    import onnxruntime

    session = onnxruntime.InferenceSession(NODE_FAULT.model)
    with np.load(NODE_FAULT.calibration) as archive:
        images = archive[archive.files[0]][:24]
    return [int(np.argmax(session.run(None, {session.get_inputs()[0].name: one[np.newaxis]})[0])) for one in images]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--metric", "agreement"), "Nothing says what is good enough"),
        (("--target", "top1>=0.9"), "needs the right answer of each sample"),
        (("--target", "relative_l2>=0.1"), "Of relative_l2 less is better"),
        (("--target", "cosine>=0.9", "--max-drop", "1"), "cannot both be given"),
        (("--target", "cosine>=0.9", "--metric", "sqnr"), "--target speaks of cosine, and --metric is sqnr"),
        (("--strategy", "magic"), "There is no strategy magic"),
        (("--strategy", "magic.py"), "There is no strategy magic.py"),
        (("--by", "layer"), "--by layer is nothing that can be raised"),
        (("--max-evaluations", "0"), "must be at least 1"),
        (("--evaluator", "nowhere.py"), "nowhere.py"),
        (("--time-limit", "0"), "must be above 0"),
        (("--target", "cosine>=0.9", "--time-limit", "9"), "--time-limit does nothing with --metric cosine"),
        (("--target", "cosine>=0.9", "--labels", "LABELS"), "--labels does nothing with --metric cosine"),
        (
            ("--metric", "agreement", "--max-drop", "1%", "--over", "mean"),
            "--over does nothing with --metric agreement",
        ),
        (("--evaluator", "mine.py", "--output", "y"), "--output does nothing with --evaluator"),
        (("--evaluator", "mine.py", "--over", "worst"), "--over does nothing with --evaluator"),
        (("--target", "cosine>=0.9", "--resume"), "There is no search in"),
    ],
)
def test_what_does_not_go_together_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], said: str
) -> None:
    labels = tmp_path / "labels.txt"
    labels.write_text("1\n" * 24, "utf-8")
    assert search(tmp_path, *(str(labels) if option == "LABELS" else option for option in options)) == 2
    assert said in capsys.readouterr().err


def test_most_samples_are_evaluated_where_answers_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert whole_search(tmp_path, "--metric", "agreement", "--max-drop", "5%") == 0
    out = capsys.readouterr().out
    assert "Calibrated on 10 samples, evaluated on 30 others." in out
    assert "30 samples tell the share to within 5.7%; to see a loss of 1 % about 385 are needed." in out


def test_most_samples_calibrate_where_outputs_are_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert whole_search(tmp_path, "--target", "relative_l2<=0.1", "--max-evaluations", "1") == 0
    assert "Calibrated on 32 samples, evaluated on 8 others." in capsys.readouterr().out


def whole_search(out: Path, *options: str) -> int:
    """Nobody says how many calibrate."""
    data = ("--data", str(NODE_FAULT.calibration), "--samples", "40")
    return main(["search", str(NODE_FAULT.model), *data, *options, "--out", str(out)])


def test_a_target_of_sqnr_has_losses_that_tell_which_set_comes_closest(tmp_path: Path) -> None:
    assert search(tmp_path, "--target", "sqnr>=300", "--strategy", "greedy", "--max-evaluations", "2") == 0
    found = history(tmp_path)
    tried = found["tried"]
    assert isinstance(tried, list)
    assert not found["met"]
    assert [each["loss"] for each in tried] == pytest.approx([300 - each["value"] for each in tried])
    assert found["best"] == max(tried, key=lambda each: each["value"])["number"] != 0
    assert read_plan(tmp_path / "plan.json").rules


def test_where_only_float_is_good_enough_that_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert search(tmp_path, "--target", "sqnr>=300", "--strategy", "binary") == 0
    out = capsys.readouterr().out
    assert "Only with all parts in float it is good enough" in out
    assert "known from before" not in out
    tried = history(tmp_path)["tried"]
    assert isinstance(tried, list)
    assert [(each["known"], each["is_original"]) for each in tried if each["good"]] == [(False, True)]
    assert "No quantized model are generated" in (tmp_path / "search.log").read_text("utf-8")


FAILS_THRICE = """
    def evaluate(run):
        if not hasattr(evaluate, "calls"):
            evaluate.calls = 0
        evaluate.calls += 1
        assert evaluate.calls <= 3, "no boxes were found"
        return 1.0 if evaluate.calls == 1 else 0.5 + evaluate.calls / 100

    def good_enough(original, new):
        return new > 0.9, original - new
"""


def test_a_search_that_ends_early_keeps_what_it_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(dedent(FAILS_THRICE), "utf-8")
    options = ("--evaluator", str(mine), "--strategy", "greedy")
    assert search(tmp_path, *options) == 2
    said = capsys.readouterr().err
    assert "The search ended: The evaluator failed in line" in said
    assert "5 evaluations are known, and what was found is in" in said
    found = history(tmp_path)
    assert not found["complete"]
    assert "no boxes were found" in str(found["stopped"])
    assert found["best"] == 1
    assert len(read_plan(tmp_path / "plan.json").rules) == 1


def test_a_search_that_was_kept_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--target", "relative_l2<=1e-9", "--strategy", "greedy")
    assert search(tmp_path, *options, "--max-evaluations", "1") == 0
    assert search(tmp_path, *options, "--max-evaluations", "2", "--resume") == 0
    assert "2 of them known from before" in capsys.readouterr().out
