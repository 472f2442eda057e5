"""ATC JSON: how what is printed of an offline model becomes a graph."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ascend_writer import chain, desc, graph, op
from errorflow.base.errors import FormatError
from errorflow.formats import read
from errorflow.graph.model import Model, Origin, Tensor
from errorflow.vendors.ascend.formats import assemble

DATA = Path(__file__).parents[4] / "data"


def opened(path: Path) -> Model:
    content = read(path)
    assert isinstance(content, Model)
    return content


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
