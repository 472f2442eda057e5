"""Offline models: the wire form, and that both forms of a model give the same graph."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_writer import attr, chain, desc, graph, model, op, write_json, write_om
from errorflow.base.errors import FileError, FormatError
from errorflow.formats import read
from errorflow.graph.model import Graph, Model, Weight

DATA = Path(__file__).parents[4] / "data"


def opened(path: Path) -> Model:
    content = read(path)
    assert isinstance(content, Model)
    return content


def told(made: Graph) -> dict[str, object]:
    """All that a graph says, to compare it with another."""
    return {
        "name": made.name,
        "nodes": list(made.nodes()),
        "tensors": [made.tensor(index) for index in range(len(made.tensor_names))],
        "ends": [made.inputs.tolist(), made.outputs.tolist(), made.constants.tolist()],
        "below": [(body.owner, body.role, told(body.graph)) for body in made.subgraphs],
        "problems": made.problems,
    }


def assert_same(content: dict[str, Any], folder: Path) -> None:
    printed = opened(write_json(folder / "model.json", content))
    compiled = opened(write_om(folder / "model.om", content))

    assert told(compiled.graph) == told(printed.graph)
    assert [told(each.graph) for each in compiled.functions] == [told(each.graph) for each in printed.functions]
    assert compiled.facts[: len(printed.facts)] == printed.facts


@pytest.mark.parametrize("wide", [False, True])
def test_the_graph_of_an_offline_model_is_read(wide: bool, tmp_path: Path) -> None:
    made = opened(write_om(tmp_path / "model.om", model(chain(), soc_version="Ascend310"), wide=wide))

    assert made.format == "Ascend offline model"
    assert made.graph.node_names == ("x", "trans_0", "w", "conv", "Node_Output")
    assert dict(made.facts) == {
        "Model": "model",
        "SoC": "Ascend310",
        "Model version": "2",
        "Platform": "3.20",
        "Models in the file": "1",
    }
    assert made.problems == ()


@pytest.mark.parametrize("sample", ["formats/atc-json/s2_fusion.json", "ascend_models/s1_fusion.json"])
def test_both_forms_of_a_sample_say_the_same(sample: str, tmp_path: Path) -> None:
    assert_same(json.loads((DATA / sample).read_text()), tmp_path)


def test_both_forms_of_every_kind_of_attribute_say_the_same(tmp_path: Path) -> None:
    nested = {"name": "f", "attr": [attr("inner", 3)]}
    node = op(
        "every",
        "Kind",
        ["a:0", "", "b:-1"],
        [desc("DT_BF16", (-1, 2), "NC1HWC0", origin_shape=(1,)), desc(shape=())],
        text='a\\"b\\\\\\345\\215\\267',
        texts=("plain", "卷积"),
        number=-5,
        large=2**62,
        real=0.1,
        reals={"list": {"f": [0.30000001192092896, -2.5], "val_type": 3}},
        flag=True,
        off=False,
        flags=(True, False),
        nothing=None,
        empty=(),
        raw={"bt": "\\000\\377a\\n"},
        kind={"dt": 27},
        kinds={"list": {"dt": [1, 3], "val_type": 10}},
        function={"func": nested},
        functions={"list": {"na": [nested]}},
        described={"td": desc("DT_INT8", (2, 3), origin_format="NCHW")},
        graphs={"g": {"name": "inner", "op": [op("i", "Relu"), op("j", "Relu")]}},
        rows={"list_list_int": {"list_list_i": [{"list_i": [1, 2]}, {"list_i": [3]}]}},
        real_rows={"list_list_float": {"list_list_f": [{"list_f": [0.5]}]}},
        _datadump_original_op_names=("conv", "relu"),
    )
    full = node | {
        "id": 9,
        "stream_id": 1,
        "has_out_attr": True,
        "input_desc": [desc()],
        "input_i": [-1, 300],
        "output_i": [2**40],
        "is_input_const": [True, False],
        "workspace_bytes": [0, 128],
        "input_name": ["x"],
        "src_name": ["a"],
        "dst_name": ["c"],
        "dst_index": [0],
    }
    assert_same(model(graph(full, op("a", "Const"), op("b", "Relu"), output=["every:1"], input=["a:0"])), tmp_path)


def test_a_graph_without_a_name_has_that_of_the_model_in_both_forms(tmp_path: Path) -> None:
    assert_same(model(graph(op("a", "Relu"), name="")), tmp_path)
    assert opened(tmp_path / "model.om").graph.name == "model"


def test_both_forms_of_subgraphs_say_the_same(tmp_path: Path) -> None:
    main = graph(op("if", "If", ["c:0"]) | {"subgraph_name": ["yes", "no"]}, op("c", "Const"), name="main")
    content = model(main, graph(op("y", "Relu"), name="yes"), graph(op("n", "Relu"), name="no"), graph(name="free"))

    assert_same(content, tmp_path)


printable = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\\:"), min_size=1, max_size=8)
values = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.booleans(),
    printable.filter(str.isascii).filter(lambda text: not set(text) & set("'\"")),
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=4).map(tuple),
    st.lists(printable, max_size=3).map(tuple),
    st.floats(width=32, allow_nan=False).map(lambda value: float(f"{value:g}")),
    st.none(),
)
operators = st.builds(
    lambda name, kind, outputs, attrs: op(name, kind, [], outputs, **attrs),
    printable,
    printable,
    st.lists(
        st.builds(desc, st.sampled_from(["DT_FLOAT", "DT_INT8", "DT_BF16"]), st.lists(st.integers(-2, 9), max_size=4)),
        max_size=3,
    ),
    st.dictionaries(printable, values, max_size=5),
)


@settings(max_examples=60, deadline=None)
@given(ops=st.lists(operators, max_size=5))
def test_both_forms_of_any_model_say_the_same(
    ops: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert_same(model(graph(*ops), some="attribute"), tmp_path_factory.mktemp("om"))


# ------------------------------------------------------------------------------------------------------- compression


def encoded(number: int) -> str:
    """A number as attribute names are compressed: a zero byte, then digits to the base 127, lowest first, plus one."""
    digits = [number % 127 + 1]
    while number >= 127:
        number //= 127
        digits.append(number % 127 + 1)
    return "\0" + "".join(map(chr, digits))


@pytest.mark.parametrize("number", [0, 1, 126, 127, 300])
def test_compressed_attribute_names_and_texts_are_looked_up(number: int, tmp_path: Path) -> None:
    names = [f"filler_{index}" for index in range(number)] + ["_datadump_original_op_names", "soc", "plain"]
    coded: dict[str, Any] = {
        encoded(number): {"list": {"i": [1, 0], "val_type": 2}},
        encoded(number + 1): {"i": 2},
        encoded(number + 2): {"i": 7},
        "kept": {"s": "as it is"},
    }
    node = op("a", "Relu", **coded)
    content = model(
        graph(node),
        om_compress_version=1,
        attr_name_enum=tuple(names),
        attr_value_enum=("relu", "conv", "Ascend"),
        attrs_use_string_value=(*[False] * number, True, True, False),
    )

    found = opened(write_om(tmp_path / "model.om", content)).graph.node(0)
    assert found.origins == ("conv", "relu")
    assert (found.attributes["soc"], found.attributes["plain"], found.attributes["kept"]) == ("Ascend", 7, "as it is")


def test_a_number_without_a_name_is_shown_as_it_is(tmp_path: Path) -> None:
    coded: dict[str, Any] = {encoded(5): {"i": 1}, encoded(0): {"i": 99}}
    content = model(
        graph(op("a", "Relu", **coded)),
        om_compress_version=1,
        attr_name_enum=("known",),
        attr_value_enum=("one",),
        attrs_use_string_value=(True,),
    )

    assert opened(write_om(tmp_path / "model.om", content)).graph.node(0).attributes["known"] == "99"


# ----------------------------------------------------------------------------------------------------------- weights


def constant(dtype: str, shape: tuple[int, ...], data: bytes = b"", **fields: int) -> dict[str, Any]:
    about = desc(dtype, shape) | fields
    return op("w", "Const", [], [desc(dtype, shape)], value={"t": {"desc": about, "data": data}})


@pytest.mark.parametrize(
    ("dtype", "array"),
    [
        ("DT_FLOAT", np.array([[1.5, -2], [3, 4]], np.float32)),
        ("DT_FLOAT16", np.array([1, 2, 3], np.float16)),
        ("DT_INT8", np.array([-1, 2], np.int8)),
        ("DT_INT64", np.array(7, np.int64)),
        ("DT_BOOL", np.array([True, False])),
    ],
)
@pytest.mark.parametrize("inline", [True, False])
def test_a_constant_is_read_inline_or_from_the_weights(
    dtype: str, array: np.ndarray[Any, Any], inline: bool, tmp_path: Path
) -> None:
    data = array.tobytes()
    node = (
        constant(dtype, array.shape, data)
        if inline
        else constant(dtype, array.shape, data_offset=3, weight_size=len(data))
    )
    made = opened(write_om(tmp_path / "model.om", model(graph(node)), weights=b"\0\0\0" + data + b"\0")).graph

    assert made.weights.names() == ("w:0",)
    assert made.weights.info("w:0") == Weight("w:0", str(array.dtype), array.shape, len(data))
    found = made.weights.read("w:0")
    np.testing.assert_array_equal(found, array)
    assert found.dtype == array.dtype
    assert not found.flags.writeable


def test_an_offset_in_the_attributes_wins(tmp_path: Path) -> None:
    about = desc("DT_INT8", (1,), merged_offset=2) | {"data_offset": 0, "weight_size": 1}
    node = op("w", "Const", value={"t": {"desc": about}})
    made = opened(write_om(tmp_path / "model.om", model(graph(node)), weights=b"\1\2\3")).graph

    assert made.weights.read("w:0").tolist() == [3]


def test_bfloat16_is_widened(tmp_path: Path) -> None:
    node = constant("DT_BF16", (2,), struct.pack("<HH", 0x3F80, 0xC000))
    made = opened(write_om(tmp_path / "model.om", model(graph(node)))).graph

    assert made.weights.read("w:0").tolist() == [1.0, -2.0]


@pytest.mark.parametrize(
    "node",
    [
        constant("DT_FLOAT", (4,), data_offset=8, weight_size=16),
        constant("DT_FLOAT", (4,), data_offset=-16, weight_size=16),
        constant("DT_FLOAT", (4,), data_offset=0, weight_size=2**62),
        constant("DT_FLOAT", (4,), data_offset=0, weight_size=8),
        constant("DT_FLOAT", (2**62, 8), data_offset=0, weight_size=16),
        constant("DT_FLOAT", (-1, 2), data_offset=0, weight_size=16),
        constant("DT_FLOAT", (-1, -2), data_offset=0, weight_size=16),
        constant("DT_FLOAT", (5,), b"\0\0\0\0"),
        constant("DT_STRING", (1,), b"text"),
        constant("DT_UNDEFINED", (1,), b"text"),
    ],
    ids=["beyond", "before", "huge", "too small", "overflow", "open", "both open", "short", "text", "no type"],
)
def test_values_that_cannot_be_read_are_a_sentence(node: dict[str, Any], tmp_path: Path) -> None:
    made = opened(write_om(tmp_path / "model.om", model(graph(node)), weights=bytes(16))).graph

    with pytest.raises(FormatError, match=r"^The values of w:0"):
        made.weights.read("w:0")


def test_the_file_is_not_read_for_weights_before_they_are_asked_for(tmp_path: Path) -> None:
    path = write_om(tmp_path / "model.om", model(graph(constant("DT_INT8", (4,), b"1234"))))
    made = opened(path).graph
    path.write_bytes(b"something else")

    assert made.weights.info("w:0").nbytes == 4
    with pytest.raises(FileError, match="has changed since it was opened"):
        made.weights.read("w:0")
    with pytest.raises(FileError, match="has changed since it was opened"):
        len(made.node(0).attributes)


def test_an_operator_without_a_value_has_no_weights(tmp_path: Path) -> None:
    assert opened(write_om(tmp_path / "model.om", model(chain()))).graph.weights.names() == ()
