"""`errorflow distribution`."""

import csv
import json
from pathlib import Path

import pytest

from errorflow.base.sample import SAMPLES
from errorflow.cli.main import main

LOUD = next(sample for sample in SAMPLES if sample.key == "loud_channel")
TENSOR = LOUD.truth().restoring_tensors[0]


def look(out: Path, *options: str) -> int:
    data = ("--data", str(LOUD.calibration), "--samples", "12")
    return main(["distribution", str(LOUD.model), *data, *options, "--out", str(out)])


def rows(out: Path, name: str = "distributions.csv") -> list[dict[str, str]]:
    with (out / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_worst_tensors_are_found_and_their_loud_channel_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert look(tmp_path, "--worst", "3") == 0
    found = {row["tensor"]: row for row in rows(tmp_path)}
    assert TENSOR in found
    assert (found[TENSOR]["loudest channel"], found[TENSOR]["one clear peak"]) == ("15", "no")
    assert float(found[TENSOR]["channels below 1/8"]) > 0.9
    assert "not one clear peak" in capsys.readouterr().out


def test_a_tensor_has_pictures_and_tables(tmp_path: Path) -> None:
    assert look(tmp_path, "--tensor", TENSOR) == 0
    names = {path.name.removeprefix("01_block2_depthwise_act_Relu_output_0_") for path in tmp_path.iterdir()}
    assert names == {
        *("histogram.svg", "errors.svg", "channels.svg", "histogram.csv", "channels.csv"),
        *("distributions.csv", "distributions.json"),
    }
    channels = rows(tmp_path, "01_block2_depthwise_act_Relu_output_0_channels.csv")
    assert len(channels) == 16
    assert float(channels[15]["range over the tensor's"]) == 1.0
    bars = rows(tmp_path, "01_block2_depthwise_act_Relu_output_0_histogram.csv")
    summary = json.loads((tmp_path / "distributions.json").read_text("utf-8"))[0]
    assert sum(int(bar["before"]) for bar in bars) == summary["values"] - summary["zeros"]
    assert len(summary["peak places"]) == summary["peaks"]


def test_a_node_brings_its_weights_and_what_it_makes(tmp_path: Path) -> None:
    assert look(tmp_path, "--node", "/head/fc/Gemm", "--csv") == 0
    assert [(row["tensor"], row["kind"]) for row in rows(tmp_path)] == [
        ("head.fc.weight", "weight"),
        ("head.fc.bias", "weight"),
        ("/head/fc/Gemm_output_0", "activation"),
    ]
    assert rows(tmp_path)[0]["channels"] == "10"


def test_samples_and_axes_are_chosen(tmp_path: Path) -> None:
    assert look(tmp_path, "--tensor", TENSOR, "--look-at", "2", "--axis", "-1", "--csv") == 0
    (row,) = rows(tmp_path)
    assert (row["samples"], row["channels"]) == ("2", "4")


def test_a_ranking_says_which(tmp_path: Path) -> None:
    options = ["--data", str(LOUD.calibration), "--samples", "12", "--by", "activation", "--rank-on", "1"]
    assert main(["sensitivity", str(LOUD.model), *options, "--out", str(tmp_path)]) == 0
    assert look(tmp_path, "--ranking", str(tmp_path / "ranking.json"), "--worst", "2", "--csv") == 0
    assert {row["kind"] for row in rows(tmp_path)} == {"activation"}


def test_a_png_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("errorflow_viewer")
    assert look(tmp_path, "--tensor", "head.fc.weight", "--png", "--look-at", "1") == 0
    assert (tmp_path / "01_head.fc.weight_histogram.png").read_bytes().startswith(b"\x89PNG")
    assert not list(tmp_path.glob("*.svg"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--tensor", "nobody"], "The model has no tensor nobody"),
        (["--node", "nobody"], "nobody"),
        (["--tensor", TENSOR, "--worst", "2"], "Tensors are named, or the worst are taken"),
        (["--worst", "0"], "--worst must be at least 1"),
        (["--tensor", TENSOR, "--axis", "9"], "no channels along --axis 9"),
        (["--look-at", "0"], "--look-at must be at least 1"),
    ],
)
def test_what_cannot_be_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert look(tmp_path, *options) == 2
    assert said in capsys.readouterr().err
