"""The one public ATC JSON of a real model, and the models whose comparison by the vendor's tool is recorded."""

import json
from pathlib import Path
from typing import Any

import pytest

from ascend_writer import write_om
from errorflow.base.files import Source
from errorflow.formats import identify, read
from errorflow.graph.model import Model, Origin, Tensor
from errorflow.vendors.ascend.formats.atc_json import AMCT_QUANT, ATC_JSON

DATA = Path(__file__).parents[3] / "shared" / "data" / "ascend"
REAL = DATA / "s8_real_atc.json"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the vendor files next to the repository are absent")


def opened(path: Path) -> Model:
    content = read(path)
    assert isinstance(content, Model)
    return content


def listed(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text())["graph"][0]["op"]
    return found


@pytest.mark.parametrize("name", ["s8_real_atc.json", "s1_fusion.json", "s2_fusion.json", "s2_quant.json"])
def test_every_file_is_recognised(name: str) -> None:
    with Source(DATA / name) as source:
        assert identify(source) is (AMCT_QUANT if "quant" in name else ATC_JSON)


def test_the_real_model_is_read_without_a_problem() -> None:
    made = opened(REAL)

    assert made.problems == ()
    assert made.graph.name == "sub_model_NPU_0"
    assert [made.graph.tensor_names[index] for index in made.graph.inputs] == ["boxes_all:0", "scores_all:0"]
    assert [made.graph.tensor_names[index] for index in made.graph.outputs] == [
        "trans_Cast_6:0",
        "trans_Cast_7:0",
        "Cast_1206:0",
    ]
    assert ("SoC", "Ascend310") in made.facts
    assert (
        "Network outputs",
        "Cast_1219:0:output0, PartitionedCall_Gather_1221_gatherv2_3:0:output2, Reshape_1213:0:output1",
    ) in made.facts


def test_the_real_model_has_the_edges_that_it_lists_a_second_time() -> None:
    """`src_name` and `src_index` say once more where each connected input comes from."""
    made = opened(REAL).graph

    for node, entry in zip(made.nodes(), listed(REAL), strict=True):
        connected = [name for name in node.inputs if name]
        again = zip(entry.get("src_name", []), entry.get("src_index", []), strict=True)
        assert connected == [f"{name}:{index}" for name, index in again]
        assert list(node.inputs) == entry.get("input", [])
        assert len(node.outputs) == len(entry.get("output_desc", []))


def test_a_name_with_colons_is_not_cut() -> None:
    made = opened(REAL).graph
    gather = made.node_index("PartitionedCall_Gather_1221_gatherv2_3")

    assert gather is not None
    assert made.node(gather).inputs[1] == "onnx::Gather_1764_0:0"


def test_origins_of_the_real_model() -> None:
    made = opened(REAL).graph
    recorded = {node.name: node.origins for node in made.nodes() if node.origins is not None}

    assert recorded == {
        "trans_Cast_0": (),
        "trans_Cast_2": (),
        "PartitionedCall_Gather_1221_const_data_2": ("Gather_1221",),
        "Concat_1211": ("Concat_1211",),
        "Slice_1218": ("Slice_1218",),
        "trans_Cast_6": (),
        "PartitionedCall_Gather_1221_gatherv2_3": ("Gather_1221",),
        "trans_Cast_7": (),
        "Node_Output": (),
    }
    index = made.tensor_index("trans_Cast_7:0")
    assert index is not None
    assert made.tensor(index) == Tensor(
        "trans_Cast_7:0", "float32", (100,), "ND", "ND", (100,), Origin("Gather_1221", 0, "ND", "float32")
    )


def test_every_attribute_of_the_real_model_is_decoded() -> None:
    made = opened(REAL).graph

    for node, entry in zip(made.nodes(), listed(REAL), strict=True):
        keys = {each["key"] for each in entry["attr"]}
        assert keys == {key for key in node.attributes if not key.startswith("op.")}
        assert node.attributes["op.id"] == entry.get("id", 0)
    slice_info = made.node(1).attributes["_op_slice_info"]
    assert isinstance(slice_info, str)
    assert json.loads(slice_info)


@pytest.mark.parametrize("name", ["s8_real_atc.json", "s1_fusion.json", "s2_fusion.json"])
def test_an_offline_model_made_from_the_file_says_the_same(name: str, tmp_path: Path) -> None:
    printed = opened(DATA / name)
    compiled = opened(write_om(tmp_path / "model.om", json.loads((DATA / name).read_text())))

    assert list(compiled.graph.nodes()) == list(printed.graph.nodes())
    assert compiled.graph.tensor_names == printed.graph.tensor_names
    for index in range(len(printed.graph.tensor_names)):
        assert compiled.graph.tensor(index) == printed.graph.tensor(index)
    assert compiled.facts[: len(printed.facts)] == printed.facts
    assert compiled.problems == printed.problems
