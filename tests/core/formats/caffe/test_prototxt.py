"""Caffe networks: which layers run, what each blob is called, what goes in and out."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errorflow.base.errors import FormatError
from errorflow.base.files import Source
from errorflow.formats import read
from errorflow.formats.caffe.prototxt import CAFFE_PROTOTXT, MAX_BYTES
from errorflow.graph.model import Graph, Model, Shape

DATA = Path(__file__).parents[3] / "data"


def opened(path: Path) -> Model:
    content = read(path)
    assert isinstance(content, Model)
    return content


@pytest.fixture
def reads(tmp_path: Path) -> Callable[[str], Model]:
    """Reads a network from its text."""

    def reading(text: str) -> Model:
        path = tmp_path / "net.prototxt"
        path.write_text(text, encoding="utf-8")
        return opened(path)

    return reading


def layer(name: str, kind: str, bottoms: str = "", tops: str = "", more: str = "") -> str:
    below = " ".join(f'bottom: "{blob}"' for blob in bottoms.split())
    above = " ".join(f'top: "{blob}"' for blob in tops.split())
    return f'layer {{ name: "{name}" type: "{kind}" {below} {above} {more} }}\n'


def names(graph: Graph, tensors: object) -> list[str]:
    return [graph.tensor_names[index] for index in tensors.tolist()]  # type: ignore[attr-defined]  # any array of indices


def shape(graph: Graph, name: str) -> Shape:
    index = graph.tensor_index(name)
    assert index is not None
    return graph.tensor(index).shape


def texts(made: Model) -> str:
    return " ".join(problem.text for problem in made.problems)


def test_layers_become_nodes_and_blobs_edges(reads: Callable[[str], Model]) -> None:
    made = reads('name: "net" input: "x"' + layer("c", "Convolution", "x", "y") + layer("s", "Softmax", "y", "z"))

    assert made.format == "Caffe network"
    assert made.graph.name == "net"
    assert [(node.name, node.op_type, node.inputs, node.outputs) for node in made.graph.nodes()] == [
        ("c", "Convolution", ("x",), ("y",)),
        ("s", "Softmax", ("y",), ("z",)),
    ]
    assert names(made.graph, made.graph.inputs) == ["x"]
    assert names(made.graph, made.graph.outputs) == ["z"]
    assert made.problems == ()


def test_a_layer_in_place_makes_a_tensor_of_its_own(reads: Callable[[str], Model]) -> None:
    made = reads(
        layer("d", "Input", "", "x")
        + layer("before", "Pooling", "x", "p")
        + layer("relu", "ReLU", "x", "x")
        + layer("scale", "Scale", "x", "x")
        + layer("after", "Pooling", "x", "q")
    ).graph

    assert [node.inputs for node in made.nodes()] == [(), ("x",), ("x",), ("relu",), ("scale",)]
    assert [node.outputs for node in made.nodes()] == [("x",), ("p",), ("relu",), ("scale",), ("q",)]
    assert names(made, made.outputs) == ["p", "q"]
    assert made.problems == ()


def test_the_blob_of_a_layer_in_place_stays_visible(reads: Callable[[str], Model]) -> None:
    made = reads(layer("d", "Input", "", "x") + layer("relu", "ReLU", "x", "x")).graph

    assert dict(made.node(1).attributes) == {"bottom": "x", "top": "x"}


@pytest.mark.parametrize(
    ("name", "found"), [("y", "y/x"), ("x", "x/x"), ("", "/x")], ids=["later blob", "own blob", "nameless"]
)
def test_a_tensor_of_a_layer_in_place_never_takes_the_name_of_a_blob(
    name: str, found: str, reads: Callable[[str], Model]
) -> None:
    made = reads(layer("d", "Input", "", "x") + layer(name, "ReLU", "x", "x") + layer("z", "Pooling", "x", "y")).graph

    assert made.node(1).outputs == (found,)
    assert made.node(2).inputs == (found,)
    assert made.problems == ()


def test_layers_of_one_name_in_place_are_told_apart(reads: Callable[[str], Model]) -> None:
    made = reads(layer("d", "Input", "", "x") + layer("r", "ReLU", "x", "x") * 3).graph

    assert [node.outputs for node in made.nodes()] == [("x",), ("r",), ("r/x",), ("r/x.2",)]


def test_many_layers_of_one_name_take_no_longer_each(reads: Callable[[str], Model]) -> None:
    made = reads(layer("d", "Input", "", "x") + layer("r", "ReLU", "x", "x") * 20_000).graph

    assert made.node(20_000).outputs == ("r/x.19999",)


def test_many_blobs_of_one_layer_take_no_longer_each(reads: Callable[[str], Model]) -> None:
    below, above = (" ".join(f"{letter}{i}" for i in range(50_000)) for letter in "bt")
    made = reads(layer("r", "Custom", f"{below} x", f"{above} x")).graph

    assert made.node(0).outputs[-2:] == ("t49999", "r")


def test_many_fields_of_one_layer_take_no_longer_each(reads: Callable[[str], Model]) -> None:
    made = reads(layer("r", "Custom", more=" ".join(f"f{i}: {i}" for i in range(50_000)))).graph

    assert made.node(0).attributes["f49999"] == 49_999


def test_a_layer_may_work_in_place_on_one_of_several_blobs(reads: Callable[[str], Model]) -> None:
    made = reads(layer("d", "Input", "", "x y") + layer("e", "Eltwise", "x y", "y z")).graph

    assert made.node(1).inputs == ("x", "y")
    assert made.node(1).outputs == ("e", "z")


def test_a_blob_with_several_readers_needs_no_split(reads: Callable[[str], Model]) -> None:
    made = reads(layer("d", "Input", "", "x") + layer("a", "ReLU", "x", "y") + layer("b", "ReLU", "x", "z")).graph

    assert made.edges[0].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ('input: "x" input_dim: 1 input_dim: 3 input_dim: 8 input_dim: 9', {"x": (1, 3, 8, 9)}),
        ('input: "x" input: "y" input_dim: [1, 3, 8, 9, 2, 1, 1, 1]', {"x": (1, 3, 8, 9), "y": (2, 1, 1, 1)}),
        ('input: "x" input_shape { dim: 1 dim: 10 }', {"x": (1, 10)}),
        ('input: "x" input_shape { }', {"x": ()}),
        ('input: "x" input: "y" input_shape { dim: 5 }', {"x": (5,), "y": None}),
        ('input: "x" input_dim: 1 input_dim: 3', {"x": None}),
        ('input: "x"', {"x": None}),
        ('input: "x" input_shape { dim: 0 dim: -1 dim: 4 }', {"x": (None, None, 4)}),
        (layer("d", "Input", "", "x", "input_param { shape { dim: 1 dim: 3 } }"), {"x": (1, 3)}),
        (layer("d", "Input", "", "x y", "input_param { shape { dim: 2 } }"), {"x": (2,), "y": (2,)}),
        (layer("d", "Input", "", "x y", "input_param { shape { dim: 2 } shape { dim: 3 } }"), {"x": (2,), "y": (3,)}),
        (layer("d", "Input", "", "x y z", "input_param { shape { dim: 2 } shape { dim: 3 } }"), {"y": (3,), "z": None}),
        (layer("d", "Input", "", "x"), {"x": None}),
        (layer("d", "DummyData", "", "x", "dummy_data_param { shape { dim: 7 } }"), {"x": (7,)}),
        (
            layer("d", "DummyData", "", "x", "dummy_data_param { num: 1 channels: 2 height: 3 width: 4 }"),
            {"x": (1, 2, 3, 4)},
        ),
        (
            layer("d", "MemoryData", "", "x y", "memory_data_param { batch_size: 1 channels: 2 height: 3 width: 4 }"),
            {"x": (1, 2, 3, 4), "y": (1,)},
        ),
        (layer("d", "MemoryData", "", "x", "memory_data_param { batch_size: 1 }"), {"x": None}),
        (layer("d", "Data", "", "x y"), {"x": None, "y": None}),
    ],
)
def test_shapes_of_inputs(text: str, shapes: dict[str, Shape], reads: Callable[[str], Model]) -> None:
    made = reads(text + "\n" + layer("last", "Silence", " ".join(shapes))).graph

    assert set(shapes) <= set(names(made, made.inputs))
    assert {name: shape(made, name) for name in shapes} == shapes


def test_only_layers_of_the_test_phase_are_shown(reads: Callable[[str], Model]) -> None:
    made = reads(
        layer("train", "Data", "", "x", "include { phase: TRAIN }")
        + layer("test", "Data", "", "x", "include { phase: TEST }")
        + layer("drop", "Dropout", "x", "x", "exclude { phase: TEST }")
        + layer("both", "ReLU", "x", "y", "exclude { phase: TRAIN }")
    )

    assert made.graph.node_names == ("test", "both")
    assert made.facts == (("View", "inference (TEST)"), ("Left out at inference", "train, drop"))


@pytest.mark.parametrize(
    ("rules", "runs"),
    [
        ("include { }", True),
        ("include { phase: TRAIN } include { phase: TEST }", True),
        ("include { stage: 'deploy' }", True),
        ("include { stage: 'other' }", False),
        ("include { not_stage: 'deploy' }", False),
        ("include { min_level: 2 }", True),
        ("include { min_level: 3 }", False),
        ("include { max_level: 1 }", False),
        ("exclude { stage: 'deploy' phase: TRAIN }", True),
        ("exclude { stage: 'deploy' }", False),
    ],
)
def test_rules_are_held_against_the_state_of_the_network(rules: str, runs: bool, reads: Callable[[str], Model]) -> None:
    made = reads("state { phase: TRAIN level: 2 stage: 'deploy' }\n" + layer("a", "ReLU", "x", "y", rules))

    assert len(made.graph) == runs


def test_what_only_training_brings_in_is_an_input(reads: Callable[[str], Model]) -> None:
    made = reads(layer("train", "Data", "", "x l", "include { phase: TRAIN }") + layer("a", "ReLU", "x", "y"))

    assert names(made.graph, made.graph.inputs) == ["x"]
    assert made.problems == ()


def test_the_first_layer_format_is_read() -> None:
    made = opened(DATA / "caffe" / "old_train_val.prototxt")

    assert list(made.graph.op_types) == ["Data", "Convolution", "ReLU", "InnerProduct", "Accuracy", "SoftmaxWithLoss"]
    assert made.graph.node(3).inputs == ("relu1",)
    assert names(made.graph, made.graph.inputs) == ["data", "label"]
    assert names(made.graph, made.graph.outputs) == ["accuracy", "loss"]
    assert made.problems == ()


def test_a_type_that_is_not_known_is_kept(reads: Callable[[str], Model]) -> None:
    assert reads("layers { name: 'a' type: NEWEST top: 'y' }").graph.op_types[0] == "NEWEST"


def test_the_oldest_format_wraps_each_layer(reads: Callable[[str], Model]) -> None:
    made = reads(
        "layers { layer { name: 'c' type: 'conv' num_output: 8 } bottom: 'x' top: 'y' }"
        "layers { layer { name: 'i' type: 'innerproduct' } bottom: 'y' top: 'z' }"
    ).graph

    assert [(node.name, node.op_type, node.inputs) for node in made.nodes()] == [
        ("c", "Convolution", ("x",)),
        ("i", "InnerProduct", ("y",)),
    ]


def test_a_quantized_model_of_amct_is_read() -> None:
    made = opened(DATA / "caffe" / "small_fake_quant_model.prototxt")

    assert made.graph.node_names == ("conv1_quant_layer", "conv1", "conv1_dequant_layer", "relu1", "prob")
    assert made.graph.node(3).inputs == ("conv1_dequant_layer",)
    assert made.graph.node(2).attributes["dequant_param.deq_scale"] == (0.001, 0.002)
    assert ("Quantized by AMCT", "1 Quant, 1 DeQuant layers") in made.facts
    assert made.problems == ()


def test_attributes_have_dotted_names(reads: Callable[[str], Model]) -> None:
    more = "param { lr_mult: 1 } param { lr_mult: 2 } blobs { } blobs { }"
    more += "pooling_param { pool: MAX pad: 0 deep { er: true } }"

    found = reads(layer("p", "Pooling", "x", "y", more)).graph.node(0).attributes
    assert dict(found) == {
        "bottom": "x",
        "top": "y",
        "param": ({"lr_mult": 1}, {"lr_mult": 2}),
        "pooling_param.pool": "MAX",
        "pooling_param.pad": 0,
        "pooling_param.deep.er": True,
        "blobs": "2 arrays of weights",
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (layer("a", "ReLU", "x", "y") + layer("a", "ReLU", "y", "z"), "node name is given more than once: a"),
        (layer("a", "ReLU", "gone", "y"), "read but made nowhere: gone"),
        (layer("a", "ReLU", "y", "z") + layer("b", "ReLU", "z", "y"), "wait for each other in a cycle"),
        (layer("a", "Input", "", "y") + layer("b", "Input", "", "y"), "made by more than one node: y"),
    ],
    ids=["duplicate", "dangling", "cycle", "made twice"],
)
def test_odd_networks_are_shown_with_a_note(text: str, said: str, reads: Callable[[str], Model]) -> None:
    assert said in texts(reads(text))


def test_comments_in_another_encoding_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "net.prototxt"
    path.write_bytes("# 卷积\n".encode("gbk") + layer("a", "ReLU", "x", "y").encode())

    made = opened(path)
    assert made.graph.node_names == ("a",)
    assert "not UTF-8 text at byte 2" in texts(made)


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "net.prototxt"
    path.write_text(layer("a", "ReLU", "x", "y"), encoding="utf-8-sig")

    assert len(opened(path).graph) == 1


def test_zero_bytes_are_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "net.prototxt"
    path.write_bytes(layer("a", "ReLU", "x", "y").encode() * 2000 + b"\0")

    with pytest.raises(FormatError, match="holds zero bytes"):
        read(path)


def test_a_huge_file_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "net.prototxt"
    text = layer("a", "ReLU", "x", "y").encode() * 2000
    path.write_bytes(text * (MAX_BYTES // len(text) + 1))

    with pytest.raises(FormatError, match="larger than 32 MB"):
        read(path)


@pytest.mark.parametrize("part", [0.3, 0.5, 0.7, 0.9, 0.99])
def test_a_network_that_is_cut_off_is_a_sentence(part: float, tmp_path: Path) -> None:
    text = (DATA / "formats" / "caffe-prototxt" / "small_deploy.prototxt").read_bytes()
    path = tmp_path / "net.prototxt"
    path.write_bytes(text[: int(len(text) * part)])

    with pytest.raises(FormatError, match=r"is broken in line \d+"):
        read(path)


@pytest.mark.parametrize(
    ("text", "claimed"),
    [
        (layer("a", "ReLU", "x", "y"), True),
        ("# comment\n\nname: 'n'\n" + layer("a", "ReLU", "x", "y"), True),
        ("layers: < type: RELU >", True),
        ("layers { layer { name: 'a' type: 'conv' } bottom: 'x' }", True),
        ("layer { name: 'a' include: { phase: TEST } bottom: 'x' type: 'ReLU' }", True),
        ("layer { name: 'a' type: 'ReLU' top: 'y", True),
        ("", False),
        ("name: 'n' input: 'x' input_dim: 1", False),
        ("layer { name: 'a' }", False),
        ("net: 'train.prototxt'\nbase_lr: 0.1\n" + layer("a", "ReLU", "x", "y"), False),
        ("base_lr: 0.1\nnet_param { " + layer("a", "ReLU", "x", "y") + "}", False),
        ("node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }", False),
        ("ir_version: 8 graph { node { op_type: 'Relu' } }", False),
        ("record { key: 'conv1' value { scale_d: 1.0 } }", False),
        ("name: net\nlayers:\n  - type: conv\n", False),
        ('{"layer": {"type": "ReLU"}}', False),
        ("batch_num: 1\ncommon_config { }", False),
        ("layer, type, name\n", False),
        ("[net]\nlayer=1\n", False),
        ("def layer(type): pass", False),
    ],
)
def test_only_networks_are_claimed(text: str, claimed: bool, tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text(text)

    with Source(path) as source:
        assert CAFFE_PROTOTXT.claims(source) is claimed


def test_a_network_whose_first_layer_stands_far_behind_is_claimed(tmp_path: Path) -> None:
    path = tmp_path / "net.prototxt"
    path.write_text("# licence\n" * 5000 + layer("a", "ReLU", "x", "y"))

    assert len(opened(path).graph) == 1


blobs = st.sampled_from(["data", "a", "b", "c", "relu", "conv"])


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(st.tuples(blobs, st.lists(blobs, max_size=3), st.lists(blobs, max_size=3, unique=True)), max_size=12)
)
def test_any_wiring_gives_each_tensor_one_maker_but_for_what_the_file_makes_twice(
    rows: list[tuple[str, list[str], list[str]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("caffe") / "net.prototxt"
    path.write_text("".join(layer(name, "Kind", " ".join(below), " ".join(above)) for name, below, above in rows))
    if not rows:
        return
    made = opened(path).graph
    fresh = [top for _, below, above in rows for top in above if top not in below]
    outputs = [name for node in made.nodes() for name in node.outputs]

    assert len(outputs) == sum(len(above) for *_, above in rows)
    assert len(outputs) - len(set(outputs)) == len(fresh) - len(set(fresh))
    for node, (_, below, above) in zip(made.nodes(), rows, strict=True):
        assert len(node.inputs) == len(below)
        assert all(top not in node.inputs for top in node.outputs if top not in above)
