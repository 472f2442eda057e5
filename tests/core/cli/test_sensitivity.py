"""`errorflow sensitivity`."""

import csv
import json
from pathlib import Path

import numpy as np
import onnx
import pytest

from errorflow.base.sample import SAMPLES
from errorflow.cli.main import main
from errorflow.cli.meter import Meter
from errorflow.compare.results import read_results
from errorflow.study.rank.ranking import TEXTS
from errorflow.study.rank.ranking_file import load_ranking
from onnx_models import graph, model, value, weight
from rankings_made import same

SAMPLE = next(sample for sample in SAMPLES if sample.key == "node_fault")
CULPRIT = "/block2/project/conv/Conv"
FEW = ("--data", str(SAMPLE.calibration), "--samples", "12")


def sensitivity(out: Path, *options: str, model: Path = SAMPLE.model) -> int:
    return main(["sensitivity", str(model), *FEW, *options, "--out", str(out)])


def table(out: Path, name: str = "ranking.csv") -> list[dict[str, str]]:
    with (out / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_it_names_the_culprit_first_and_says_what_it_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sensitivity(tmp_path, "--measure", "impact,recovery") == 0
    out = capsys.readouterr().out
    assert "as onnxruntime, calibrated by minmax. Calibrated on 9 samples, evaluated on 3 others." in out
    assert "Impact: what quantizing it alone does to the outputs, on 3 samples." in out
    assert f"  1. {CULPRIT} (" in out
    rows = table(tmp_path)
    assert rows[0]["part"] == CULPRIT
    assert (rows[0]["rank"], rows[0]["recovery_rank"], rows[0]["samples"]) == ("1", "1", "3")
    assert float(rows[0]["impact_relative_l2"]) > float(rows[1]["impact_relative_l2"])
    assert sum(float(row["noise_share"]) for row in rows) == pytest.approx(1, abs=1e-6)


def test_metrics_measures_and_parts_are_chosen(tmp_path: Path) -> None:
    assert sensitivity(tmp_path, "--by", "weight", "--metric", "cos,sqnr", "--rank-on", "1") == 0
    rows = table(tmp_path)
    assert {"impact_cosine", "impact_sqnr"} <= rows[0].keys() and "impact_relative_l2" not in rows[0]
    assert all(row["type"].endswith("weight") for row in rows)
    assert [float(row["impact_cosine"]) for row in rows] == sorted(float(row["impact_cosine"]) for row in rows)
    assert {row["samples"] for row in rows} == {"1"}


def test_groups_and_some_only(tmp_path: Path) -> None:
    names = [row["part"] for row in _nodes(tmp_path)][:3]
    assert sensitivity(tmp_path, "--group", f"{names[0]}+{names[1]}", "--group", "type:Conv") == 0
    assert {row["part"] for row in table(tmp_path)} == {f"{names[0]}+{names[1]}", "type:Conv"}
    assert sensitivity(tmp_path, "--by", "node", "--only", f"{names[2]},{names[0]}") == 0
    assert {row["part"] for row in table(tmp_path)} == {names[0], names[2]}


def _nodes(out: Path) -> list[dict[str, str]]:
    assert sensitivity(out, "--by", "node", "--rank-on", "1") == 0
    return table(out)


def test_an_inner_tensor_is_measured(tmp_path: Path) -> None:
    assert sensitivity(tmp_path, "--output", CULPRIT) == 0
    assert load_ranking(tmp_path / "ranking.json").outputs != ()
    assert table(tmp_path)[0]["part"] == CULPRIT


@pytest.mark.parametrize("kind", ["node", "weight", "activation"])
def test_the_vendors_table_is_read_back(tmp_path: Path, kind: str) -> None:
    assert sensitivity(tmp_path, "--by", kind, "--metric", "cosine,sqnr,max,mean", "--vendor-table") == 0
    (found,) = read_results(tmp_path / "sensitivity.log")
    ranking, rows = load_ranking(tmp_path / "ranking.json"), table(tmp_path)
    assert found.problems == ()
    assert [row.name for row in found.rows] == [row["part"] for row in rows]
    assert len(found.rows) == len(ranking.parts)
    for row, mine in zip(found.rows, rows, strict=True):
        values = {key.rpartition(".")[2]: value for key, value in row.values.items()}
        assert values["cosine-similarity"] == pytest.approx(float(mine["impact_cosine"]), abs=1e-5)
        assert values["chebyshev"] == pytest.approx(float(mine["impact_max_absolute_error"]), abs=1e-5)
        assert values["mre"] == pytest.approx(float(mine["impact_mean_absolute_error"]), abs=1e-5)
        assert values["mse"] >= 0
        if kind == "activation":
            assert values["threshold"] > 0 and row.dtype in ("int8", "uint8")


@pytest.mark.parametrize("kind", ["tensor"])
def test_the_vendor_has_no_such_table(tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert sensitivity(tmp_path, "--by", kind, "--vendor-table") == 2
    assert "nodes, weights or activations" in capsys.readouterr().err
    assert not (tmp_path / "ranking.json").exists()


def test_pairs_are_run_where_they_are_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sensitivity(tmp_path, "--pairs", "4") == 0
    rows = table(tmp_path, "pairs.csv")
    assert len(rows) == 6 * len({row["output"] for row in rows})
    assert {row["way"] for row in rows} <= {"work together", "hide each other", "add up"}
    assert "Pairs" in capsys.readouterr().out


def test_it_goes_on_where_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sensitivity(tmp_path / "whole", "--measure", "impact,recovery") == 0
    assert sensitivity(tmp_path / "parts") == 0
    assert sensitivity(tmp_path / "parts", "--measure", "impact,recovery", "--resume") == 0
    one, other = (json.loads((tmp_path / name / "ranking.json").read_text()) for name in ("whole", "parts"))
    assert one == other
    assert (tmp_path / "whole/ranking.csv").read_text() == (tmp_path / "parts/ranking.csv").read_text()
    assert sensitivity(tmp_path / "parts", "--resume", "--preset", "amct") == 2
    assert "another plan" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--by", "layer"), "--by knows no layer"),
        (("--measure", "effect"), "--measure knows no effect"),
        (("--metric", "cosin"), "--metric knows no cosin"),
        (("--only", "/block2/project/conv/Con"), f"Did you mean {CULPRIT}"),
        (("--by", "group"), "belong together"),
        (("--group", "a+b", "--only", "a"), "cannot both be given"),
        (("--to", "12"), "--to takes float or 16"),
        (("--rank-on", "0"), "--rank-on must be at least 1"),
        (("--output", "nowhere"), "makes no tensor nowhere"),
        (("--resume",), "to go on with"),
        (("--workers", "0"), "--workers must be at least 1"),
        (("--workers", "2", "--scheduler", "tcp://127.0.0.1:1"), "cannot both be given"),
        (("--scheduler", "tcp://127.0.0.1:1"), "No Dask scheduler answers"),
        (("--first", "-1"), "--first takes 1 or more"),
        (("--first", "3", "--vendor-table"), "--vendor-table needs all"),
        (("--pairs", "-1"), "--pairs takes 0, or 2 to 60"),
        (("--pairs", "1"), "--pairs takes 0, or 2 to 60"),
        (("--pairs", "61"), "--pairs takes 0, or 2 to 60"),
        (("--evaluator", "beauty"), "--evaluator knows no beauty"),
        (("--labels", "labels.txt"), "--labels belong to a measure"),
    ],
)
def test_what_cannot_be_asked_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], said: str
) -> None:
    assert sensitivity(tmp_path, *options) == 2
    assert said in capsys.readouterr().err


