"""What a comparison is known by, before anything is run."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import onnx
import pytest
from onnx import external_data_helper

from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.marks import mark_of
from run_models import floats, net, savez


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    folder = tmp_path / "case"
    (folder / "run").mkdir(parents=True)
    onnx.save(net(), folder / "model.onnx")
    savez(folder / "inputs.npz", {"x": floats(1, 3, 4, 4)})
    savez(folder / "run" / "mine.npz", {"y": floats(1, 5)})
    files = {"reference": folder / "model.onnx", "candidate": folder / "run", "inputs": folder / "inputs.npz"}
    return Setup("runs", files)


def test_a_copy_of_the_models_made_at_another_time_is_the_same(setup: Setup, tmp_path: Path) -> None:
    before = mark_of(setup)
    moved = tmp_path / "elsewhere"
    shutil.copytree(tmp_path / "case", moved, copy_function=shutil.copy2)
    os.utime(moved / "model.onnx", (1, 1))
    there = {need: moved / path.relative_to(tmp_path / "case") for need, path in setup.files.items()}
    assert before
    assert mark_of(Setup("runs", there)) == before


def _other_weights(setup: Setup) -> Setup:
    proto = net()
    proto.graph.initializer[0].raw_data = bytes(len(proto.graph.initializer[0].raw_data))
    onnx.save(proto, setup.files["reference"])
    return setup


def _other_inputs(setup: Setup) -> Setup:
    savez(setup.files["inputs"], {"x": floats(1, 3, 4, 4, seed=1)})
    return setup


def _other_run(setup: Setup) -> Setup:
    os.utime(setup.files["candidate"] / "mine.npz", (1, 1))
    return setup


def _no_inputs(setup: Setup) -> Setup:
    return setup.with_file("inputs", None)


@pytest.mark.parametrize("change", [_other_weights, _other_inputs, _other_run, _no_inputs])
def test_it_changes_with_whatever_changes_the_result(setup: Setup, change: Callable[[Setup], Setup]) -> None:
    before = mark_of(setup)
    after = mark_of(change(setup))
    assert after
    assert after != before


def test_weights_beside_the_model_count(tmp_path: Path) -> None:
    proto = net()
    external_data_helper.convert_model_to_external_data(proto, location="weights.bin", size_threshold=0)
    onnx.save(proto, tmp_path / "model.onnx")
    setup = Setup("runs", {"reference": tmp_path / "model.onnx"})
    before = mark_of(setup)
    data = bytearray((tmp_path / "weights.bin").read_bytes())
    data[0] ^= 1
    (tmp_path / "weights.bin").write_bytes(data)
    assert mark_of(setup) not in ("", before)


def test_of_what_is_gone_there_is_none(setup: Setup) -> None:
    setup.files["inputs"].unlink()
    assert mark_of(setup) == ""
