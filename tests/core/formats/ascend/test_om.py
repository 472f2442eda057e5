"""Offline models: the container, the wire form, and that both forms of a model give the same graph."""

import json
import random
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_writer import attr, chain, desc, graph, message, model, om_bytes, op, write_json, write_om
from errorflow.errors import FileError, FormatError, WrongFileError
from errorflow.files import Source
from errorflow.formats import identify, read
from errorflow.formats.ascend.messages import MAX_ITEMS, MESSAGE_ITEMS
from errorflow.formats.ascend.om import OM
from errorflow.formats.ascend.window import MAX_NUMBERS
from errorflow.graph.model import Graph, Model, Weight
from errorflow.progress import Cancelled

DATA = Path(__file__).parents[3] / "data"


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


# --------------------------------------------------------------------------------------------------------- container


def definition(*graphs: dict[str, Any]) -> bytes:
    return message("ModelDef", model(*graphs))


def test_further_models_give_the_subgraphs_that_the_first_asks_for(tmp_path: Path) -> None:
    main = graph(op("call", "PartitionedCall") | {"subgraph_name": ["part"]}, name="main")
    part = graph(op("w", "Const", value={"t": {"desc": desc("DT_INT8", (2,)) | {"weight_size": 2}}}), name="part")
    path = tmp_path / "model.om"
    path.write_bytes(
        om_bytes([(0, definition(main)), (1, b"ab")], models=2, more=[[(0, definition(part)), (1, b"\7\x08")]])
    )

    made = opened(path)
    body = made.graph.subgraphs[0]
    assert (body.role, body.graph.node_names) == ("f", ("w",))
    assert body.graph.weights.read("w:0").tolist() == [7, 8]
    assert ("Models in the file", "2") in made.facts


def test_a_graph_that_the_first_model_holds_is_not_taken_again(tmp_path: Path) -> None:
    path = tmp_path / "model.om"
    path.write_bytes(om_bytes([(0, definition(chain()))], models=2, more=[[(0, definition(chain()))]]))

    made = opened(path)
    assert made.functions == ()
    assert made.problems == ()


def test_parts_of_unknown_kinds_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "model.om"
    path.write_bytes(om_bytes([(22, b"x" * 100), (0, definition(chain())), (9, b"")]))

    assert len(opened(path).graph) == 5


def test_fields_that_nobody_knows_are_skipped(tmp_path: Path) -> None:
    unknown = b"\xfa\x07\x02hi" + b"\xf8\x07\x05" + b"\xfd\x07\0\0\0\0" + b"\xf9\x07" + bytes(8)
    path = tmp_path / "model.om"
    path.write_bytes(om_bytes([(0, unknown + definition(chain()) + unknown)]))

    assert len(opened(path).graph) == 5


GOOD = om_bytes([(0, definition(chain())), (1, bytes(64))])


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"IMOD", "is cut off"),
        (GOOD[:200], "is cut off"),
        (GOOD[:256], "is cut off"),
        (GOOD[:300], "is cut off"),
        (GOOD[:-1], "is cut off"),
        (om_bytes([(0, b"")], encrypted=1), "is encrypted"),
        (om_bytes([(1, b"abc")]), "holds no description of a model"),
        (om_bytes([(6, b"abc")]), "holds a flow of several models"),
        (om_bytes([(0, b"")]), "describes no graph"),
        (om_bytes([]), "does not fit its size"),
        (om_bytes([(0, b"")], head_size=8), "header of 8 bytes"),
        (om_bytes([(0, b"\xff" * 40)]), "is broken near its byte"),
        (om_bytes([(0, b"\x3a\x7f")]), "is broken near its byte"),
        (om_bytes([(0, b"\x3a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01")]), "is broken near its byte"),
        (GOOD[:256] + b"\xff\xff\xff\xff" + GOOD[260:], "does not fit its size"),
        (GOOD[:264] + b"\xff\xff\xff\x7f" + GOOD[268:], "does not fit its size"),
        (GOOD[:268] + b"\xff\xff\xff\xff" + GOOD[272:], "does not fit its size"),
    ],
)
def test_broken_files_end_in_a_sentence(data: bytes, said: str, tmp_path: Path) -> None:
    if len(data) > 8 and said == "header of 8 bytes":
        data = data[:4] + struct.pack("<I", 8) + bytes(300)
    path = tmp_path / "model.om"
    path.write_bytes(data)

    with pytest.raises(FormatError, match=said) as caught:
        read(path)
    assert caught.value.hint