def test_two_workers_give_the_identical_files(tmp_path: Path) -> None:
    assert sensitivity(tmp_path / "one") == 0
    assert sensitivity(tmp_path / "two", "--workers", "2") == 0
    for name in ("ranking.csv", "ranking.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert sorted(path.name for path in (tmp_path / "two").iterdir()) == ["ranking.csv", "ranking.json"]


def test_an_interrupt_keeps_what_is_known_and_says_how_to_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: Meter, done: int, total: int, text: str) -> None:
        if text == TEXTS["recovery"] and 2 * done > total:
            raise KeyboardInterrupt

    both = ("--measure", "impact,recovery")
    with monkeypatch.context() as patched:
        patched.setattr(Meter, "step", interrupt)
        assert sensitivity(tmp_path / "parts", *both) == 130
    assert "Give the same call with --resume to go on." in capsys.readouterr().err
    kept = load_ranking(tmp_path / "parts/ranking.json")
    assert 0 < kept.share_done < 1
    assert sensitivity(tmp_path / "parts", *both, "--resume") == 0
    assert sensitivity(tmp_path / "whole", *both) == 0
    assert same(*(load_ranking(tmp_path / name / "ranking.json") for name in ("parts", "whole")))


def test_an_interrupt_among_pairs_keeps_the_ranking_and_says_how_to_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: Meter, __: int, ___: int, text: str) -> None:
        if text == "Running pairs of parts":
            raise KeyboardInterrupt

    monkeypatch.setattr(Meter, "step", interrupt)
    assert sensitivity(tmp_path, "--pairs", "2", "--rank-on", "1") == 130
    assert "100 % is known" in capsys.readouterr().err
    assert load_ranking(tmp_path / "ranking.json").complete
    assert table(tmp_path)[0]["part"] == CULPRIT


def test_other_weights_beside_the_model_are_another_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, weights = tmp_path / "m.onnx", tmp_path / "m.data"
    onnx.save(onnx.load(SAMPLE.model), path, save_as_external_data=True, location=weights.name, size_threshold=0)
    ranges = tmp_path / "ranges.json"
    assert main(["calibrate", str(path), *FEW, "--out", str(ranges)]) == 0
    given = ("--calibration", str(ranges), "--rank-on", "1", "--only", CULPRIT)
    assert sensitivity(tmp_path / "out", *given, model=path) == 0
    weights.write_bytes(bytes(weights.stat().st_size))
    assert sensitivity(tmp_path / "out", *given, "--resume", model=path) == 2
    assert "of another model" in capsys.readouterr().err


