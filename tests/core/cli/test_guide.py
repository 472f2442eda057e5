"""`errorflow guide`: steps with commands to copy, files, and the judgement of a finished step."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import run_folders
from errorflow.base.language import ENGLISH, use
from errorflow.base.sample import SAMPLES
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.file import write_session
from errorflow.case.session.model import GuideProgress, Session, StepProgress
from errorflow.cli.main import main
from errorflow.formats import read_model
from errorflow.guides.table import FLOWS, questions
from planted.test_scenarios import written
from planted_scenarios import ROWS
from result_samples import sample
from since_cases import write_case


def test_without_a_guide_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guide"]) == 0
    said = capsys.readouterr().out
    assert all(f"[{flow.key}]" in said for flow in FLOWS) and all(row.title in said for row in questions())
    assert main(["guide", "--json"]) == 0
    assert [flow["key"] for flow in json.loads(capsys.readouterr().out)["flows"]] == [flow.key for flow in FLOWS]


@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.key)
def test_every_step_is_told(flow: object, capsys: pytest.CaptureFixture[str]) -> None:
    key, steps = flow.key, flow.steps  # type: ignore[attr-defined]  # a row of the table
    assert main(["guide", key]) == 0
    said = capsys.readouterr().out
    assert all(f"Step {number} of {len(steps)}: {step.title}" in said for number, step in enumerate(steps, 1))
    assert main(["guide", key, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [step["key"] for step in told["steps"]] == [step.key for step in steps]


def test_commands_have_the_users_own_names(capsys: pytest.CaptureFixture[str]) -> None:
    call = ["guide", "ascend-onnx", "--step", "3", "--model", "my nets/r50.onnx", "--soc-version", "Ascend310P3"]
    assert main(call) == 0
    said = capsys.readouterr().out
    assert "--soc_version=Ascend310P3 --fusion_switch_file=fusion_switch.cfg" in said
    assert "atc --model=amct/r50_deploy_model.onnx --framework=5" in said
    assert "MODEL = 'amct/r50_fake_quant_model.onnx'" in said  # of one step scripts are told in full


def test_what_lies_in_a_folder_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_folders.npu(tmp_path / "npu")
    run_folders.npy(tmp_path / "golden")
    run_folders.atc_json(tmp_path / "net.json")
    assert main(["guide", "ascend-caffe-float", str(tmp_path), "--step", "conversion"]) == 0
    said = capsys.readouterr().out
    assert "NPU dump: npu" in said and "errorflow compare -m" in said
    assert main(["guide", "ascend-caffe", str(tmp_path), "--step", "conversion", "--json"]) == 0
    step = json.loads(capsys.readouterr().out)["steps"][0]
    assert step["compare"].startswith("Not yet. Missing:")


def test_files_are_written_and_none_is_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["guide", "ascend-caffe", "--write", str(tmp_path / "kit")]
    assert main(call) == 0
    assert {"fusion_switch.cfg", "acl_off.json", "quantize_amct.py"} <= {
        each.name for each in (tmp_path / "kit").iterdir()
    }
    (tmp_path / "kit" / "fusion_switch.cfg").write_text("mine")
    assert main(call) == 2
    assert "fusion_switch.cfg" in capsys.readouterr().err
    assert (tmp_path / "kit" / "fusion_switch.cfg").read_text() == "mine"
    assert main([*call, "--force"]) == 0
    assert "GraphFusion" in (tmp_path / "kit" / "fusion_switch.cfg").read_text()


def test_files_are_made_for_the_model_that_lies_there(tmp_path: Path) -> None:
    """Also where what the scripts of the guide made lies beside it."""
    for name in ("net.prototxt", "amct/net_deploy_model.prototxt", "amct/modified_model.prototxt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text('name: "n" layer { name: "data" type: "Input" top: "data" }')
    assert main(["guide", "ascend-caffe-float", str(tmp_path), "--write", str(tmp_path / "kit")]) == 0
    script = (tmp_path / "kit" / "dump_original.py").read_text()
    assert f"MODEL = {str(tmp_path / 'net.prototxt')!r}" in script


def test_a_file_is_no_folder_to_write_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "kit").write_text("mine")
    assert main(["guide", "ascend-caffe", "--write", str(tmp_path / "kit")]) == 2
    assert "kit cannot be a folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["horizon", "--accuracy", "0.78788,0.71138"], 1, "step 2, Settings and data"),
        (["horizon", "--accuracy", "0.78788,0.78252"], 0, "Nothing is to be done"),
        (["ascend-caffe", "--accuracy", "0.76,0.755", "--images", "32"], 0, "step 3, Conversion"),
        (["ascend-caffe", "--accuracy", "0.76,0.74"], 1, "step 2, Quantize again"),
        (["ascend-caffe", "--images", "5"], 1, "5 are too few"),
        (["ascend-caffe", "--step", "requantize", "--images", "20"], 1, "If it passes: step 1"),
        (["ascend-caffe", "--accuracy", "76,74"], 1, "step 2, Quantize again"),
        (["ascend-caffe", "--accuracy", "98,91 %"], 1, "7.00%"),
        (["ascend-caffe", "--accuracy", "176,74"], 2, "is a share"),
        (["ascend-caffe", "--accuracy", "much"], 2, "no pair of accuracies"),
        (["ascend-caffe", "--step", "9"], 2, "Say 1 to 7"),
        (["nothing"], 2, "There is no guide nothing"),
        (["--check", "x"], 2, "Which guide is meant"),
        (["--images", "5"], 2, "Which guide is meant"),
        (["ascend-caffe", "--model", "net.onnx"], 2, "net.onnx is no Caffe model"),
        (["ascend-onnx", "--model", "net.prototxt", "--write", "kit"], 2, "net.prototxt is no ONNX model"),
        (["pulsar2", "--check", "nowhere.txt"], 2, ""),
    ],
)
def test_a_step_is_judged(arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guide", *arguments]) == code
    told = capsys.readouterr()
    assert said.lower() in (told.out + told.err).lower()


def test_a_table_is_held_against_the_thresholds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["guide", "pulsar2", "--check", str(sample("pulsar2", tmp_path))]
    assert main([*call, "--step", "perlayer", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["outcome"] == "exhausted" and told["next"]["to"] == "conclude"
    assert main(call) == 1  # the first step with a comparison is end to end
    assert "say nothing of the whole model" in capsys.readouterr().out.replace("says", "say")


def test_a_session_is_judged_at_the_step_that_it_is_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = {"fusion": StepProgress(numbers={"output_cosine": 0.5})}
    session = Session(guide=GuideProgress("ascend-onnx", at="fusion", steps=steps))
    write_session(session, tmp_path / "case.errorflow")
    assert main(["guide", "ascend-onnx", "--check", str(tmp_path / "case.errorflow")]) == 1
    said = capsys.readouterr().out
    assert "step 6 of 7: Fusion" in said and "Fusion changes the result" in said


def test_what_another_guide_found_says_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both have a step of that name."""
    steps = {"accuracy": StepProgress(numbers={"float_accuracy": 0.8, "accuracy": 0.5})}
    write_session(Session(guide=GuideProgress("onnx", at="accuracy", steps=steps)), tmp_path / "case.errorflow")
    assert main(["guide", "horizon", "--step", "accuracy", "--check", str(tmp_path / "case.errorflow")]) == 1
    assert "Nothing that decides was measured." in capsys.readouterr().out


