"""`errorflow curve`."""

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from errorflow.base.sample import SAMPLES
from errorflow.cli.main import main
from errorflow.study.rank.curves_file import read_curves

FAULTY = next(sample for sample in SAMPLES if sample.key == "node_fault")
CLEAN = next(sample for sample in SAMPLES if sample.key == "clean")
CULPRIT = FAULTY.truth().restoring_nodes[0]


def curve(out: Path, *options: str, of: str = str(FAULTY.model), data: str = str(FAULTY.calibration)) -> int:
    return main(["curve", of, "--data", data, "--samples", "12", *options, "--out", str(out)])


def rows(out: Path) -> list[dict[str, str]]:
    with (out / "curves.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_weights_activations_and_both_go_along_the_depth(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert curve(tmp_path) == 0
    out = capsys.readouterr().out
    assert f"largest step at {CULPRIT}" in out
    assert {row["curve"] for row in rows(tmp_path)} == {
        *("weights only", "activations only", "weights and activations")
    }
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("cumulative_cosine.svg", "cumulative_relative_l2.svg", "cumulative_sqnr.svg"),
        *("curves.csv", "curves.json"),
    ]
    for path in tmp_path.glob("*.svg"):
        assert ElementTree.fromstring(path.read_text("utf-8")).get("width") == "1200"


def test_nodes_are_chosen_one_by_one_and_as_groups(tmp_path: Path) -> None:
    options = ("--only", f"{CULPRIT},/stem/conv/Conv", "--group", f"{CULPRIT}+/stem/conv/Conv", "--all-but", CULPRIT)
    assert curve(tmp_path, *options, "--part", "both", "--csv") == 0
    labels = list(dict.fromkeys(row["curve"] for row in rows(tmp_path)))
    assert labels == [
        "everything",
        f"only {CULPRIT}",
        "only /stem/conv/Conv",
        f"only {CULPRIT}+/stem/conv/Conv",
        f"all but {CULPRIT}",
    ]
    last = {row["curve"]: float(row["mean"]) for row in rows(tmp_path) if row["metric"] == "relative_l2"}
    assert last["everything"] > 0.5 > 0.1 > last[f"all but {CULPRIT}"]


