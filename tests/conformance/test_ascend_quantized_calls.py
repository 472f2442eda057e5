"""A small ResNet as a user of Caffe and AMCT has it: the calls that its folder leads to, word for word."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from errorflow.cli.main import main

DATA = Path(__file__).parents[3] / "shared" / "data" / "ascend_quantized"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the vendor files next to the repository are absent")

STEPS = {
    ("fq_npy", "float_npy"): "quantization",
    ("npu_off", "fq_npy"): "conversion",
    ("npu_off", "float_npy"): "all of it",
    ("npu_on", "npu_off"): "fusion",
}
# The kind of each verdict, and the layer that is named; 8 bits alone bring this net's output to 0.054 and 0.065.
SPREAD = ("accumulated error", "")
GOOD = ("good", "")
EXPECTED = {
    "clean": {"quantization": SPREAD, "conversion": GOOD, "all of it": SPREAD, "fusion": GOOD},
    "fault_in_quantization": {
        "quantization": ("node error", "res3a_branch2a"),
        "conversion": GOOD,
        "all of it": ("node error", "res3a_branch2a"),
        "fusion": GOOD,
    },
    "fault_on_npu": {
        "quantization": SPREAD,
        "conversion": ("node error", "res2b_branch2b"),
        "all of it": ("node error", "res2b_branch2b"),
        "fusion": GOOD,
    },
    "drift_on_npu": {"quantization": SPREAD, "conversion": SPREAD, "all of it": SPREAD, "fusion": GOOD},
}


def blamed(words: list[str], out: Path) -> tuple[str, str]:
    main([*words, "-out", str(out)])
    found = json.loads((out / "summary.json").read_text(encoding="utf-8"))["blame"]
    named = re.match(r"Node error \(estimated\): (\S+) ", found["text"])
    return found["kind"], "" if named is None else named[1]


@pytest.fixture
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copytree(DATA / request.param, tmp_path / "case"))


@pytest.mark.parametrize("folder", EXPECTED, indirect=True)
def test_the_calls_that_are_printed_tell_the_step_and_the_layer(
    folder: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["scenarios", str(folder)])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  errorflow compare ")]
    found = {}
    for words in map(shlex.split, lines):
        step = STEPS[Path(words[3]).name, Path(words[5]).name]
        found[step] = blamed(words[1:], folder / "out" / step)
    assert found == EXPECTED[request.node.callspec.params["folder"]]


@pytest.mark.parametrize("folder", ["fault_on_npu"], indirect=True)
def test_the_guide_prints_the_same_calls(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    calls = []
    for call in (["scenarios", "."], ["guide", "ascend-caffe", "."], ["guide", "ascend-caffe-quick", "."]):
        main(call)
        said = capsys.readouterr().out.splitlines()
        calls.append({line.strip() for line in said if "errorflow compare" in line and "-op" not in line})
    assert len(calls[0]) == len(STEPS)
    assert calls[0] == calls[1] | calls[2]


@pytest.mark.parametrize("folder", ["fault_on_npu", "clean"], indirect=True)
def test_with_fusion_the_original_model_leads_to_the_same_layer(folder: Path, request: pytest.FixtureRequest) -> None:
    names = ("npu_on", "float_npy", "on.json", "resnet_quant.json", "scale_offset_record.txt")
    options = ("-m", "-g", "-f", "-q", "--scales")
    words = [word for option, name in zip(options, names, strict=True) for word in (option, str(folder / name))]
    expected = EXPECTED[request.node.callspec.params["folder"]]["all of it"]
    assert blamed(["compare", *words], folder / "out") == expected


@pytest.mark.parametrize("folder", EXPECTED, indirect=True)
def test_the_quantization_information_alone_gives_no_verdict(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sides = ["-m", str(folder / "fq_npy"), "-g", str(folder / "float_npy"), "-q", str(folder / "resnet_quant.json")]
    main(["compare", *sides, "-out", str(folder / "out")])
    said = capsys.readouterr().out
    assert "Good" not in said
    assert "what flows where is not known" in said.lower()
