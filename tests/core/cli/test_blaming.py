"""What `errorflow compare` says of who is to blame, and what it writes of it."""

import csv
import json
from pathlib import Path

import numpy as np
import onnx
import pytest

from ascend_writer import desc, op, write_json
from ascend_writer import graph as atc_graph
from ascend_writer import model as atc_model
from errorflow.base.sample import SAMPLES, Sample
from errorflow.cli.main import main
from errorflow.compare.match.codes import WRONG_OPTIONS
from errorflow.explain.blame.model import Verdict
from npu_writer import NpuArray, write_npu

SAMPLE = next(sample for sample in SAMPLES if sample.key == "node_fault")
CULPRIT = "/block2/project/conv/Conv"


def compare(sample: Sample, out: Path, *more: str) -> int:
    runs = ["-m", str(sample.candidate_run), "-g", str(sample.reference_run), "-out", str(out)]
    return main(["compare", *runs, *more])


def nodes(out: Path) -> dict[str, dict[str, str]]:
    with (out / "nodes.csv").open(encoding="utf-8", newline="") as file:
        return {line["name"]: line for line in csv.DictReader(file)}


def test_it_is_said_who_is_to_blame_and_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compare(SAMPLE, tmp_path, "--model", str(SAMPLE.model), "--estimate")
    printed = capsys.readouterr().out

    assert f"Node error (estimated): {CULPRIT} is where the error at probabilities begins." in printed
    turned = f"It turns clearly bad at {CULPRIT} (beyond 0.1, or raised there)"
    assert f"{turned}; 18 nodes behind are explained by it." in printed
    assert "What to do:\n" in printed
    assert printed.rstrip().endswith("summary.json")
    assert "nodes.csv" in printed