def test_a_ticket_bundle_is_judged_without_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample = SAMPLES[0]
    files = {"candidate": sample.candidate_run, "reference": sample.reference_run, "model": sample.model}
    case, ticket = tmp_path / "case.errorflow", tmp_path / "case.zip"
    write_session(Session(sample.model, setup=Setup("npu-fake-quantized", files)), case)
    assert main(["report", str(case), "-o", str(ticket)]) == 0
    capsys.readouterr()
    assert main(["guide", "ascend-onnx", "--step", "conversion", "--check", str(ticket), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["outcome"] == "node error"


def test_a_session_of_another_comparison_says_what_it_compares(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = write_case(tmp_path, "case", {"a": 0.01})
    assert main(["guide", "ascend-onnx", "--step", "conversion", "--check", str(case)]) == 1
    assert "The session compares “Any two runs”" in capsys.readouterr().err


def test_a_session_says_which_guide_it_follows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_session(Session(guide=GuideProgress("ascend-onnx", at="fusion")), tmp_path / "case.errorflow")
    assert main(["session", str(tmp_path / "case.errorflow")]) == 0
    assert "guide ascend-onnx, at the step fusion" in capsys.readouterr().out
    assert main(["session", str(tmp_path / "case.errorflow"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["guide"] == {"flow": "ascend-onnx", "step": "fusion"}


def test_it_speaks_another_language_and_scripts_stay(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        assert main(["guide", "ascend-caffe", "--step", "1", "--language", "zh_CN"]) == 0
    finally:
        use(ENGLISH.key)
    said = capsys.readouterr().out
    assert "第 1 步，共 7 步：" in said
    assert '| """Runs a Caffe model once' in said
    assert "[quantization]" in said


def test_written_scripts_run_in_the_folder_that_they_are_written_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the guide was called: what lies in the case is found from there."""
    import numpy as np

    (tmp_path / "bad").mkdir()
    shutil.copy(SAMPLES[0].model, tmp_path / "bad" / "model.onnx")
    np.savez(tmp_path / "bad" / "inputs.npz", image=np.zeros((1, 1, 8, 8), np.float32))
    monkeypatch.chdir(tmp_path)
    assert main(["guide", "ascend-onnx", "bad", "--model", "bad/model.onnx", "--write", "my kit"]) == 0
    assert "Run them in that folder: cd 'my kit'" in capsys.readouterr().out
    kit = tmp_path / "my kit"
    subprocess.run([sys.executable, "dump_original.py"], cwd=kit, check=True, capture_output=True)
    assert any((kit / "npy_original").glob("*.npy"))


def test_the_call_names_the_quantized_model_and_the_inputs_that_lie_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The inputs also where only a run holds them, among what it made."""
    import numpy as np

    shutil.copy(SAMPLES[0].model, tmp_path / "net.onnx")
    shutil.copy(SAMPLES[0].candidate_model, tmp_path / "made by tool.onnx")
    np.savez(tmp_path / "run.npz", image=np.zeros((1, 1, 8, 8), np.float32), other=np.zeros(3, np.float32))
    assert main(["guide", "onnx", str(tmp_path), "--step", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    call = lines[lines.index("  Then: Compare") + 1].split("compare ")[1]
    assert call == f"-m '{tmp_path}/made by tool.onnx' -g {tmp_path}/net.onnx --inputs {tmp_path}/run.npz"


def test_a_model_that_is_given_is_not_missing_and_a_folder_that_is_not_there_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, quantized = (str(path) for path in (SAMPLES[0].model, SAMPLES[0].candidate_model))
    call = ["guide", "onnx", str(tmp_path / "gone"), "--model", model, "--quantized", quantized, "--step", "1"]
    assert main(call) == 0
    said = capsys.readouterr().out
    assert f"Float ONNX model: {SAMPLES[0].model.name}" in said
    assert f"Quantized ONNX model: {SAMPLES[0].candidate_model.name}" in said
    assert f"! There is no file {tmp_path / 'gone'}" in said


def test_the_call_that_compares_stands_under_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_folders.npu(tmp_path / "npu")
    run_folders.npy(tmp_path / "golden")
    assert main(["guide", "ascend-onnx-quick", str(tmp_path), "--step", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    after = lines[lines.index("  Then: Compare") + 1]
    assert after.startswith(("    errorflow compare", "    Not yet."))


@pytest.mark.parametrize("flow", ["ascend-onnx-float", "onnx"])
def test_what_is_compared_is_kept_for_the_command_of_the_report(flow: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guide", flow]) == 0
    said = capsys.readouterr().out
    assert "Add --session case.errorflow to keep it" in said and "errorflow report case.errorflow -o" in said
    assert main(["report", "case.errorflow", "-o", "case.html"]) == 2
    assert "may have been moved or deleted. `errorflow compare … --session FILE` makes" in capsys.readouterr().err


def test_a_session_in_the_folder_names_itself_and_the_node_to_blame(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = {"conversion": StepProgress(texts={"nodes": "conv1, conv2"})}
    write_session(Session(guide=GuideProgress("ascend-onnx", steps=steps)), tmp_path / "bad.errorflow")
    assert main(["guide", "ascend-onnx", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "-op conv1" in said and "bad.errorflow -o bad.html" in said


def test_commands_name_the_dumps_that_lie_there_and_no_dump_is_a_sample(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path, "fusion off", next(iter(ROWS["fusion off"].cases())))
    assert main(["guide", "ascend-caffe", str(tmp_path / "case")]) == 0
    lines = capsys.readouterr().out.splitlines()
    compare, operator = (
        next(line.split() for line in lines if "errorflow compare" in line and option in line)
        for option in ("--scales", "-op NODE")
    )
    assert operator[2:8] == compare[2:8]
    assert any(line.startswith("  Needs: Samples: missing.") for line in lines)


def test_a_session_is_judged_by_the_step_that_compares_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"candidate": SAMPLES[0].candidate_run, "reference": SAMPLES[0].reference_run, "model": SAMPLES[0].model}
    case = tmp_path / "case.errorflow"
    write_session(Session(SAMPLES[0].model, setup=Setup("npu-fake-quantized", files)), case)
    assert main(["guide", "ascend-onnx", "--check", str(case), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["step"], found["outcome"]) == ("conversion", "node error")


def test_where_the_output_is_not_known_nothing_passes_that_has_bad_tensors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = np.linspace(1, 2, 64, dtype=np.float32)
    np.savez(tmp_path / "golden.npz", prob=values, x=values)
    np.savez(tmp_path / "mine.npz", prob=values[::-1], x=values)
    sides = ["-m", str(tmp_path / "mine.npz"), "-g", str(tmp_path / "golden.npz")]
    main(["compare", *sides, "-out", str(tmp_path / "out"), "--session", str(tmp_path / "case.errorflow")])
    for checked in ("out", "out/tensors.csv"):
        assert main(["guide", "ascend-onnx-float", "--step", "1", "--check", str(tmp_path / checked)]) == 1
        said = capsys.readouterr().out
        assert "which tensor is the output is not known; give --model" in said and "Outcome: passed" not in said


def test_a_run_that_stops_before_the_output_does_not_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample, (mine, case, out) = SAMPLES[0], (tmp_path / name for name in ("mine.npz", "case.errorflow", "out"))
    output = graph_outputs(sample.model)
    np.savez(mine, **{name: values for name, values in np.load(sample.reference_run).items() if name not in output})
    sides = ["-m", str(mine), "-g", str(sample.reference_run), "--model", str(sample.model)]
    main(["compare", *sides, "-out", str(out)])
    files = {"candidate": mine, "reference": sample.reference_run, "model": sample.model}
    write_session(Session(sample.model, setup=Setup("npu-fake-quantized", files)), case)
    assert "Not judged: no output of the model was compared; the last" in capsys.readouterr().out
    for checked in (out, case):
        assert main(["guide", "ascend-onnx", "--step", "conversion", "--check", str(checked)]) == 1
        said = capsys.readouterr().out
        assert "? Output of the model" in said and "Not judged: no output" in said and "Outcome: passed" not in said


def graph_outputs(model: Path) -> list[str]:
    graph = read_model(model).graph
    return [graph.tensor_names[tensor] for tensor in graph.outputs.tolist()]
