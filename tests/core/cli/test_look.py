"""`errorflow look`: one tensor from the command line."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from errorflow.base.sample import SAMPLES
from errorflow.cli.main import main
from errorflow.formats import read_model

LOUD = next(row for row in SAMPLES if row.key == "loud_channel")
RUNS = (str(LOUD.reference_run), str(LOUD.candidate_run))
RELU = "/block2/depthwise/act/Relu_output_0"


def test_it_says_what_the_window_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["look", *RUNS, "--tensor", RELU, "--model", str(LOUD.model)]) == 0
    out = capsys.readouterr().out
    for part in ("Channel 15 is 499 times as loud", "made by /block2/depthwise/conv/Conv", "p99.9", "Scale 23.5294"):
        assert part in out


def test_numbers_for_programs_are_those_of_numpy(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["look", *RUNS, "--tensor", RELU, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    with np.load(LOUD.reference_run) as reference, np.load(LOUD.candidate_run) as candidate:
        errors = np.abs(candidate[RELU].astype(np.float64) - reference[RELU])
    assert found["error"]["largest"] == errors.max()
    assert found["error"]["percentiles"]["99"] == np.percentile(errors, 99)
    assert sum(found["histogram"]["reference"]) == errors.size


@pytest.mark.parametrize("plot", ["histogram", "errors", "scatter", "channels"])
def test_a_picture_is_one_file_that_needs_nothing_else(plot: str, tmp_path: Path) -> None:
    from xml.etree import ElementTree

    out = tmp_path / "look.svg"
    assert main(["look", *RUNS, "--tensor", RELU, "--svg", str(out), "--plot", plot]) == 0
    root = ElementTree.fromstring(out.read_text("utf-8"))  # ours, and well-formed
    assert root.tag.endswith("svg") and "href" not in out.read_text("utf-8")
    assert RELU in "".join(root.itertext())


def test_an_unknown_tensor_is_answered_with_near_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["look", *RUNS, "--tensor", "block2/depthwise/act"]) == 2
    assert RELU in capsys.readouterr().err


def test_what_cannot_be_drawn_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a", "b"):
        np.savez(tmp_path / f"{name}.npz", x=np.float32(3))
    runs = [str(tmp_path / "a.npz"), str(tmp_path / "b.npz")]
    assert main(["look", *runs, "--tensor", "x", "--svg", str(tmp_path / "x.svg"), "--plot", "channels"]) == 2
    assert "no channels" in capsys.readouterr().err


MODELS = (str(LOUD.model), str(LOUD.candidate_model))
WEIGHT = "block2.project.conv.weight"


def test_a_weight_of_two_models_is_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["look", *MODELS, "--tensor", WEIGHT]) == 0
    out = capsys.readouterr().out
    for part in (f"Compared with {WEIGHT}_quantized (int8)", "Cosine", "dequantized with", "p99.9", "(from the graph)"):
        assert part in out


def test_its_numbers_are_those_of_the_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["look", *MODELS, "--tensor", WEIGHT, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    weights = [read_model(path).graph.weights for path in MODELS]
    codes, scale = (weights[1].read(f"{WEIGHT}_{part}").astype(np.float64) for part in ("quantized", "scale"))
    errors = np.float32(1) * np.abs((codes * scale).astype(np.float32) - weights[0].read(WEIGHT).astype(np.float64))
    assert found["error"]["largest"] == pytest.approx(errors.max())
    assert found["values"]["sqnr"] > 20 and found["grid"]["known from"] == "graph"


@pytest.mark.parametrize("plot", ["histogram", "channels"])
def test_a_weight_has_the_same_pictures(plot: str, tmp_path: Path) -> None:
    out = tmp_path / "look.svg"
    assert main(["look", *MODELS, "--tensor", WEIGHT, "--svg", str(out), "--plot", plot]) == 0
    assert WEIGHT in out.read_text("utf-8")


@pytest.mark.parametrize(
    ("paths", "more", "said"),
    [
        ((MODELS[0], RUNS[1]), (WEIGHT,), "One side is a model"),
        (MODELS, (WEIGHT, "--model", MODELS[0]), "--model is for runs"),
        (MODELS, ("block2.project.conv",), WEIGHT),
        (MODELS, (RELU,), "no weight"),
    ],
)
def test_what_is_no_weight_of_two_models_is_refused(
    paths: tuple[str, str], more: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["look", *paths, "--tensor", *more]) == 2
    assert said in capsys.readouterr().err


CASES = Path(__file__).parents[2] / "data" / "compare"


@pytest.mark.parametrize(
    ("case", "tensor", "pair"),
    [
        ("quantized_model", "scope/op1:output:1", ("scope/op1:output:1", "scope_op1.1")),
        ("quantized_model", "scope_op1.1", ("scope/op1:output:1", "scope_op1.1")),
        ("fused", "op5.2", ("op5:output:0", "op5.2")),
        ("without_fusion", "closed_2:output:0", ("op2-x:input:0", "closed_2:output:0")),
        ("fake_quantized", "layer2:output:0", ("layer2:output:0", "layer2.0")),
    ],
)
def test_a_pair_is_found_as_the_comparison_finds_it(
    case: str,
    tensor: str,
    pair: tuple[str, str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By the printed name and by that of the reference; a side in the layout of an NPU is brought to the other's."""
    monkeypatch.chdir(CASES / case)
    words = json.loads(Path("call.txt").read_text())
    options = ("-f", "-q", "-cf")
    files = [word for at, word in enumerate(words) if word in options or words[at - 1] in options]
    assert main(["look", "golden", "mine", *files, "--tensor", tensor, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["tensor"], found["reference tensor"]) == pair
    main(["compare", "-m", "mine", "-g", "golden", *files, "-out", str(tmp_path), "--workers", "1"])
    with (tmp_path / "tensors.csv").open(newline="", encoding="utf-8") as table:
        row = next(row for row in csv.DictReader(table) if row["tensor"] == pair[0] and row["reference tensor"])
    assert row["shape"] == "×".join(map(str, found["shape"])) and row["done"] == "; ".join(found["done"])
    assert found["error"]["largest"] == pytest.approx(float(row["max_absolute_error"]))


INPUTS = ("--inputs", RUNS[0])


@pytest.mark.parametrize("tensor", ["image", "image_DequantizeLinear_Output"])
def test_a_tensor_of_two_models_is_the_pair_of_the_quantized_one(
    tensor: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["look", *MODELS, *INPUTS, "--tensor", tensor]) == 0
    assert capsys.readouterr().out.startswith("image_DequantizeLinear_Output, against image  1×1×8×8")


@pytest.mark.parametrize("paths", [MODELS, (MODELS[0], RUNS[1]), (RUNS[0], MODELS[1])])
def test_a_model_in_place_of_a_run_is_run(paths: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["look", *paths, *INPUTS, "--tensor", RELU]) == 0
    out = capsys.readouterr().out
    assert "Channel 15 is 499 times as loud" in out
    assert ("made by /block2/depthwise/conv/Conv" in out) == (paths != (RUNS[0], MODELS[1]))


def test_what_models_compute_needs_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["look", *MODELS, "--tensor", RELU]) == 2
    assert "Add --inputs" in capsys.readouterr().err


def test_two_tensors_are_brought_together_by_hand(capsys: pytest.CaptureFixture[str]) -> None:
    other = "/block2/depthwise/conv/Conv_output_0"
    assert main(["look", *RUNS, "--pair", f"{RELU}={other}", "--tensor", RELU, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["reference tensor"] == other


def test_a_refusal_names_this_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CASES / "fused")
    rules = ("-f", "fusion.json", "-cf", "fusion.json")
    assert main(["look", "golden", "mine", *rules, "--tensor", "x"]) == 2
    said = capsys.readouterr().err
    assert (
        "errorflow look GOLDEN MINE --tensor x -f F" in said and "errorflow compare" not in said and "(-m)" not in said
    )