@pytest.mark.parametrize("size", range(4, len(GOOD), 29))
def test_a_file_cut_off_anywhere_ends_in_a_sentence(size: int, tmp_path: Path) -> None:
    path = tmp_path / "model.om"
    path.write_bytes(GOOD[:size])

    with pytest.raises(FormatError):
        read(path)


def test_a_definition_that_names_itself_too_deep_is_a_sentence(tmp_path: Path) -> None:
    value = b""
    for _ in range(5000):  # a value, in an entry, in the map of a tensor description, in a value
        for tag in (b"\x12", b"\x2a", b"\x5a"):
            value = tag + _size(len(value)) + value
    entry = b"\x0a\x01k\x12" + _size(len(value)) + value
    path = tmp_path / "model.om"
    path.write_bytes(om_bytes([(0, definition(chain()) + b"\x5a" + _size(len(entry)) + entry)]))

    with pytest.raises(FormatError, match="is broken near"):
        read(path)


def _size(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def test_a_large_constant_is_not_held(tmp_path: Path) -> None:
    size = 30_000_000
    data = random.Random(1).randbytes(size)
    path = write_om(tmp_path / "model.om", model(graph(constant("DT_INT8", (size,), data), op("b", "Relu"))))

    tracemalloc.start()
    made = opened(path)
    attributes = dict(made.graph.node(0).attributes)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert most < size / 4
    assert made.graph.node_names == ("w", "b")
    assert attributes["value"] == {"dtype": "int8", "shape": (size,), "layout": "NCHW"}
    assert made.graph.weights.read("w:0").tobytes() == data


def test_a_name_of_absurd_length_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "model.om"
    size = 70_000_000
    path.write_bytes(om_bytes([(0, b"\x0a" + _size(size) + b"n" * size)]))

    with pytest.raises(FormatError, match="is broken near"):
        read(path)


def _operator(fields: bytes) -> bytes:
    """A model definition with one operator that has these fields."""
    node = b"\x32" + _size(len(fields)) + fields
    return b"\x3a" + _size(len(node)) + node


def _shape(numbers: int) -> bytes:
    dims = b"\x0a" + _size(numbers) + b"\x01" * numbers
    shape = b"\x1a" + _size(len(dims)) + dims
    return b"\x92\x02" + _size(len(shape)) + shape


ENDLESS = {
    "outputs": b"\x92\x02\x00" * (MAX_ITEMS // MESSAGE_ITEMS + 2),
    "sizes": _shape(MAX_NUMBERS + 1),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_an_operator_of_millions_of_things_is_a_sentence(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.om"
    path.write_bytes(om_bytes([(0, _operator(ENDLESS[name]))]))

    with pytest.raises(FormatError, match="is broken near"):
        read(path)


def test_an_attribute_of_millions_of_messages_is_a_sentence(tmp_path: Path) -> None:
    tensors = b"\x42\x00" * (MAX_ITEMS // MESSAGE_ITEMS + 2)  # a list's empty descriptions of tensors
    value = b"\x0a" + _size(len(tensors)) + tensors
    entry = b"\x0a\x01k\x12" + _size(len(value)) + value
    path = tmp_path / "model.om"
    path.write_bytes(om_bytes([(0, _operator(b"\x52" + _size(len(entry)) + entry))]))

    with pytest.raises(FormatError, match="is broken near"):
        dict(opened(path).graph.node(0).attributes)


def test_a_constant_of_a_shape_that_no_array_can_have_is_a_sentence(tmp_path: Path) -> None:
    path = write_om(tmp_path / "model.om", model(graph(constant("DT_FLOAT", (1,) * 65, b"1234"))))

    with pytest.raises(FormatError, match="do not lie where the file says"):
        opened(path).graph.weights.read("w:0")


def test_only_the_mark_of_an_offline_model_is_claimed(tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(GOOD)

    with Source(path) as source:
        assert identify(source) is OM


def test_an_svp_model_is_answered_by_name(tmp_path: Path) -> None:
    path = tmp_path / "model.om"
    path.write_bytes(b"PICO" + bytes(300))

    with pytest.raises(WrongFileError, match="SVP/PICO"):
        read(path)


def test_a_cancel_strikes_while_reading(tmp_path: Path) -> None:
    class Impatient:
        def step(self, *_: object, **__: object) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        read(write_om(tmp_path / "model.om", model(chain())), Impatient())
