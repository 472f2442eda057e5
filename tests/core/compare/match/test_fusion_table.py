"""Groups, relations and pairs of quantization, as msaccucmp makes them."""

from pathlib import Path

import pytest

from ascend_writer import desc, graph, model, op, write_json, write_om
from errorflow.base.errors import WrongFileError
from errorflow.compare.match.fusion.table import FusionTable, Relation, fusion_table, group_names, relation
from errorflow.formats import read_listing
from match_runs import table, tables


def groups(made: FusionTable) -> list[list[str]]:
    return [[operator.name for operator in group] for group in made.groups.values()]


def test_operators_of_the_same_original_name_are_one_group(tmp_path: Path) -> None:
    made = table(
        tmp_path,
        op("a_1", "Relu", _datadump_original_op_names=("a",)),
        op("b", "Relu"),
        op("a_2", "Relu", _datadump_original_op_names=("a",)),
    )

    assert groups(made) == [["a_1", "a_2"], ["b"]]
    assert [operator.index for operator in made.operators] == [0, 1, 0]


def test_operators_of_the_same_original_names_are_one_group(tmp_path: Path) -> None:
    names = ("a", "b")
    made = table(tmp_path, *(op(name, "Mul", _datadump_original_op_names=names) for name in ("m_1", "m_2")))

    assert groups(made) == [["m_1", "m_2"]]
    assert relation(made.groups["ab",]) is Relation.TO_MANY
    assert group_names(made.groups["ab",]) == ("m_1,m_2", "a,b")


def test_the_number_of_an_l1_fusion_goes_before_names(tmp_path: Path) -> None:
    made = table(
        tmp_path,
        op("a", "Conv2D", _L1_fusion_sub_graph_no="7", _datadump_original_op_names=("x",)),
        op("b", "Conv2D", _L1_fusion_sub_graph_no="7", _datadump_original_op_names=("y",)),
    )

    assert relation(made.groups["7"]) is Relation.L1
    assert group_names(made.groups["7"]) == ("a,b", "x,y")


@pytest.mark.parametrize("names", [("one", "two"), ("one",)])
def test_a_group_of_one_is_simple(tmp_path: Path, names: tuple[str, ...]) -> None:
    made = table(tmp_path, op("a", "Relu", _datadump_original_op_names=names))

    assert [relation(group) for group in made.groups.values()] == [Relation.TO_ONE]


def test_an_operator_without_record_stands_for_itself(tmp_path: Path) -> None:
    (operator,) = table(tmp_path, op("a", "Relu")).operators

    assert (operator.originals, operator.recorded, operator.outputs[0].origin) == (["a"], False, "a")


def test_an_inserted_operator_stands_for_nothing(tmp_path: Path) -> None:
    (operator,) = table(tmp_path, op("a", "Cast", _datadump_original_op_names=())).operators

    assert (operator.originals, operator.recorded, operator.outputs[0].origin) == ([""], True, "")


def test_an_operator_that_was_renamed_stands_for_its_outputs(tmp_path: Path) -> None:
    (operator,) = table(tmp_path, op("a", "Relu", _datadump_original_op_names=("b",))).operators

    assert operator.outputs[0].origin == "b"


def test_what_a_later_graph_adds_to_a_group_does_not_take_the_name_back(tmp_path: Path) -> None:
    made = tables(
        tmp_path,
        graph(op("a", "Relu", _datadump_original_op_names=("x",)), name="main"),
        graph(op("b", "Relu", _datadump_original_op_names=("x",)), name="sub"),
    )

    assert [operator.outputs[0].origin for operator in made.operators] == ["x", ""]


def test_outputs_without_any_attribute_are_not_counted(tmp_path: Path) -> None:
    bare = {"dtype": "DT_FLOAT"}
    (operator,) = table(tmp_path, op("a", "Split", outputs=[bare, desc(_datadump_origin_name="y")])).operators

    assert [(output.origin, output.index) for output in operator.outputs] == [("y", 1)]


def test_control_edges_and_left_out_inputs_are_not_counted(tmp_path: Path) -> None:
    (operator,) = table(tmp_path, op("a", "Add", ["x:0", "c:-1", "", "y:1"])).operators

    assert operator.inputs == ("x:0", "y:1")


