"""What codes mean: whose scale they have, and which tensor of the reference they stand for."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ascend_writer import Json, desc, op
from errorflow.compare.match.by_fusion import match_by_fusion
from errorflow.compare.match.fusion.quantized import quantized_layers
from errorflow.compare.match.model import Match, Pair
from errorflow.compare.match.plan import with_quantization
from errorflow.compare.match.reasons import BETWEEN, NO_PLACE
from errorflow.compare.match.sides import Operation
from errorflow.formats.amct.record import LayerRecord, ScaleRecord
from errorflow.graph.qparams import QParams
from match_runs import NpuRun, NpyRun, operation, seen, table

SCALE = QParams((0.5,), (3,))


def record(*layers: LayerRecord) -> ScaleRecord:
    return ScaleRecord({layer.key: layer for layer in layers})


CONV = LayerRecord("conv", activation=SCALE, weights=QParams((0.25, 2.0), axis=0))


def out(name: str, dtype: str = "DT_FLOAT16") -> Json:
    return desc(dtype, _datadump_origin_name=name, _datadump_origin_output_index=0)


def of_type(name: str, dtype: str, inputs: Sequence[str] = (), input_type: str = "float16") -> Operation:
    """A dump with one output of that type."""
    path = f"mine/Type.{name}.1.2.0"
    return replace(
        operation(name),
        inputs=tuple(seen(f"input:{at}", path, kind) for at, kind in enumerate(inputs)),
        outputs=(seen("output:0", path, dtype),),
    )


def quantized_net(*more: Json, quant: dict[str, object] | None = None) -> list[Json]:
    """x, quantized for a convolution, whose sums are dequantized together with a ReLU."""
    return [
        op("x", "Data", [""]),
        op(
            "conv_quant_layer",
            "AscendQuant",
            ["x:0"],
            [out("conv_quant_layer", "DT_INT8")],
            **({} if quant is None else quant),
        ),
        op("t", "TransData", ["conv_quant_layer:0"], [desc("DT_INT8")], _datadump_original_op_names=()),
        op("conv", "Conv2D", ["t:0"], [out("conv", "DT_INT32")], _datadump_original_op_names=("conv",)),
        op(
            "conv_dequant_layerrelu",
            "AscendDequant",
            ["conv:0"],
            [out("relu")],
            _datadump_original_op_names=("conv_dequant_layer", "relu"),
        ),
        *more,
    ]


DUMPS = (
    of_type("conv_quant_layer", "int8", ["float16"]),
    of_type("t", "int8", ["int8"]),
    of_type("conv", "int32", ["int8"]),
    of_type("conv_dequant_layerrelu", "float16", ["int32"]),
)
GOLDEN = ("x.0", "conv_quant_layer.0", "conv_dequant_layer.0", "relu.0")


def matched(
    folder: Path, ops: Sequence[Json], golden: Sequence[str], *layers: LayerRecord, dumps: Sequence[Operation] = DUMPS
) -> Match:
    return match_by_fusion(table(folder, *ops), NpuRun.of(*dumps), NpyRun(golden), record=record(*layers))


def pair(match: Match, tensor: str) -> Pair:
    (found,) = [pair for pair in match.pairs if pair.tensor == tensor]
    return found


def golden_of(found: Pair) -> str:
    return "" if found.reference is None else found.reference.info.name


@pytest.mark.parametrize("tensor", ["conv_quant_layer:output:0", "t:input:0", "t:output:0", "conv:input:0"])
def test_codes_stand_for_what_was_quantized(tmp_path: Path, tensor: str) -> None:
    found = pair(matched(tmp_path, quantized_net(), GOLDEN, CONV), tensor)

    assert (golden_of(found), found.rule, found.qparams, found.note) == ("x.0", "quantized-input", SCALE, "")
    assert found.listed is None


@pytest.mark.parametrize("tensor", ["conv:output:0", "conv_dequant_layerrelu:input:0"])
def test_sums_stand_for_what_the_dequantizing_layer_gives(tmp_path: Path, tensor: str) -> None:
    found = pair(matched(tmp_path, quantized_net(), GOLDEN, CONV), tensor)

    assert (golden_of(found), found.rule) == ("conv_dequant_layer.0", "dequantized-output")
    assert found.qparams == QParams((0.125, 1.0), bits=32)


def test_with_quantization_information_sums_stand_for_the_last_fused_layer(tmp_path: Path) -> None:
    names = ("conv", "bn")
    (tmp_path / "q").mkdir()
    information = table(
        tmp_path / "q",
        *(op(name, "X", outputs=0, _datadump_original_op_names=names) for name in ("conv_quant_layer", "conv")),
        op("conv_dequant_layer", "X", [], [out("bn")], _datadump_original_op_names=names),
        op("relu", "X"),
    )
    merged = with_quantization(table(tmp_path, *quantized_net()), information)

    match = match_by_fusion(merged, NpuRun.of(*DUMPS), NpyRun(["x.0", "conv.0", "bn.0", "relu.0"]), record=record(CONV))

    assert golden_of(pair(match, "conv:output:0")) == "bn.0"
    assert golden_of(pair(match, "conv:input:0")) == "x.0"


def test_sums_without_such_a_tensor_are_no_pair_and_say_so(tmp_path: Path) -> None:
    found = pair(matched(tmp_path, quantized_net(), ["x.0", "conv.0", "relu.0"], CONV), "conv:output:0")

    assert (found.note, found.qparams) == (NO_PLACE, None)


@pytest.mark.parametrize(
    "layer",
    [
        LayerRecord("other", activation=SCALE),
        replace(CONV, weights=None),
        replace(CONV, shift_bits=(1,)),
        replace(CONV, weights=QParams((1.0,), (5,))),
    ],
)
def test_sums_without_a_plain_scale_stay_codes(tmp_path: Path, layer: LayerRecord) -> None:
    assert pair(matched(tmp_path, quantized_net(), GOLDEN, layer), "conv:output:0").note == BETWEEN


def test_without_any_scale_codes_stay_codes(tmp_path: Path) -> None:
    match = matched(tmp_path, quantized_net(), GOLDEN)

    assert {pair.note for pair in match.pairs if pair.listed is None} == {BETWEEN}
    assert [pair.qparams for pair in match.pairs if pair.qparams is not None] == []


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"scale": 4.0, "offset": -7.0}, QParams((0.25,), (-7,))),
        ({"scale": 4.0}, QParams((0.25,), (0,))),
        ({"scale": 2.0, "offset": 0.0, "sqrt_mode": True}, QParams((0.25,), (0,))),
        ({"scale": 0.0, "offset": 0.0}, None),
        ({"scale": -1.0, "offset": 0.0}, None),
        ({"scale": 1.0, "offset": 0.5}, None),
        ({"scale": "nan", "offset": 0.0}, None),
        ({"offset": 3.0}, None),
        ({"scale": 10**400}, None),
        ({"scale": 2.0, "offset": 10**400}, None),
        ({"scale": True}, None),
    ],
)
def test_the_model_may_say_it_itself(tmp_path: Path, said: dict[str, object], expected: QParams | None) -> None:
    found = pair(matched(tmp_path, quantized_net(quant=said), GOLDEN), "conv_quant_layer:output:0")

    assert found.qparams == expected


def test_the_record_has_more_digits_than_the_model(tmp_path: Path) -> None:
    match = matched(tmp_path, quantized_net(quant={"scale": 1.9999, "offset": 3.0}), GOLDEN, CONV)

    assert pair(match, "conv:input:0").qparams == SCALE
    assert match.problems == ()


def test_where_they_differ_the_model_is_right_and_it_is_said_once(tmp_path: Path) -> None:
    match = matched(tmp_path, quantized_net(quant={"scale": 4.0, "offset": 3.0}), GOLDEN, CONV)

    assert pair(match, "conv:input:0").qparams == QParams((0.25,), (3,))
    assert ["the model's are used" in problem.text for problem in match.problems] == [True]


def test_a_record_of_another_model_is_noticed(tmp_path: Path) -> None:
    match = matched(tmp_path, quantized_net(), GOLDEN, LayerRecord("other", activation=SCALE))

    assert ["of another one?" in problem.text for problem in match.problems] == [True]


def test_an_operator_that_quantizes_what_it_computes_stands_for_what_it_computed(tmp_path: Path) -> None:
    made = op(
        "add_q",
        "Add",
        ["x:0"],
        [out("conv_quant_layer", "DT_INT8")],
        _datadump_original_op_names=("add", "conv_quant_layer"),
    )
    net = [op("x", "Data", [""]), made, op("conv", "Conv2D", ["add_q:0"])]

    match = matched(
        tmp_path, net, ["x.0", "add.0"], CONV, dumps=[of_type("add_q", "int8"), of_type("conv", "float16", ["int8"])]
    )

    for tensor in ("add_q:output:0", "conv:input:0"):
        found = pair(match, tensor)
        assert (golden_of(found), found.rule, found.qparams) == ("add.0", "last-original", SCALE)


def test_a_tensor_that_is_listed_keeps_its_partner(tmp_path: Path) -> None:
    """What msaccucmp compares raw has a scale, too, and the same line."""
    net = [op("r", "Requant"), op("conv", "Conv2D", ["r:0"])]
    dumps = [of_type("r", "int8")]

    found = pair(matched(tmp_path, net, ["r.0"], CONV, dumps=dumps), "r:output:0")
    before = pair(matched(tmp_path, net, ["r.0"], dumps=dumps), "r:output:0")

    assert (before.qparams, found.qparams) == (None, SCALE)
    assert found == replace(before, qparams=SCALE)
    assert found.listed is not None


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        (LayerRecord("r", activation=SCALE), SCALE),
        (LayerRecord("r", activation=SCALE, weights=SCALE), None),
        (LayerRecord("r", input_index=0, activation=SCALE), None),
    ],
)
def test_an_operator_without_weights_may_be_recorded_under_its_own_name(
    tmp_path: Path, layer: LayerRecord, expected: QParams | None
) -> None:
    found = pair(matched(tmp_path, [op("r", "Requant")], ["r.0"], layer, dumps=[of_type("r", "int8")]), "r:output:0")

    assert found.qparams == expected


def test_readers_that_do_not_agree_say_nothing(tmp_path: Path) -> None:
    net = [op("r", "Requant"), op("conv", "Conv2D", ["r:0"]), op("other", "Conv2D", ["r:0"])]
    layers = CONV, LayerRecord("other", activation=QParams((9.0,)))

    assert pair(matched(tmp_path, net, ["r.0"], *layers, dumps=[of_type("r", "int8")]), "r:output:0").qparams is None


def test_a_layer_may_have_a_scale_per_input(tmp_path: Path) -> None:
    net = [op("a", "Requant"), op("b", "Requant"), op("add", "Add", ["a:0", "b:0"])]
    layer = LayerRecord("add", input_index=1, activation=SCALE)
    dumps = [of_type("a", "int8"), of_type("b", "int8")]

    match = matched(tmp_path, net, ["a.0", "b.0"], layer, dumps=dumps)

    assert [pair(match, f"{name}:output:0").qparams for name in "ab"] == [None, SCALE]


@pytest.mark.parametrize(("dtype", "bits", "signed"), [("int4", 4, True), ("uint8", 8, False), ("int16", 16, True)])
def test_the_type_says_how_many_bits(tmp_path: Path, dtype: str, bits: int, signed: bool) -> None:
    dumps = [of_type("conv_quant_layer", dtype)] if dtype != "int4" else [_int4()]

    found = pair(matched(tmp_path, quantized_net(), GOLDEN, CONV, dumps=dumps), "conv_quant_layer:output:0")

    assert found.qparams == QParams((0.5,), (3,), bits=bits, signed=signed)


def _int4() -> Operation:
    made = of_type("conv_quant_layer", "int8")
    stored = seen("output:0", made.path, "int8")
    return replace(made, outputs=(replace(stored, info=replace(stored.info, dtype="int4")),))


@pytest.mark.parametrize("dtype", ["float16", "int64", "bool"])
def test_other_types_are_no_codes(tmp_path: Path, dtype: str) -> None:
    dumps = [of_type("conv_quant_layer", dtype)]

    found = pair(matched(tmp_path, quantized_net(), GOLDEN, CONV, dumps=dumps), "conv_quant_layer:output:0")

    assert found.qparams is None


@pytest.mark.parametrize(
    ("name", "layers"),
    [
        ("conv_quant_layer", ["conv"]),
        ("conv_1_quant_layer", ["conv_1", "conv:1", "conv"]),
        ("a/b/conv.quant", ["a/b/conv"]),
        ("a/conv/AscendQuant", ["a/conv"]),
        ("conv_dequant_layer", []),
        ("conv_weight_quant_layer_x", []),
        ("conv", []),
    ],
)
def test_names_say_whose_data_is_quantized(name: str, layers: list[str]) -> None:
    assert list(quantized_layers(name)) == layers