@pytest.fixture(scope="module")
def logarithm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a model in which codes of the first layer alone make zeros, whose logarithm is infinite."""
    folder = tmp_path_factory.mktemp("log")
    dice = np.random.default_rng(0)
    kernels = [weight(name, dice.standard_normal((4, 4, 1, 1)).astype(np.float32)) for name in ("w0", "w1")]
    nodes = [
        onnx.helper.make_node("Conv", ["x", "w0"], ["c"], "first"),
        onnx.helper.make_node("Abs", ["c"], ["a"], "abs"),
        onnx.helper.make_node("Log", ["a"], ["l"], "log"),
        onnx.helper.make_node("Conv", ["l", "w1"], ["y"], "last"),
    ]
    inputs, outputs = [value("x", (1, 4, 2, 2))], [value("y", (1, 4, 2, 2))]
    onnx.save(model(graph(*nodes, inputs=inputs, outputs=outputs, weights=kernels), ir_version=10), folder / "log.onnx")
    data = dice.standard_normal((12, 4, 2, 2)).astype(np.float32)
    data[:, :, 0] *= 1e-3  # rounded to nothing
    np.save(folder / "x.npy", data)
    options = ["--data", str(folder / "x.npy"), "--preset", "pulsar2-u8", "--vendor-table", "--pairs", "3"]
    assert main(["sensitivity", str(folder / "log.onnx"), *options, "--out", str(folder)]) == 0
    return folder


def test_a_part_that_leaves_no_numbers_says_so_in_the_table(logarithm: Path) -> None:
    first = table(logarithm)[0]
    assert first["part"] == "first" and first["noise_share"] == ""
    assert "no number in 3 of 3 samples" in first["note"]


def test_a_part_that_leaves_no_numbers_is_named_behind_the_vendors_table(logarithm: Path) -> None:
    (found,) = read_results(logarithm / "sensitivity.log")
    assert found.problems == () and len(found.rows) == len(table(logarithm))
    _, behind = (logarithm / "sensitivity.log").read_text().split("\n\n")
    assert "first: no number in 3 of 3 samples" in behind.splitlines()


def test_pairs_with_values_that_are_no_numbers_get_no_verdict(logarithm: Path) -> None:
    ways = {row["way"] for row in table(logarithm, "pairs.csv") if "first" in (row["first"], row["second"])}
    assert ways == {""}


def test_a_file_of_the_users_ranks_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "def evaluate(run):\n"
        "    return sum(run.outputs(n)['probabilities'].argmax() == run.reference(n)['probabilities'].argmax()"
        " for n in run.samples) / len(run)\n"
    )
    group = ("--group", CULPRIT, "--group", "type:Relu")
    assert sensitivity(tmp_path, *group, "--measure", "impact,recovery", "--evaluator", str(file)) == 0
    by_file = {row["part"]: (row["own_impact"], row["own_recovery"]) for row in table(tmp_path)}
    assert by_file[CULPRIT] == ("0", "1")
    assert "By your own measure" in capsys.readouterr().out
    assert sensitivity(tmp_path, *group, "--measure", "impact,recovery", "--evaluator", "agreement") == 0
    assert {row["part"]: (row["own_impact"], row["own_recovery"]) for row in table(tmp_path)} == by_file


def test_it_ends_when_the_first_are_decided_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    many = ("--samples", "24", "--calibrate-on", "12", "--data", str(SAMPLE.calibration))
    assert main(["sensitivity", str(SAMPLE.model), *many, "--first", "1", "--out", str(tmp_path)]) == 0
    out, some = capsys.readouterr().out, load_ranking(tmp_path / "ranking.json")
    runs = int(some.done["impact"].sum())
    assert (
        f"The order of the first 1 of {len(some.parts)} parts is decided after {runs} of {some.done['impact'].size}"
        in out
    )
    assert 3 * runs < some.done["impact"].size
    rows = table(tmp_path)
    assert rows[0]["part"] == CULPRIT and {row["samples"] for row in rows} > {"1"}
    assert main(["sensitivity", str(SAMPLE.model), *many, "--resume", "--out", str(tmp_path)]) == 0
    assert "is decided" not in capsys.readouterr().out
    assert load_ranking(tmp_path / "ranking.json").complete and table(tmp_path)[0]["part"] == CULPRIT


def test_it_says_between_which_ranks_a_part_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sensitivity(tmp_path) == 0
    assert "Other draws of these samples" in capsys.readouterr().out
    for row in table(tmp_path):
        assert int(row["rank_from"]) <= int(row["rank_to"]) and row["swaps_with_next"] in ("yes", "")
    ranks = json.loads((tmp_path / "ranking.json").read_text(encoding="utf-8"))["ranks"]["impact"]
    assert len(ranks["from"]) == len(ranks["to"]) == len(table(tmp_path))
    assert all(len(names) > 1 for names in ranks["swap"])


def test_on_one_sample_it_says_that_it_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sensitivity(tmp_path, "--rank-on", "1") == 0
    assert "That is one sample: how sure the order is cannot be told." in capsys.readouterr().out
    assert {row["rank_from"] for row in table(tmp_path)} == {""}
