"""What lies in a folder is recognised, whatever it is called."""

from pathlib import Path

import numpy as np
import pytest

import run_folders
from errorflow.base.progress import Cancelled
from errorflow.case.scenarios import discover as module
from errorflow.case.scenarios.discover import discover
from result_samples import sample

STEP = Path("dump") / "20260101120000" / "0" / "net" / "1" / "0"


def kinds(folder: Path) -> dict[str, str]:
    found = discover(folder)
    return {found.shown(each.path): each.kind for each in found.found}


def test_everything_of_a_comparison_is_found(tmp_path: Path) -> None:
    run_folders.npu(tmp_path / STEP)
    run_folders.npy(tmp_path / "golden")
    run_folders.npy(tmp_path / "fake", ("conv1_quant_layer", "relu1"))
    run_folders.npu(tmp_path / "int8", ("conv1_quant_layer", "relu1"))
    run_folders.atc_json(tmp_path / "net.json")
    run_folders.quant_info(tmp_path / "net_quant.json")
    run_folders.onnx(tmp_path / "float.onnx")
    run_folders.onnx(tmp_path / "int8.onnx", quantized=True)
    run_folders.npz(tmp_path / "run.npz")
    (tmp_path / "result.csv").write_bytes(sample("msaccucmp", tmp_path).read_bytes())
    (tmp_path / "case.errorflow").write_text("{}")
    (tmp_path / "notes.txt").write_text("nothing of interest")

    assert kinds(tmp_path) == {
        STEP.as_posix(): "npu",
        "golden": "npy",
        "fake": "npy-quantized",
        "int8": "npu-quantized",
        "net.json": "atc-json",
        "net_quant.json": "quant-info",
        "float.onnx": "onnx",
        "int8.onnx": "onnx-quantized",
        "run.npz": "arrays",
        "result.csv": "table",
        "case.errorflow": "session",
    }


def test_the_runs_of_a_vendor_are_found_each_by_itself(tmp_path: Path) -> None:
    for run in ("golden", "simulator"):
        (tmp_path / run).mkdir()
        np.save(tmp_path / run / "conv_1.npy", run_folders.VALUES)
    (tmp_path / "map_name_to_file.txt").write_text("layer_name file\nconv:1 conv_1.txt\n")
    assert kinds(tmp_path) == {"golden": "arrays", "simulator": "arrays"}


def test_a_record_of_scales_is_told_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "scales.txt").write_text('record {\n key: "conv1"\n value {\n scale_d: 0.5\n offset_d: 0\n }\n}\n')
    assert kinds(tmp_path) == {"scales.txt": "record"}


def test_a_single_file_is_looked_at_too(tmp_path: Path) -> None:
    path = run_folders.npz(tmp_path / "run.npz")
    assert [each.kind for each in discover(path).found] == ["arrays"]


def test_a_broken_file_is_a_problem_and_hides_nothing(tmp_path: Path) -> None:
    run_folders.npz(tmp_path / "run.npz")
    whole = run_folders.atc_json(tmp_path / "net.json")
    whole.write_bytes(whole.read_bytes()[:-40])
    found = discover(tmp_path)
    assert [each.path.name for each in found.found] == ["run.npz"]
    assert found.problems[0].count("net.json") == 1


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    outside = run_folders.npz(tmp_path / "outside" / "run.npz")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link.npz").symlink_to(outside)
    (inside / "folder").symlink_to(outside.parent)
    found = discover(inside)
    assert found.found == ()
    assert len(found.problems) == 2


def test_what_is_hidden_is_left_alone(tmp_path: Path) -> None:
    run_folders.npz(tmp_path / ".cache" / "run.npz")
    assert kinds(tmp_path) == {}


def test_the_search_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        run_folders.npz(tmp_path / f"{number}.npz")
    monkeypatch.setattr(module, "MAX_FILES", 3)
    found = discover(tmp_path)
    assert len(found.found) == 3
    assert "more than is looked at" in found.problems[0]


def test_a_cancel_strikes(tmp_path: Path) -> None:
    class Impatient:
        def step(self, done: int, total: int, text: str) -> None:
            raise Cancelled

    run_folders.npz(tmp_path / "run.npz")
    with pytest.raises(Cancelled):
        discover(tmp_path, Impatient())


def test_a_folder_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    assert discover(tmp_path / "nothing" / "here.json").problems
