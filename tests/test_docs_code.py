"""Python in the documentation runs as it stands there."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from errorflow.base.sample import SAMPLES

DOCS = Path(__file__).parents[1] / "docs"
# Translated pages have the same code, which is seen to where the manual is tested.
PAGES = sorted(set(DOCS.rglob("*.md")) - set((DOCS / "zh_CN").rglob("*.md")))
BLOCKS = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S))
]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with what the pages suppose: two runs of two tensors, one of them not as it should be; two models."""
    golden = {"conv": np.arange(1, 9, dtype=np.float32), "logits": np.array([1, 2, 3], np.float32)}
    np.savez(tmp_path / "golden.npz", conv=golden["conv"], logits=golden["logits"])
    np.savez(tmp_path / "mine.npz", conv=golden["conv"], logits=np.array([1, 2, -3], np.float32))
    # Between the two a simulator's, which is as it should be.
    np.savez(tmp_path / "simulator.npz", conv=golden["conv"], logits=golden["logits"] + np.float32(1e-3))
    # And a float model with its quantized twin, and an input of both.
    shutil.copy(SAMPLES[0].model, tmp_path / "float.onnx")
    shutil.copy(SAMPLES[0].candidate_model, tmp_path / "int8.onnx")
    with np.load(SAMPLES[0].reference_run) as run:
        np.savez(tmp_path / "x.npz", image=run["image"])
    return tmp_path


def run(code: str, folder: Path) -> str:
    (folder / "example.py").write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "example.py"], cwd=folder, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("code", BLOCKS)
def test_it_runs_as_it_stands_there(code: str, runs: Path) -> None:
    assert run(code, runs)


def test_the_deployment_is_at_fault(runs: Path) -> None:
    (code,) = (str(block.values[0]) for block in BLOCKS if block.id == "three-way-0")

    lines = run(code, runs).splitlines()

    assert lines[0].startswith("The deployment is at fault over 2 tensors: simulator and board differ from logits ")
    assert lines[1:] == ["conv none ", "logits deployment "]


def test_two_models_are_compared(runs: Path) -> None:
    (code,) = (str(block.values[0]) for block in BLOCKS if block.id == "compare-two-models-0")

    lines = run(code, runs).splitlines()

    assert lines[0].startswith("image_DequantizeLinear_Output dequantized 0.99")
    assert len(lines) == 32


def test_the_comparison_finds_what_is_wrong(runs: Path) -> None:
    (code,) = (str(block.values[0]) for block in BLOCKS if block.id == "compare-from-python-0")

    lines = run(code, runs).splitlines()

    assert lines[0].startswith("conv 1.0")
    assert lines[2].startswith("1 of 2 tensors is beyond the limits")
    assert lines[3:] == ["first beyond the limits: logits", "cosine ≥ 0.99 is broken"]
    assert (runs / "tensors.csv").read_text(encoding="utf-8").count("\n") == 3
