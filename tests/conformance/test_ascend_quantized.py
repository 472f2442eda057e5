"""The cases of Caffe, AMCT and an NPU that are kept beside the repository, judged by the commands that are printed."""

import json
import shutil
from pathlib import Path

import pytest

from amct_case.board import Build, compiled
from amct_case.files import write_compiled, write_quantization
from amct_case.layers import net_of
from amct_case.quantizing import records_of
from ascend_writer import Json
from planted_by_command import compared, complaints, printed

CASES = Path(__file__).parents[3] / "shared" / "data" / "ascend_quantized"

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the vendor files next to the repository are absent")

# By the comparison: what is to be said of it. Eight bits everywhere move the output by 5.4 %, which is many nodes'.
ALWAYS = {"quantized": "drift", "npu-fake-quantized": "twin", "npu-npu": "twin", "npu-quantized": "drift"}
TRUE = {
    "clean": ALWAYS,
    "fault_in_quantization": ALWAYS | {"quantized": "fault", "npu-quantized": "fault", "three-way": "fault"},
    "fault_on_npu": ALWAYS | {"npu-fake-quantized": "fault", "npu-quantized": "fault", "three-way": "fault"},
    "drift_on_npu": ALWAYS | {"npu-fake-quantized": "drift"},
}
LAYERS = {"fault_in_quantization": "res3a_branch2a", "fault_on_npu": "res2b_branch2b"}
# Three steps of the vendor's guide.
STEPS = ("quantized", "npu-fake-quantized", "npu-npu")


def guilty(case: str) -> frozenset[str]:
    """All names of the layer with the fault: AMCT's, the norm's, and the fused operator's."""
    if case not in LAYERS:
        return frozenset()
    layer = LAYERS[case]
    block = layer.removeprefix("res")
    names = {layer, f"{layer}_quant_layer", f"{layer}_dequant_layer", f"bn{block}", f"scale{block}"}
    fused = {f"{layer}{layer}_dequant_layer", f"{layer}{layer}_dequant_layer{layer}_relu"}
    return frozenset(names | fused)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for case in TRUE:
        shutil.copytree(CASES / case, tmp_path / case)
    return tmp_path


@pytest.mark.parametrize("key", STEPS)
@pytest.mark.parametrize("case", TRUE)
def test_each_step_of_the_guide_says_what_is_true(case: str, key: str, place: Path) -> None:
    commands = printed(place, case)
    assert key in commands, f"no command is printed for [{key}], only {commands}"
    told = compared(commands[key], place)

    wrong = complaints(told, TRUE[case][key], guilty(case))
    assert not wrong, f"{commands[key]}: {'; '.join(wrong)}. It says: {told.headline} {told.top}"


@pytest.mark.parametrize("case", TRUE)
def test_whatever_else_is_printed_says_what_is_true(case: str, place: Path) -> None:
    wrong: list[str] = []
    for key, command in printed(place, case).items():
        if key not in STEPS:
            told = compared(command, place)
            found = complaints(told, TRUE[case].get(key, "drift"), guilty(case))
            wrong += [f"{command}: {text}. It says: {told.headline} {told.top}" for text in found]

    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("case", TRUE)
def test_the_first_step_takes_the_original_model_that_lies_there(case: str, place: Path) -> None:
    assert f"--model {case}/resnet.prototxt" in printed(place, case)["quantized"]


def keys(value: object) -> set[str]:
    """Members and names of attributes, wherever they are."""
    if isinstance(value, list):
        return set[str]().union(*map(keys, value))
    if not isinstance(value, dict):
        return set()
    named = {str(value["key"])} if "key" in value else set()
    return named.union(value, *map(keys, value.values()))


@pytest.mark.parametrize("name", ["off", "on"])
def test_what_is_made_up_for_tests_has_the_form_of_these(name: str, tmp_path: Path) -> None:
    net = net_of(0)
    write_compiled(tmp_path / "made.json", compiled(net, Build(records_of(net), fused=name == "on")))
    write_quantization(tmp_path / "quant.json", net)

    for mine, theirs in (("made.json", f"{name}.json"), ("quant.json", "resnet_quant.json")):
        assert keys(read(tmp_path / mine)) == keys(read(CASES / "clean" / theirs))


def read(path: Path) -> Json:
    found: Json = json.loads(path.read_text(encoding="utf-8"))
    return found
