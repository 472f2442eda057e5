"""ATC JSON: fields of all kinds, attributes, and files that are odd."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_writer import attr, chain, desc, graph, model, op, write_json
from core.vendors.ascend.formats.test_atc_json import DATA, opened, tensor, texts
from errorflow.base.errors import FileError, FormatError
from errorflow.base.files import Source
from errorflow.base.progress import Cancelled
from errorflow.formats import identify, read
from errorflow.graph.model import Model, Origin
from errorflow.vendors.ascend.formats.atc_json import AMCT_QUANT, ATC_JSON


def test_names_outside_of_ascii_are_read_from_their_escapes(reads: Callable[..., Model]) -> None:
    made = reads(graph(op("卷积", "Relu", outputs=[desc(_datadump_origin_name="\\345\\215\\267\\347\\247\\257")])))

    origin = tensor(made, "卷积:0").origin
    assert origin is not None
    assert origin.name == "卷积"


def test_omitted_fields_are_empty(reads: Callable[..., Model]) -> None:
    made = reads(graph({"type": "Relu"}, {"name": "b"}))

    assert made.graph.node_names == ("", "b")
    assert made.graph.node(0).attributes["op.id"] == 0


@pytest.mark.parametrize("field", ["name", "type", "input", "attr", "output_desc", "subgraph_name", "id"])
def test_any_field_of_an_operator_may_be_null(field: str, reads: Callable[..., Model]) -> None:
    assert len(reads(graph(op("a", "Relu") | {field: None}, op("b", "Relu", ["a:0"]))).graph) == 2


@pytest.mark.parametrize("field", ["name", "version", "custom_version", "attr"])
def test_any_field_of_the_model_may_be_null(field: str, tmp_path: Path) -> None:
    path = write_json(tmp_path / "model.json", model(chain()) | {field: None})

    assert len(opened(path).graph) == 5


def test_elements_of_lists_may_be_null(reads: Callable[..., Model]) -> None:
    node = op("a", "Relu", outputs=[desc()]) | {"input": [None, "b:0"], "attr": [None, attr("x", 1)]}
    made = reads(graph(node, None, op("b", "Const")))

    assert made.graph.node_names == ("a", "b")
    assert made.graph.node(0).inputs == ("", "b:0")
    assert dict(made.graph.node(0).attributes) == {
        "x": 1,
        "op.id": 0,
        "op.output_desc": made.graph.node(0).attributes["op.output_desc"],
    }
    assert "1 operator is empty" in texts(made)


def test_a_field_of_the_wrong_kind_is_left_out_and_noted(reads: Callable[..., Model]) -> None:
    made = reads(graph(op("a", "Relu", ["b:0"]) | {"output_desc": 3}, op("b", "Const")))

    assert made.graph.node(0).inputs == ("b:0",)
    assert made.graph.node(0).outputs == ()
    assert "something unexpected" in texts(made)


def test_facts_tell_how_the_model_was_made(reads: Callable[..., Model]) -> None:
    made = reads(
        chain(),
        soc_version="Ascend310",
        atc_cmdline="atc --model=x.onnx",
        framework_type="Onnx",
        atc_version="1.82",
        attr_model_out_nodes_name=("Cast_1:0:boxes", "Gather_2:1:scores"),
        weight_size=2560,
        tasks=None,
    )

    assert made.facts == (
        ("Model", "model"),
        ("Framework", "Onnx"),
        ("SoC", "Ascend310"),
        ("ATC", "1.82"),
        ("ATC command", "atc --model=x.onnx"),
        ("Network outputs", "Cast_1:0:boxes, Gather_2:1:scores"),
        ("Weights", "2,560 bytes"),
        ("Model version", "2"),
    )


def test_attributes_come_sorted_and_decoded(reads: Callable[..., Model]) -> None:
    node = op("a", "Relu", strides=(1, 2), alpha=0.1, on=True, label="x", nothing=None, flags=(True, False)) | {"id": 7}

    found = reads(graph(node)).graph.node(0).attributes
    assert list(found.items())[:-1] == [
        ("alpha", 0.1),
        ("flags", (True, False)),
        ("label", "x"),
        ("nothing", None),
        ("on", True),
        ("strides", (1, 2)),
        ("op.id", 7),
    ]
    assert found["op.output_desc"] == ({"dtype": "float32", "shape": (1, 3, 8, 8), "layout": "NCHW"},)


def test_attributes_are_read_from_the_file_when_looked_at(tmp_path: Path) -> None:
    path = write_json(tmp_path / "model.json", model(graph(op("a", "Relu", alpha=1))))
    node = opened(path).graph.node(0)
    path.write_text(path.read_text().replace("alpha", "gamma"))

    with pytest.raises(FileError, match="has changed since it was opened"):
        node.attributes["alpha"]


def test_attributes_of_a_deleted_file_are_a_sentence(tmp_path: Path) -> None:
    path = write_json(tmp_path / "model.json", model(chain()))
    node = opened(path).graph.node(0)
    path.unlink()

    with pytest.raises(FileError, match="There is no file"):
        len(node.attributes)


def test_a_model_is_read_in_whatever_order_its_keys_stand(tmp_path: Path) -> None:
    def reversed_keys(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: reversed_keys(value[key]) for key in reversed(value)}
        return [reversed_keys(item) for item in value] if isinstance(value, list) else value

    path = write_json(tmp_path / "model.json", reversed_keys(model(chain(), soc_version="x")))

    made = opened(path)
    assert made.graph.node_names == ("x", "trans_0", "w", "conv", "Node_Output")
    assert ("SoC", "x") in made.facts


@pytest.mark.parametrize("indent", [None, 0, 4])
def test_a_model_is_read_however_it_is_indented(indent: int | None, tmp_path: Path) -> None:
    assert len(opened(write_json(tmp_path / "model.json", model(chain()), indent)).graph) == 5


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(model(chain())), encoding="utf-8-sig")

    assert len(opened(path).graph) == 5


def test_a_graph_may_be_empty(reads: Callable[..., Model]) -> None:
    assert len(reads(graph(), soc_version="x").graph) == 0


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ([op("a", "Relu"), op("a", "Relu")], "node name is given more than once: a"),
        ([op("a", "Relu", ["b:0"]), op("b", "Relu", ["a:0"])], "wait for each other in a cycle"),
        ([op("a", "Relu", ["gone:0"])], "read but made nowhere: gone:0"),
        ([op("a", "Relu", ["gone:-1"])], "starts at a node that does not exist: gone"),
    ],
    ids=["duplicate", "cycle", "dangling", "dangling control edge"],
)
def test_odd_graphs_are_shown_with_a_note(nodes: Any, said: str, reads: Callable[..., Model]) -> None:
    assert said in texts(reads(graph(*nodes)))


def test_a_cancel_strikes_while_reading(tmp_path: Path) -> None:
    class Impatient:
        def step(self, *_: object, **__: object) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        read(write_json(tmp_path / "model.json", model(chain())), Impatient())


def test_progress_counts_the_bytes_of_the_file(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    class Watching:
        def step(self, done: int, total: int, text: str) -> None:
            assert text
            seen.append((done, total))

    path = write_json(tmp_path / "model.json", model(graph(*[op(f"n{i}", "Relu", ["x" * 3000]) for i in range(800)])))
    read(path, Watching())
    size = path.stat().st_size
    assert seen == [(done, size) for done in range(0, size, 1024 * 1024)]
    assert len(seen) > 2


def test_the_quantization_information_of_amct_is_told_from_a_model() -> None:
    path = DATA / "formats" / "amct-quant" / "s2_quant.json"

    with Source(path) as source:
        assert identify(source) is AMCT_QUANT
    made = opened(path)
    assert made.format == "AMCT quantization information"
    assert ("Content", "AMCT quantization information") in made.facts
    assert "not a network" in texts(made)
    assert made.graph.node_names == ("data", "conv1_quant_layer", "conv1", "conv1_dequant_layer", "relu1", "fc")
    assert made.graph.node(2).origins == ("conv1", "bn1", "scale1")
    assert tensor(made, "conv1_dequant_layer:0").origin == Origin("scale1", 0, "NCHW", "float32")
    assert not len(made.graph.edges[0])


def test_numbers_in_the_quantization_information_may_be_text(tmp_path: Path) -> None:
    about = {"attr": [attr("_datadump_origin_output_index", {"i": "1"}), attr("_datadump_origin_name", "conv")]}
    node = {"name": "d", "type": "DeQuant", "attr": [attr("_datadump_original_op_names", ("conv",))]}
    path = write_json(tmp_path / "q.json", {"name": "q", "graph": [{"op": [node | {"output_desc": [about]}]}]})

    assert tensor(opened(path), "d:0").origin == Origin("conv", 1)


def test_the_sample_with_every_kind_of_fusion_is_read() -> None:
    path = DATA / "ascend_models" / "s1_fusion.json"
    with Source(path) as source:
        assert identify(source) is ATC_JSON
    made = opened(path)
    listed = json.loads(path.read_text())["graph"][0]["op"]

    assert made.graph.node_names == tuple(entry["name"] for entry in listed)
    assert made.problems == ()
    for node, entry in zip(made.graph.nodes(), listed, strict=True):
        assert list(node.inputs) + [f"{name}:-1" for name in node.waits_for] == entry.get("input", [])
        assert len(node.outputs) == len(entry.get("output_desc", []))


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(lambda text: text.strip(":"))


@st.composite
def connected(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Operators with any names, reading from each other, left out or waiting."""
    found = draw(st.lists(names, min_size=1, max_size=8, unique=True))
    sources = [f"{name}:{index}" for name in found for index in (-1, 0, 1)]
    nodes = []
    for name in found:
        inputs = draw(st.lists(st.sampled_from(["", *sources]), max_size=4))
        origins = draw(st.none() | st.lists(names, max_size=3))
        node = op(name, draw(names), inputs, 2)
        if origins is not None:
            node["attr"].append(attr("_datadump_original_op_names", {"list": {"s": origins, "val_type": 1}}))
        nodes.append(node)
    return nodes


@settings(max_examples=60, deadline=None)
@given(nodes=connected(), ascii_only=st.booleans())
def test_what_is_written_is_read_back(
    nodes: list[dict[str, Any]], ascii_only: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("json") / "model.json"
    path.write_text(json.dumps(model(graph(*nodes)), ensure_ascii=ascii_only), encoding="utf-8")

    made = opened(path).graph
    for node, written in zip(made.nodes(), nodes, strict=True):
        assert (node.name, node.op_type) == (written["name"], written["type"])
        inputs = written.get("input", [])
        assert list(node.inputs) == [text for text in inputs if not text.endswith(":-1")]
        assert list(node.waits_for) == [text[:-3] for text in inputs if text.endswith(":-1")]
        origins = [entry["value"]["list"]["s"] for entry in written["attr"]]
        assert node.origins == (tuple(origins[0]) if origins else None)
        assert node.outputs == (f"{node.name}:0", f"{node.name}:1")


def test_a_model_without_graphs_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="without any graph"):
        read(write_json(tmp_path / "model.json", model(soc_version="x")))