def test_contributors_are_listed_where_there_are_several(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drift = next(sample for sample in SAMPLES if sample.key == "drift")
    compare(drift, tmp_path, "--model", str(drift.model), "--estimate")
    printed = capsys.readouterr().out

    assert "Accumulated error (estimated)" in printed
    assert "    likely  /block2/project/conv/Conv (origin, relative error 0.45)\n" in printed


def test_a_line_per_node_is_written(tmp_path: Path) -> None:
    compare(SAMPLE, tmp_path, "--model", str(SAMPLE.model), "--estimate")
    found = nodes(tmp_path)

    assert len(found) == 31
    assert found[CULPRIT]["verdict"] == "origin"
    assert found[CULPRIT]["method"] == "estimated"
    assert float(found[CULPRIT]["share"]) > 0.99
    assert float(found[CULPRIT]["gain"]) > 30
    assert found["/head/Flatten"]["verdict"] == "carrier"
    assert {line["verdict"] for line in found.values()} <= {verdict.word for verdict in Verdict}


def test_programs_get_all_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compare(SAMPLE, tmp_path, "--model", str(SAMPLE.model), "--json")
    printed = json.loads(capsys.readouterr().out)
    written = json.loads((tmp_path / "summary.json").read_text("utf-8"))

    assert printed["blame"] == written["blame"]
    assert written["blame"]["kind"] == "node error"
    assert written["blame"]["top"][0]["node"] == CULPRIT
    assert written["blame"]["outputs"][0]["tensor"] == "probabilities"
    assert written["blame"]["front"] == {"first": [CULPRIT], "nodes": 19}
    assert sum(written["blame"]["nodes"].values()) == 31
    assert written["blame"]["advice"][0]["source"]


def test_without_a_graph_nobody_is_blamed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compare(SAMPLE, tmp_path)

    assert "What to do:" not in capsys.readouterr().out
    assert not (tmp_path / "nodes.csv").exists()
    summary = json.loads((tmp_path / "summary.json").read_text("utf-8"))
    assert (summary["blame"]["kind"], summary["blame"]["top"]) == ("beyond limits", [])
    assert summary["blame"]["text"] == summary["verdict"]["text"]


def test_of_another_model_nothing_is_said(tmp_path: Path) -> None:
    other = next(sample for sample in SAMPLES if sample.key == "cosine_lies")
    compare(SAMPLE, tmp_path, "--model", str(other.model))

    assert not (tmp_path / "nodes.csv").exists()


@pytest.mark.parametrize("more", [(), ("--exact",)])
def test_nodes_are_run_where_the_original_is_there(
    more: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compare(SAMPLE, tmp_path, "--model", str(SAMPLE.model), *more)

    assert f"Node error: {CULPRIT} brings" in capsys.readouterr().out
    assert {line["method"] for line in nodes(tmp_path).values()} == {"exact"}


def test_what_cannot_be_run_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(SAMPLE, tmp_path, "--exact") == WRONG_OPTIONS
    assert "--model model.onnx" in capsys.readouterr().err


def test_of_two_models_the_original_is_the_graph(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    models = ["-m", str(SAMPLE.candidate_model), "-g", str(SAMPLE.model), "--inputs", str(SAMPLE.reference_run)]
    main(["compare", *models, "-out", str(tmp_path), "--exact"])

    assert f"Node error: {CULPRIT} brings" in capsys.readouterr().out


def test_an_original_that_cannot_run_leaves_the_estimate_and_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "torn.onnx"
    onnx.save(onnx.load(SAMPLE.model), path, save_as_external_data=True, location="torn.bin", size_threshold=0)
    (tmp_path / "torn.bin").unlink()
    assert compare(SAMPLE, tmp_path, "--model", str(path)) == 0
    said = capsys.readouterr().out
    assert "(estimated)" in said
    assert "Estimated, since no node could be run: The values of " in said
    assert compare(SAMPLE, tmp_path, "--model", str(path), "--exact") == WRONG_OPTIONS


def test_nodes_that_cannot_run_are_estimated_among_the_others(tmp_path: Path) -> None:
    model = onnx.load(SAMPLE.model)
    for node in model.graph.node:
        if node.op_type == "Gemm":
            node.domain = "own"
    onnx.save(model, tmp_path / "own.onnx")
    compare(SAMPLE, tmp_path, "--model", str(tmp_path / "own.onnx"))
    found = nodes(tmp_path)
    assert [name for name, line in found.items() if line["method"] == "estimated"] == ["/head/fc/Gemm"]
    assert "ONNX Runtime does not know own:Gemm" in found["/head/fc/Gemm"]["note"]


def test_the_table_says_what_was_requested_and_by_what_file(tmp_path: Path) -> None:
    """A simulation does not say whether a device would do so."""
    compare(SAMPLE, tmp_path, "--model", str(SAMPLE.candidate_model), "--estimate")
    line = nodes(tmp_path)[CULPRIT]
    assert (line["requested"], line["effective"], line["precision"]) == ("uint8", "", "")
    assert line["requested by"] == f"QuantizeLinear and DequantizeLinear in {SAMPLE.candidate_model.name}"


def test_of_two_models_the_quantized_one_says_it(tmp_path: Path) -> None:
    models = ["-m", str(SAMPLE.candidate_model), "-g", str(SAMPLE.model), "--random", "1", "--estimate"]
    main(["compare", *models, "-out", str(tmp_path)])
    found = nodes(tmp_path)
    assert found[CULPRIT]["requested"] == "uint8" and found["/head/Flatten"]["requested"] == ""


def test_what_the_device_left_in_float_is_marked(tmp_path: Path) -> None:
    """The quantized model asks for codes, and the compiled one reads and makes float16 there."""
    half, label = desc("DT_FLOAT16"), CULPRIT.replace("/", "_")
    made = desc("DT_FLOAT16", _datadump_origin_name=CULPRIT, _datadump_origin_output_index=0)
    nodes_of = (op("x", "Data", outputs=[half]), op(CULPRIT, "Conv2D", ["x:0"], [made]))
    fusion = write_json(
        tmp_path / "net.json", atc_model(atc_graph(*nodes_of, op("out", "NetOutput", [f"{CULPRIT}:0"], 0)))
    )
    run, golden = tmp_path / "npu", tmp_path / "golden"
    run.mkdir()
    golden.mkdir()
    values = np.ones((1, 3, 8, 8), np.float16)
    write_npu(run / f"Conv2D.{label}.2.3.1700000000002000", outputs=[NpuArray(values, layout="NCHW")])
    np.save(golden / f"{label}.0.1600000000000000.npy", values.astype(np.float32))
    options = ["-m", str(run), "-g", str(golden), "-f", str(fusion), "--model", str(SAMPLE.candidate_model)]
    main(["compare", *options, "--estimate", "-out", str(tmp_path / "out")])
    line = nodes(tmp_path / "out")[CULPRIT]
    assert (line["requested"], line["effective"], line["precision"]) == ("uint8", "float16", "differs")
    assert line["effective by"] == "the candidate's run"