def test_operators_come_in_the_order_of_execution(tmp_path: Path) -> None:
    made = table(tmp_path, op("b", "Relu") | {"id": 2}, op("a", "Relu"), op("c", "Relu") | {"id": 1})

    assert [operator.name for operator in made.operators] == ["a", "c", "b"]
    assert groups(made) == [["b"], ["a"], ["c"]]


def test_the_same_operator_in_its_group_twice_counts_once(tmp_path: Path) -> None:
    assert groups(table(tmp_path, op("a", "Relu"), op("a", "Relu"))) == [["a"]]


def test_slices_of_an_operator_are_named_as_the_whole(tmp_path: Path) -> None:
    made = table(tmp_path, op("a_lxslice0", "Relu", ["x_lxslice1:0"]))

    assert [(operator.name, operator.inputs) for operator in made.operators] == [("a", ("x:0",))]


def test_inputs_of_the_network_are_told(tmp_path: Path) -> None:
    assert table(tmp_path, op("x", "Data", [""]), op("a", "Relu", ["x:0"])).network_inputs == ["x"]


def _quantized(tmp_path: Path) -> dict[str, bool]:
    int8, half, words = desc("DT_INT8"), desc("DT_FLOAT16"), desc("DT_INT32")
    made = table(
        tmp_path,
        op("x", "Data", [""]) | {"id": 0},
        op("conv_quant_layer", "AscendQuant", ["x:0"], [int8]) | {"id": 1},
        op("conv", "Conv2D", ["conv_quant_layer:0"], [words]) | {"id": 2},
        op("pool", "MaxPool", ["conv:0"], [words]) | {"id": 3},
        op("conv_dequant_layer", "AscendDequant", ["pool:0"], [half]) | {"id": 4},
        op("after", "Relu", ["conv_dequant_layer:0"], [half]) | {"id": 5},
    )
    return {operator.name: operator.in_quantized_pair for operator in made.operators}


def test_what_lies_between_quantizing_and_dequantizing_is_marked(tmp_path: Path) -> None:
    marked = _quantized(tmp_path)

    assert [name for name, inside in marked.items() if inside] == ["conv", "pool"]


@pytest.mark.parametrize(
    ("name", "dtype", "reader_is_inside"),
    [
        ("a_quant_layer", "DT_INT8", True),
        ("a_quant_layer", "DT_FLOAT16", False),
        ("s/AscendQuant", "DT_INT8", True),
        ("a.quant", "DT_INT8", True),
        ("a.weight_quant", "DT_INT8", True),
        ("a_quantized", "DT_INT8", False),
    ],
)
def test_a_quantizing_operator_is_known_by_name_and_type(
    tmp_path: Path, name: str, dtype: str, reader_is_inside: bool
) -> None:
    made = table(tmp_path, op(name, "Quant", outputs=[desc(dtype)]), op("b", "Relu", [f"{name}:0"]) | {"id": 1})

    assert made.operators[1].in_quantized_pair is reader_is_inside


def test_json_and_offline_model_give_the_same_table(tmp_path: Path) -> None:
    inner = [desc("DT_INT8", origin_format="NCHW", origin_shape=(1, 2)), {"dtype": "DT_FLOAT"}]
    content = model(
        graph(
            op("x", "Data", [""], [desc(origin_format="ND")]),
            op("m", "Mul", ["x:0"], inner, _datadump_original_op_names=("a", "b"), _datadump_is_multiop=True)
            | {"id": 3},
            op("l", "Relu", ["m:0"], 0, _L1_fusion_sub_graph_no="4") | {"id": 2},
        )
    )
    printed = read_listing(write_json(tmp_path / "a.json", content))
    offline = read_listing(write_om(tmp_path / "a.om", content))

    assert fusion_table(printed).operators == fusion_table(offline).operators
    assert printed.names == offline.names == ("net",)


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text('{"hello": 1}')

    with pytest.raises(WrongFileError, match="does not say which operators were fused"):
        read_listing(path)
