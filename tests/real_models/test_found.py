"""From the command line, on models that others use: what is said of each is what is true of it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errorflow.cli.main import main
from real_models.inputs import lines_of_text, saved, spectra
from real_models.shipped import SHIPPED, VOICE, Shipped

BY_KEY = {each.key: each for each in SHIPPED}
CLASSIFIER, EMBEDDING = BY_KEY["direction-of-text"], BY_KEY["embedding-of-sound"]
SAMPLES, CALIBRATED = 24, 16


@dataclass(frozen=True, slots=True)
class Asked:
    """A command on a model, with samples of which the first calibrate."""

    model: Shipped
    data: Path
    folder: Path

    def __call__(self, command: str, *options: str) -> Callable[[str], Any]:
        """What it wrote, by the name of the file."""
        given = ["--data", str(self.data), "--calibrate-on", str(CALIBRATED), "--out", str(self.folder)]
        assert main([command, str(self.model.path), *given, *options]) == 0
        return lambda name: json.loads((self.folder / name).read_text(encoding="utf-8"))


@pytest.fixture
def classifier(tmp_path: Path) -> Asked:
    """Lines of text, with their answers beside them."""
    lines = list(lines_of_text(SAMPLES))
    (tmp_path / "labels.txt").write_text("\n".join(str(answer) for _, answer in lines), encoding="utf-8")
    return Asked(CLASSIFIER, saved(tmp_path / "lines", "x", (picture for picture, _ in lines)), tmp_path / "out")


@pytest.fixture
def embedding(tmp_path: Path) -> Asked:
    made = spectra(BY_KEY["spectrogram"].path, SAMPLES)
    return Asked(EMBEDDING, saved(tmp_path / "spectra", "input_1", made), tmp_path / "out")


@pytest.mark.xdist_group(CLASSIFIER.key)
@pytest.mark.parametrize("how", [("--preset", "onnxruntime"), ("--preset", "onnxruntime-x86", "--quick")])
def test_a_control_that_quantization_does_not_harm_is_good(classifier: Asked, how: tuple[str, ...]) -> None:
    found = classifier("simulate", *how)("summary.json")
    assert found["verdict"] == "good"
    [output] = found["outputs"]
    assert output["answers"] == {"same": SAMPLES - CALIBRATED, "of": SAMPLES - CALIBRATED}
    assert [row["key"] for row in found["advice"]] in (["good output"], ["healthy"])


@pytest.mark.xdist_group(CLASSIFIER.key)
@pytest.mark.parametrize(
    "rule", [("--target", "relative_l2<=0.05"), ("--metric", "agreement", "--max-drop", "0.01"), ()]
)
def test_on_a_control_a_search_finds_nothing_to_do(
    classifier: Asked, rule: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    own = rule if rule else ("--labels", str(classifier.data.parent / "labels.txt"), "--max-drop", "0.01")
    found = classifier("search", *own)("history.json")
    assert found["met"] and found["evaluations"] == 1
    [tried] = found["tried"]
    assert tried["raised"] == {}
    assert "The plan is good enough as it is" in capsys.readouterr().out


@pytest.mark.xdist_group(EMBEDDING.key)
def test_a_mild_loss_everywhere_is_accumulated_and_the_side_is_named(embedding: Asked) -> None:
    found = embedding("simulate")("summary.json")
    assert found["verdict"] == "accumulated error"
    [output] = found["outputs"]
    assert 0.05 < output["values"]["relative_l2"] < 0.1
    [sides] = found["sides"].values()
    assert sides["weights"] > sides["activations"]
    assert "slight error" in [row["key"] for row in found["advice"]]


@pytest.mark.xdist_group(EMBEDDING.key)
def test_what_is_advised_against_it_helps(embedding: Asked) -> None:
    """One scale per weight brings most of it, so that scales per channel are enough."""
    assert "one scale per channel" in str(embedding("simulate")("summary.json")["advice"])
    assert embedding("simulate", "--preset", "onnxruntime-x86")("summary.json")["verdict"] == "good"


@pytest.mark.xdist_group(EMBEDDING.key)
def test_of_many_small_losses_a_few_in_float_reach_a_mild_target(embedding: Asked) -> None:
    found = embedding("search", "--target", "relative_l2<=0.05")("history.json")
    assert found["met"]
    best = found["tried"][found["best"]]
    assert 1 <= len(best["raised"]) <= 4
    assert best["value"] <= 0.05


@pytest.mark.xdist_group(VOICE.key)
def test_that_nothing_of_a_model_is_quantized_is_said(tmp_path: Path) -> None:
    """All of it is in the bodies of an If."""
    dice = np.random.default_rng(7)
    folder = tmp_path / "voice"
    folder.mkdir()
    for number in range(SAMPLES):
        np.savez(folder / f"{number:03}.npz", allow_pickle=False, **VOICE.make(dice))
    found = Asked(VOICE, folder, tmp_path / "out")("simulate")("summary.json")
    assert found["verdict"] == "good"
    assert found["text"].startswith("Nothing of the model is quantized under this plan.")
    assert found["advice"] == []
