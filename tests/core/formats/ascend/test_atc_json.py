"""ATC JSON: everything that the printed form of an offline model can say, and how it becomes a graph."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_writer import attr, chain, desc, graph, model, op, write_json
from errorflow.errors import FileError, FormatError
from errorflow.files import Source
from errorflow.formats import identify, read
from errorflow.formats.ascend import assemble
from errorflow.formats.ascend.atc_json import AMCT_QUANT, ATC_JSON
from errorflow.graph.model import Model, Origin, Tensor
from errorflow.progress import Cancelled

DATA = Path(__file__).parents[3] / "data"


def opened(path: Path) -> Model:
    content = read(path)
    assert isinstance(content, Model)
    return content


@pytest.fixture
def reads(tmp_path: Path) -> Callable[..., Model]:
    """Reads a model that is given as the printer prints it."""

    def reading(*graphs: dict[str, Any], **attrs: object) -> Model:
        return opened(write_json(tmp_path / "model.json", model(*graphs, **attrs)))

    return reading


def tensor(made: Model, name: str) -> Tensor:
    index = made.graph.tensor_index(name)
    assert index is not None
    return made.graph.tensor(index)


def texts(made: Model) -> str:
    return " ".join(problem.text for problem in made.problems)


def test_operators_become_nodes_in_file_order(reads: Callable[..., Model]) -> None:
    made = reads(chain())

    assert made.graph.node_names == ("x", "trans_0", "w", "conv", "Node_Output")
    assert list(made.graph.op_types) == ["Data", "Cast", "Const", "Conv2D", "NetOutput"]
    assert made.format == "ATC JSON of an Ascend offline model"
    assert made.problems == ()


def test_inputs_and_outputs_of_the_network_are_those_of_data_and_netoutput(reads: Callable[..., Model]) -> None:
    made = reads(chain()).graph

    assert [made.tensor_names[i] for i in made.inputs] == ["x:0"]
    assert [made.tensor_names[i] for i in made.outputs] == ["conv:0"]
    assert [made.tensor_names[i] for i in made.constants] == ["w:0"]


def test_inputs_stand_in_the_order_in_which_the_graph_lists_them(reads: Callable[..., Model]) -> None:
    made = reads(graph(op("a", "Data", [""]), op("b", "Data", [""]), input=["b:0", "a:0"])).graph

    assert [made.tensor_names[i] for i in made.inputs] == ["b:0", "a:0"]


def test_outputs_are_the_unread_tensors_where_no_operator_says_so(reads: Callable[..., Model]) -> None:
    made = reads(graph(op("a", "Data", [""]), op("b", "Relu", ["a:0"], 2), op("c", "Relu", ["b:0"]))).graph

    assert [made.tensor_names[i] for i in made.outputs] == ["b:1", "c:0"]


def test_an_input_is_split_at_its_last_colon(reads: Callable[..., Model]) -> None:
    made = reads(graph(op("onnx::Gather_17", "Const"), op("g", "Gather", ["onnx::Gather_17:0"])))

    assert made.graph.node(1).inputs == ("onnx::Gather_17:0",)
    assert made.graph.edges[0].tolist() == [0]
    assert made.problems == ()


@pytest.mark.parametrize("text", ["a", "a:0", "a:00"])
def test_an_input_without_a_plain_index_is_the_first_output(text: str, reads: Callable[..., Model]) -> None:
    assert reads(graph(op("a", "Const"), op("b", "Relu", [text]))).graph.node(1).inputs == ("a:0",)


@pytest.mark.parametrize("name", ["a:b", "a:-", "a:999999999999999999999", "a:²"])
def test_what_looks_like_an_index_may_be_part_of_the_name(name: str, reads: Callable[..., Model]) -> None:
    assert reads(graph(op(name, "Const"), op("b", "Relu", [name]))).graph.edges[0].tolist() == [0]


def test_a_control_edge_is_no_input_but_something_to_wait_for(reads: Callable[..., Model]) -> None:
    made = reads(graph(op("a:0", "Const"), op("b", "Relu", ["", "a:0:-1", "a:0:0"])))

    assert made.graph.node(1).inputs == ("", "a:0:0")
    assert made.graph.node(1).waits_for == ("a:0",)


def test_a_left_out_input_keeps_its_place(reads: Callable[..., Model]) -> None:
    made = reads(graph(op("a", "Const"), op("b", "Conv2D", ["", "a:0", ""])))

    assert made.graph.node(1).inputs == ("", "a:0", "")


def test_a_left_out_input_is_nobodys_output(reads: Callable[..., Model]) -> None:
    made = reads(graph({"type": "Nameless"}, op("b", "Conv2D", ["", ":0", ":-1"])))

    assert made.graph.node(0).outputs == ()
    assert made.graph.node(1).inputs == ("", "", "")
    assert made.graph.node(1).waits_for == ()
    assert made.problems == ()


def test_one_operator_may_have_several_outputs(reads: Callable[..., Model]) -> None:
    made = reads(graph(op("a", "Split", ["b:1"], 3), op("b", "Const", outputs=2)))

    assert made.graph.node(0).outputs == ("a:0", "a:1", "a:2")
    assert made.graph.edges[0].tolist() == [1]


def test_outputs_that_only_their_readers_name_are_believed_and_noted(reads: Callable[..., Model]) -> None:
    made = reads(graph(op("a", "Split", outputs=0), op("b", "Relu", ["a:2"])))

    assert made.graph.node(0).outputs == ("a:0", "a:1", "a:2")
    assert "read at outputs that they do not describe: a" in texts(made)


def test_an_absurd_output_number_is_not_believed(reads: Callable[..., Model]) -> None:
    made = reads(graph(op("a", "Split"), op("b", "Relu", ["a:99999999"])))

    assert made.graph.node(0).outputs == ("a:0",)
    assert "read but made nowhere: a:99999999" in texts(made)


def test_a_tensor_has_type_shape_and_layout_before_and_after_conversion(reads: Callable[..., Model]) -> None:
    assert tensor(reads(chain()), "conv:0") == Tensor(
        name="conv:0",
        dtype="float16",
        shape=(1, 1, 8, 8, 16),
        layout="NC1HWC0",
        original_layout="NCHW",
        original_shape=(1, 8, 8, 8),
        origin=Origin("relu1", 0, "NCHW", "float32"),
    )


@pytest.mark.parametrize(
    ("given_desc", "shape"),
    [
        (desc(shape=()), ()),
        (desc() | {"shape": None}, ()),
        (desc() | {"shape": {}}, ()),
        (desc(shape=(-1, 3)), (None, 3)),
        (desc(shape=(-2,)), None),
        (desc() | {"shape": {"dim": ["1", "64"]}}, (1, 64)),
        ({"layout": "FORMAT_RESERVED"}, None),
        (None, None),
    ],
    ids=["scalar", "null", "empty", "open dimension", "open rank", "numbers as text", "left out", "no description"],
)
def test_shapes(given_desc: Any, shape: object, reads: Callable[..., Model]) -> None:
    assert tensor(reads(graph(op("a", "Const", outputs=[given_desc]))), "a:0").shape == shape


def test_a_left_out_tensor_has_no_layout(reads: Callable[..., Model]) -> None:
    made = reads(graph(op("a", "Const", outputs=[{"layout": "FORMAT_RESERVED"}])))

    assert tensor(made, "a:0") == Tensor("a:0")


def test_an_original_shape_can_be_that_of_a_scalar(reads: Callable[..., Model]) -> None:
    made = reads(graph(op("a", "Const", outputs=[desc(origin_shape={"list": {"val_type": "VT_LIST_INT"}})])))

    assert tensor(made, "a:0").original_shape == ()


@pytest.mark.parametrize(
    ("coded", "index"), [({"i": 2}, 2), ({"i": "2"}, 2), ({"s": "2"}, 2), (None, 0)], ids=["int", "text", "s", "null"]
)
def test_the_index_of_an_origin_is_a_number_or_text(coded: Any, index: int, reads: Callable[..., Model]) -> None:
    about = desc(_datadump_origin_name="conv", _datadump_origin_output_index=coded)

    origin = tensor(reads(graph(op("a", "Relu", outputs=[about]))), "a:0").origin
    assert origin == Origin("conv", index)


def test_the_index_of_an_origin_is_that_of_the_output_where_it_is_not_given(reads: Callable[..., Model]) -> None:
    origin = tensor(reads(graph(op("a", "Relu", outputs=[desc(), desc(_datadump_origin_name="conv")]))), "a:1").origin

    assert origin == Origin("conv", 1)


def test_an_index_that_is_null_is_not_given(reads: Callable[..., Model]) -> None:
    about = desc(_datadump_origin_name="conv", _datadump_origin_output_index=None)

    assert tensor(reads(graph(op("a", "Relu", outputs=[desc(), about]))), "a:1").origin == Origin("conv", 1)


@pytest.mark.parametrize(
    ("limit", "nodes"),
    [
        ("MAX_NODES", [op(f"n{number}", "Relu") for number in range(30)]),
        ("MAX_LINKS", [op("n", "Relu", ["a:0"] * 40)]),
        ("MAX_LINKS", [op("a", "Relu", outputs=0), op("n", "Relu", ["a:40"])]),
    ],
)
def test_a_graph_larger_than_any_is_a_sentence(
    limit: str, nodes: Any, reads: Callable[..., Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assemble, limit, 20)

    with pytest.raises(FormatError, match="The model has more than"):
        reads(graph(*nodes))


@pytest.mark.parametrize(
    ("value", "origins"),
    [
        (("conv1", "relu1"), ("conv1", "relu1")),
        ((), ()),
        ({"list": {}}, ()),
        (None, ()),
        (("",), ()),
        ("conv1", ("conv1",)),
        ({"list": {"s": ["conv1"], "val_type": 1}}, ("conv1",)),
    ],
    ids=["fused", "inserted", "empty list", "null", "empty name", "one string", "type as number"],
)
def test_origins_of_a_node(value: object, origins: object, reads: Callable[..., Model]) -> None:
    made = reads(graph(op("a", "Relu", _datadump_original_op_names=value)))

    assert made.graph.node(0).origins == origins


def test_a_node_without_a_record_has_no_origins(reads: Callable[..., Model]) -> None:
    assert reads(graph(op("a", "Relu"))).graph.node(0).origins is None


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
