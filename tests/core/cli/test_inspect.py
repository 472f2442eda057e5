import json
from pathlib import Path

import onnx
import pytest

from errorflow.base.sample import SAMPLES
from errorflow.cli.main import main
from onnx_models import graph, model, relu, value

DATA = Path(__file__).parents[2] / "data" / "formats"
RESULTS = Path(__file__).parents[2] / "data" / "results"
GATED = DATA / "onnx" / "gated.onnx"


def _printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["inspect", *arguments]) == 0
    return capsys.readouterr().out


def test_it_says_what_a_model_holds(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line.split() for line in _printed(capsys, str(GATED)).splitlines()]

    assert ["Format", "ONNX", "model"] in lines
    assert ["x", "float32", "N×3"] in lines
    assert ["If", "1"] in lines


def test_json_holds_the_same_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(_printed(capsys, str(GATED), "--json"))

    assert data["graph"]["operators"]["MatMul"] == 1
    assert data["weights"] == {"tensors": 3, "bytes": 68}
    assert [body["role"] for body in data["graph"]["subgraphs"]] == ["else_branch", "then_branch"]


def test_nodes_are_listed_one_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines = _printed(capsys, str(GATED), "--nodes").splitlines()

    assert [line.split("\t")[:3] for line in lines[:2]] == [["0", "MatMul", "/fc/MatMul"], ["1", "Add", "/fc/Add"]]


def test_nodes_in_json_carry_their_tensors(capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(_printed(capsys, str(GATED), "--json", "--nodes"))

    assert data["nodes"][0]["inputs"] == ["x", "w"]
    assert data["nodes"][0]["outputs"] == ["m"]


def test_missing_shapes_are_worked_out_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    before = _printed(capsys, str(GATED), "--nodes")
    after = _printed(capsys, str(GATED), "--nodes", "--shapes")

    assert "float32 N×4" not in before.splitlines()[0]
    assert "float32 N×4" in after.splitlines()[0]


def test_nodes_of_a_run_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "--nodes", str(SAMPLES[0].candidate_run)]) == 2
    assert "holds tensors and no nodes" in capsys.readouterr().err


def test_several_files_are_told_one_after_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    said = _printed(capsys, str(GATED), str(SAMPLES[0].model))

    assert "gated.onnx" in said
    assert SAMPLES[0].model.name in said


def test_a_file_that_cannot_be_read_does_not_hide_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["inspect", str(tmp_path / "gone.onnx"), str(GATED)]) == 2

    said = capsys.readouterr()
    assert "gated.onnx" in said.out
    assert "gone.onnx" in said.err


def test_json_of_several_files_is_a_list(capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(_printed(capsys, str(GATED), str(GATED), "--json"))

    assert [entry["format"] for entry in data] == ["ONNX model", "ONNX model"]


def test_it_says_what_a_result_table_measures(capsys: pytest.CaptureFixture[str]) -> None:
    text = _printed(capsys, str(RESULTS / "rknn-error-analysis.txt"))

    assert "Kind                  RKNN error analysis\n" in text
    assert "Measures              accumulated, node\n" in text
    assert "simulator entire cos  accumulated, higher is better: Σ r·c" in text
    assert text.count("simulator entire cos 0.") == 5


def test_json_of_a_result_table_has_its_definitions(capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(_printed(capsys, str(RESULTS / "pulsar2.txt"), "--json"))

    assert data["holds"] == "results"
    assert [table["count"] for table in data["tables"]] == [2, 3, 2]
    assert data["tables"][1]["columns"][0]["measure"] == "node"


def test_a_result_table_has_no_nodes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "--nodes", str(RESULTS / "ppq.txt")]) == 2
    assert "holds results and no nodes" in capsys.readouterr().err


def _table(tmp_path: Path) -> str:
    runs = ("-m", str(SAMPLES[0].candidate_run), "-g", str(SAMPLES[0].reference_run))
    assert main(["compare", *runs, "-out", str(tmp_path)]) == 0
    return str(tmp_path / "tensors.csv")


def test_a_comparison_is_known_by_its_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = _table(tmp_path)
    capsys.readouterr()
    said = _printed(capsys, table)

    assert "Errorflow's table of tensors" in said and "32, 32 of them measured" in said
    assert "Worst by relative error\n  probabilities" in said


def test_a_comparison_is_told_to_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = _table(tmp_path)
    capsys.readouterr()
    data = json.loads(_printed(capsys, table, "--json"))

    assert (data["rows"], data["measured"], data["metrics"][0]) == (32, 32, "cosine")


def test_a_comparison_has_no_nodes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "--nodes", _table(tmp_path)]) == 2
    assert "holds a comparison and no nodes" in capsys.readouterr().err


def test_sizes_that_nobody_named_are_written_for_programs_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = ("DynamicDimension.0", 3, "floor(floor(unk__0/2 - 1/2)/2) + 1")
    made = model(graph(relu(), inputs=[value("x", sizes)], outputs=[value("y", sizes)]))
    onnx.save(made, tmp_path / "m.onnx")
    assert "float32 ?×3×?\n" in _printed(capsys, str(tmp_path / "m.onnx"))
    assert _printed(capsys, str(tmp_path / "m.onnx"), "--nodes").endswith("float32 ?×3×?\n")
    told = json.loads(_printed(capsys, str(tmp_path / "m.onnx"), "--json"))
    assert told["graph"]["inputs"][0]["shape"] == list(sizes)
