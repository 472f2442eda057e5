"""`errorflow evaluate`."""

import csv
import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from errorflow.cli.main import main
from onnx_models import graph, model, value
from search_benches import NODE_FAULT


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder per class; the label is what the float model says."""
    import onnxruntime

    folder = tmp_path_factory.mktemp("classes")
    session = onnxruntime.InferenceSession(NODE_FAULT.model)
    with np.load(NODE_FAULT.calibration) as archive:
        images = archive[archive.files[0]]
    for number, image in enumerate(images):
        label = int(np.argmax(session.run(None, {session.get_inputs()[0].name: image[np.newaxis]})[0]))
        (folder / str(label)).mkdir(exist_ok=True)
        np.save(folder / str(label) / f"{number}.npy", image)
    return folder


def rows(out: Path) -> dict[tuple[str, str], dict[str, str]]:
    with (out / "evaluation.csv").open(encoding="utf-8", newline="") as file:
        return {(row["run"], row["k"]): row for row in csv.DictReader(file)}


def test_presets_and_files_stand_beside_the_original(
    labelled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--against", str(NODE_FAULT.candidate_model), "--preset", "amct", "--top", "1,3", "--out", str(tmp_path))
    assert main(["evaluate", str(NODE_FAULT.model), "--data", str(labelled), *options]) == 0
    out = capsys.readouterr().out
    assert "The first 16 samples calibrate, the other 48 are evaluated." in out
    found = rows(tmp_path)
    assert found["node_fault.onnx", "1"]["share"] == "1"
    assert float(found["node_fault_int8.onnx", "1"]["share"]) < 0.5 < float(found["amct", "1"]["share"])
    assert float(found["node_fault_int8.onnx", "3"]["share"]) >= float(found["node_fault_int8.onnx", "1"]["share"])
    lost = int(found["node_fault_int8.onnx", "1"]["lost"])
    assert lost == 48 - int(found["node_fault_int8.onnx", "1"]["right"])
    assert "At more than 4 % settings and data are looked at first" in out
    told = json.loads((tmp_path / "evaluation.json").read_text("utf-8"))
    assert [run["name"] for run in told["runs"]] == ["node_fault.onnx", "node_fault_int8.onnx", "amct"]


def test_few_samples_are_not_read_too_much_into(
    labelled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--preset", "amct", "--samples", "12", "--out", str(tmp_path))
    assert main(["evaluate", str(NODE_FAULT.model), "--data", str(labelled), *options]) == 0
    assert "to see a loss of 1 % about" in capsys.readouterr().out


def test_labels_that_count_from_one_are_noticed(
    labelled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    lines = ["name,label"]
    for path in sorted(labelled.rglob("*.npy")):
        label = int(path.parent.name)
        if label < 9:
            (data / path.name).write_bytes(path.read_bytes())
            lines.append(f"{path.stem},{label + 1}")
    (tmp_path / "labels.csv").write_text("\n".join(lines), "utf-8")
    options = ("--labels", str(tmp_path / "labels.csv"), "--against", str(NODE_FAULT.candidate_model))
    assert main(["evaluate", str(NODE_FAULT.model), "--data", str(data), *options, "--out", str(tmp_path)]) == 0
    assert "if labels are off by one: do they count from 0 on?" in capsys.readouterr().out


def test_an_evaluator_of_the_users_judges_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(
        "def evaluate(run):\n"
        "    return float(max(abs(run.outputs(i)['probabilities'] - run.reference(i)['probabilities']).max()"
        " for i in run.samples))\n"
        "def good_enough(original, new):\n"
        "    return new <= 0.1, new - original\n",
        "utf-8",
    )
    options = ("--evaluator", str(mine), "--against", str(NODE_FAULT.candidate_model), "--out", str(tmp_path))
    data = ("--data", str(NODE_FAULT.calibration), "--samples", "6")
    assert main(["evaluate", str(NODE_FAULT.model), *data, *options]) == 0
    found = rows(tmp_path)
    assert found["node_fault.onnx", ""]["good"] == "yes"
    assert found["node_fault_int8.onnx", ""]["good"] == "no"
    assert "mine.py" in capsys.readouterr().out


def test_a_float_model_that_was_read_back_is_not_taken_for_the_original(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ("--data", str(NODE_FAULT.calibration), "--samples", "4", "--out", str(tmp_path))
    assert main(["evaluate", str(NODE_FAULT.candidate_model), *data]) == 0
    assert "was read back out of codes" in capsys.readouterr().out
    reference = ("--reference", str(NODE_FAULT.model))
    assert main(["evaluate", str(NODE_FAULT.candidate_model), *data, *reference]) == 0
    assert "was read back out of codes" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--top", "one"), "--top takes numbers"),
        (("--output", "nothing"), "has no output nothing"),
        (("--calibrate-on", "64", "--preset", "amct"), "none are left"),
        (("--labels", "nowhere.txt"), "nowhere.txt"),
        (("--max-drop", "banana"), "--max-drop is for an evaluator"),
        (("--time-limit", "-5"), "--time-limit is for an evaluator"),
        (("--time-limit", "-5", "--evaluator", "mine.py"), "--time-limit must be above 0"),
    ],
)
def test_what_does_not_go_together_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], said: str
) -> None:
    data = ("--data", str(NODE_FAULT.calibration), "--out", str(tmp_path))
    assert main(["evaluate", str(NODE_FAULT.model), *data, *options]) == 2
    assert said in capsys.readouterr().err


def test_a_model_that_cannot_be_run_does_not_hide_the_others(
    labelled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    x, y = value("x", (1, 3)), value("y", (1, 3))
    other = tmp_path / "other.onnx"
    onnx.save(model(graph(helper.make_node("Relu", ["x"], ["y"]), inputs=[x], outputs=[y])), other)
    options = ("--against", str(other), str(NODE_FAULT.candidate_model), "--samples", "6", "--out", str(tmp_path))
    assert main(["evaluate", str(NODE_FAULT.model), "--data", str(labelled), *options]) == 0
    found = rows(tmp_path)
    assert found["node_fault_int8.onnx", "1"]["samples"] == "6"
    assert found["other.onnx", ""]["note"]
    assert f"other.onnx: {found['other.onnx', '']['note']}" in capsys.readouterr().out


def test_an_evaluator_that_fails_on_one_model_judges_the_others(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(
        "def evaluate(run):\n"
        "    assert 'broken' not in run.model, 'no boxes were found'\n"
        "    return 1.0\n"
        "def good_enough(original, new):\n"
        "    return True, 0.0\n",
        "utf-8",
    )
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(NODE_FAULT.candidate_model.read_bytes())
    options = ("--evaluator", str(mine), "--against", str(broken), str(NODE_FAULT.candidate_model))
    data = ("--data", str(NODE_FAULT.calibration), "--samples", "2", "--out", str(tmp_path))
    assert main(["evaluate", str(NODE_FAULT.model), *data, *options]) == 0
    found = rows(tmp_path)
    assert "no boxes were found" in found["broken.onnx", ""]["note"]
    assert found["node_fault_int8.onnx", ""]["good"] == "yes"


def test_labels_for_other_samples_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "labels.npy", np.zeros(128, np.int64))
    options = ("--labels", str(tmp_path / "labels.npy"), "--against", str(NODE_FAULT.candidate_model))
    assert main(["evaluate", str(NODE_FAULT.model), "--data", str(NODE_FAULT.calibration), *options]) == 2
    assert "128 labels for 64 samples" in capsys.readouterr().err
