"""A Caffe network quantized with AMCT on an NPU: the calls that its folder leads to name the layer that is at fault."""

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest

from errorflow.case.scenarios.discover import discover
from errorflow.case.scenarios.propose import propose
from errorflow.cli.main import main
from errorflow.formats import read_model
from quantized_ascend import NONE, Faults, write_case

# What a call is told by: the runs that it compares.
STEPS = {
    ("fq_npy", "float_npy"): "quantization",
    ("npu_off", "fq_npy"): "conversion",
    ("npu_off", "float_npy"): "all of it",
    ("npu_on", "npu_off"): "fusion",
}
FAULTS = {
    **{
        f"scale of {name}": (Faults(scale={name: 14.0}), name, ("quantization", "all of it"))
        for name in ("conv1", "res2b_branch2b", "res3a_branch2a", "fc10")
    },
    "weights of res4a_branch1": (
        Faults(weights={"res4a_branch1": 1.5}),
        "res4a_branch1",
        ("quantization", "all of it"),
    ),
    **{
        f"{name} on the NPU": (Faults(npu={name: 0.8}), layer, ("conversion", "all of it"))
        for name, layer in (
            ("res2b_branch2b_dequant_layer", "res2b_branch2b"),
            ("res3a_branch2a", "res3a_branch2a"),
            ("res3b_branch2b_quant_layer", "res3b_branch2b"),
            ("res2a_relu", "res2a_relu"),
            ("res4a", "res4a"),
        )
    },
    "res3b_branch2a with fusion": (Faults(fused={"res3b_branch2a": 0.8}), "res3b_branch2a", ("fusion",)),
}


def calls(folder: Path, capsys: pytest.CaptureFixture[str]) -> Mapping[str, list[str]]:
    """What `errorflow scenarios` prints for a folder, word for word, by step."""
    assert main(["scenarios", str(folder)]) == 0
    said = capsys.readouterr().out
    lines = [shlex.split(line) for line in said.splitlines() if line.startswith("  errorflow compare ")]
    return {STEPS[Path(words[3]).name, Path(words[5]).name]: words[1:] for words in lines}


def verdicts(folder: Path, capsys: pytest.CaptureFixture[str], *steps: str) -> dict[str, dict[str, str]]:
    found = {}
    for step, words in calls(folder, capsys).items():
        if not steps or step in steps:
            main([*words, "-out", str(folder / "out" / step)])
            found[step] = json.loads((folder / "out" / step / "summary.json").read_text(encoding="utf-8"))["blame"]
    assert len(found) == (len(steps) if steps else len(STEPS))
    return found


def named(verdict: Mapping[str, str]) -> str:
    """The layer that a headline names first."""
    found = re.match(r"Node error \(estimated\): (\S+) ", verdict["text"])
    return "" if found is None else found[1]


@pytest.mark.parametrize("fault", FAULTS)
def test_the_layer_at_fault_is_named_and_no_other_step_is_blamed(
    fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    faults, layer, guilty = FAULTS[fault]
    write_case(tmp_path / "case", 3, faults)
    found = verdicts(tmp_path / "case", capsys)

    assert {step: named(found[step]) for step in guilty} == dict.fromkeys(guilty, layer)
    innocent = set(STEPS.values()) - set(guilty) - {"fusion"}
    assert {step: found[step]["kind"] for step in innocent} == dict.fromkeys(innocent, "good")


def test_nothing_is_blamed_where_nothing_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_case(tmp_path / "case", 2, NONE)
    assert {verdict["kind"] for verdict in verdicts(tmp_path / "case", capsys).values()} == {"good"}


@pytest.mark.parametrize("seed", [1, 4])
def test_noise_everywhere_is_no_error_of_a_node(seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_case(tmp_path / "case", seed, Faults(drift=0.06))
    found = verdicts(tmp_path / "case", capsys, "conversion", "all of it")
    assert {verdict["kind"] for verdict in found.values()} == {"accumulated error"}


def test_each_compiled_model_goes_with_its_dump_whatever_they_are_called(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "case"
    write_case(folder)
    for old, new in (("npu_off", "b"), ("npu_on", "a"), ("off.json", "y.json"), ("on.json", "x.json")):
        (folder / old).rename(folder / new)
    found = {proposal.scenario.key: proposal for proposal in propose(discover(folder))}

    def files(key: str) -> dict[str, str]:
        assert found[key].is_complete
        return {need: path.name for need, path in found[key].setup.files.items()}

    assert files("npu-npu") == {"candidate": "a", "fusion": "x.json", "reference": "b", "closed_fusion": "y.json"}
    scales = {"scales": "scale_offset_record.txt", "original": "resnet.prototxt"}
    assert files("npu-fake-quantized") == {"candidate": "b", "reference": "fq_npy", "fusion": "y.json", **scales}
    assert files("npu-quantized") == {
        "candidate": "b",
        "reference": "float_npy",
        "fusion": "y.json",
        "quantization": "resnet_quant.json",
        **scales,
    }


def test_of_two_networks_the_one_that_the_reference_ran_is_taken(tmp_path: Path) -> None:
    folder = tmp_path / "case"
    write_case(folder)
    text = (folder / "resnet.prototxt").read_text(encoding="utf-8")
    own = re.sub(r'layer \{ name: "(bn|scale)_[^\n]*\n?', "", text)
    (folder / "a_quantized.prototxt").write_text(own, encoding="utf-8")
    (found,) = (each for each in propose(discover(folder)) if each.scenario.key == "quantized")
    assert found.setup.files["model"].name == "resnet.prototxt"


def test_a_list_of_operators_names_no_guilty_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "case"
    write_case(folder, 3, Faults(scale={"res3a_branch2a": 14.0}))
    sides = ["-m", str(folder / "fq_npy"), "-g", str(folder / "float_npy"), "-q", str(folder / "resnet_quant.json")]
    main(["compare", *sides, "-out", str(tmp_path / "out")])
    said = capsys.readouterr().out

    assert "Good" not in said and "leave the bad nodes" not in said.lower()
    assert "what flows where is not known" in said.lower()
    assert "--model" in said
    # Each operator of the list makes a tensor, described or not, so that what was measured of it finds it.
    assert all(node.outputs for node in read_model(folder / "resnet_quant.json").graph.nodes())


def test_what_was_measured_counts_where_the_compiled_model_has_no_inputs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "case"
    write_case(folder, 3, Faults(npu={"res3a_branch2a": 0.8}))
    for path in (folder / "off.json", folder / "on.json"):
        model = json.loads(path.read_text(encoding="utf-8"))
        model["graph"][0]["op"] = [op for op in model["graph"][0]["op"] if op["type"] != "Data"]
        path.write_text(json.dumps(model), encoding="utf-8")
    found = verdicts(folder, capsys, "conversion", "all of it")
    assert {named(verdict) for verdict in found.values()} == {"res3a_branch2a"}