def test_a_recovery_ranks_by_itself_and_finds_the_knee(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert curve(tmp_path, "--kind", "recovery") == 0
    out = capsys.readouterr().out
    assert "Knee: 1 kept" in out
    saved = read_curves(tmp_path / "curves.json").curves
    assert saved.points[1].name == CULPRIT
    assert saved.complete
    assert (tmp_path / "ranking.json").exists()


def test_a_healthy_model_has_no_knee(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert curve(tmp_path, "--kind", "recovery", "--csv", of=str(CLEAN.model), data=str(CLEAN.calibration)) == 0
    assert "The curve has no knee." in capsys.readouterr().out


def test_a_partial_quantization_takes_a_ranking_and_a_threshold(tmp_path: Path) -> None:
    assert curve(tmp_path, "--kind", "recovery", "--metric", "cosine", "--csv") == 0
    ranking = ("--ranking", str(tmp_path / "ranking.json"))
    out = tmp_path / "partial"
    assert curve(out, "--kind", "partial", "--metric", "cosine", *ranking, "--pick-threshold", "0.99") == 0
    saved = read_curves(out / "curves.json").curves
    assert [point.name for point in saved.points] == ["none", CULPRIT]
    assert saved.threshold == 0.99
    assert [one.look for one in saved.curves] == ["line", "marks"]
    assert (out / "partial_cosine.svg").exists()


def test_the_first_of_a_ranking_are_kept_along_the_depth(tmp_path: Path) -> None:
    assert curve(tmp_path, "--keep-top", "1,3", "--part", "weights", "--metric", "cosine", "--csv") == 0
    labels = list(dict.fromkeys(row["curve"] for row in rows(tmp_path)))
    assert labels == ["everything", "worst 1 kept in float, weights", "worst 3 kept in float, weights"]


def test_parts_put_to_16_bits(tmp_path: Path) -> None:
    assert curve(tmp_path, "--kind", "recovery", "--to", "16", "--top", "2", "--part", "weights", "--csv") == 0
    saved = read_curves(tmp_path / "curves.json").curves
    assert (saved.to, len(saved.points)) == (16, 3)
    assert saved.points[1].type.endswith("weight")


def test_averages_are_drawn_and_what_was_measured_is_kept(tmp_path: Path) -> None:
    assert curve(tmp_path, "--average", "--part", "weights", "--metric", "cosine") == 0
    assert rows(tmp_path)[0]["measure"] == "average accumulated"
    assert "Average cosine similarity" in (tmp_path / "cumulative_cosine.svg").read_text("utf-8")
    assert not read_curves(tmp_path / "curves.json").curves.averaged


def test_what_is_known_is_gone_on_with(tmp_path: Path) -> None:
    assert curve(tmp_path, "--kind", "recovery", "--top", "3", "--csv") == 0
    before = read_curves(tmp_path / "curves.json").curves
    assert curve(tmp_path, "--kind", "recovery", "--top", "5", "--csv", "--resume") == 0
    after = read_curves(tmp_path / "curves.json").curves
    assert after.points[:4] == before.points
    assert (after.curves[0].values[:, :4] == before.curves[0].values).all()


def test_what_ended_while_it_ranked_is_gone_on_with(tmp_path: Path) -> None:
    assert curve(tmp_path, "--kind", "recovery", "--top", "3", "--csv") == 0
    (tmp_path / "curves.json").unlink()
    ranked = (tmp_path / "ranking.json").read_bytes()
    assert curve(tmp_path, "--kind", "recovery", "--top", "3", "--csv", "--resume") == 0
    assert (tmp_path / "ranking.json").read_bytes() == ranked
    (tmp_path / "curves.json").unlink()
    assert curve(tmp_path, "--part", "both", "--csv", "--resume") == 2


def test_a_png_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("errorflow_viewer")
    assert curve(tmp_path, "--part", "both", "--metric", "cosine", "--png", "--theme", "dark") == 0
    assert (tmp_path / "cumulative_cosine.png").read_bytes().startswith(b"\x89PNG")
    assert not (tmp_path / "cumulative_cosine.svg").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--kind", "recovery", "--average"], "--average is not for --kind recovery"),
        (["--top", "3"], "--top is not for --kind cumulative"),
        (["--pick-threshold", "0.9"], "--pick-threshold is not for"),
        (["--part", "inputs"], "--part knows no inputs"),
        (["--only", "nobody"], "nobody"),
        (["--only", ","], "names nothing"),
        (["--keep-top", "none"], "--keep-top takes numbers"),
        (["--measure-on", "0"], "--measure-on must be at least 1"),
        (["--metric", "psnr"], "--metric knows no psnr"),
        (["--resume"], "There is no curves.json"),
        (["--kind", "partial", "--pick-threshold", "-1", "--metric", "cosine"], "No part is as bad"),
    ],
)
def test_what_cannot_be_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert curve(tmp_path, *options) == 2
    assert said in capsys.readouterr().err


def test_curves_of_another_plan_or_model_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert curve(tmp_path, "--part", "both", "--csv", "--metric", "cosine") == 0
    assert curve(tmp_path, "--part", "both", "--preset", "amct", "--resume") == 2
    assert curve(tmp_path, "--part", "both", "--resume", of=str(CLEAN.model)) == 2
    said = capsys.readouterr().err
    assert "of another model" in said


def test_a_ranking_of_another_model_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert curve(tmp_path, "--kind", "recovery", "--top", "1", "--csv") == 0
    path = tmp_path / "ranking.json"
    text = path.read_text("utf-8")
    path.write_text(text.replace("/stem/", "/other/"), "utf-8")
    json.loads(path.read_text("utf-8"))
    assert curve(tmp_path, "--kind", "recovery", "--ranking", str(path), "--csv") == 2
    assert "of another model" in capsys.readouterr().err


def test_groups_are_kept_one_after_the_other(tmp_path: Path) -> None:
    groups = ("--group", "/stem/conv/Conv+/head/fc/Gemm", "--group", CULPRIT)
    assert curve(tmp_path, "--kind", "recovery", *groups, "--csv") == 0
    saved = read_curves(tmp_path / "curves.json").curves
    assert [point.name for point in saved.points] == ["none", CULPRIT, "/stem/conv/Conv+/head/fc/Gemm"]


def test_a_model_that_is_quantized_already_goes_by_its_own_plan(tmp_path: Path) -> None:
    options = ("--reference", str(FAULTY.model), "--part", "weights,activations", "--csv")
    assert curve(tmp_path, *options, of=str(FAULTY.candidate_model)) == 0
    last = {row["curve"]: float(row["mean"]) for row in rows(tmp_path) if row["metric"] == "relative_l2"}
    assert last["weights only"] > 0.5 > 0.1 > last["activations only"]
