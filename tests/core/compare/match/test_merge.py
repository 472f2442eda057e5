"""Names that lead over a second file: the quantized model's, or the one compiled without fusion."""

from pathlib import Path

from ascend_writer import Json, desc, op
from errorflow.compare.match.fusion.table import FusionTable
from errorflow.compare.match.plan import with_closed_fusion, with_quantization
from match_runs import table


def made(folder: Path, name: str, *ops: Json) -> FusionTable:
    (folder / name).mkdir()
    return table(folder / name, *ops)


TRIPLE = ("conv", "bn")


def quantized(folder: Path) -> FusionTable:
    return made(
        folder,
        "quant",
        op("conv_quant_layer", "Quant", outputs=0, _datadump_original_op_names=TRIPLE),
        op("conv", "Convolution", outputs=0, _datadump_original_op_names=TRIPLE),
        op(
            "conv_dequant_layer",
            "DeQuant",
            outputs=[desc(_datadump_origin_name="bn", _datadump_origin_output_index=0)],
            _datadump_original_op_names=TRIPLE,
        ),
        op("relu", "ReLU", outputs=0),
    )


def test_layers_of_the_quantized_model_become_the_original_ones(tmp_path: Path) -> None:
    offline = made(
        tmp_path,
        "offline",
        op("conv", "Conv2D", outputs=[desc()], _datadump_original_op_names=("conv",)),
        op(
            "deq",
            "AscendDequant",
            outputs=[desc(_datadump_origin_name="conv_dequant_layer", _datadump_origin_format="NHWC")],
            _datadump_original_op_names=("conv_dequant_layer", "relu"),
        ),
    )

    merged = with_quantization(offline, quantized(tmp_path))

    conv, deq = merged.operators
    assert (conv.originals, deq.originals) == (["conv", "bn"], ["conv", "bn", "relu"])
    assert (deq.outputs[0].origin, deq.outputs[0].index, deq.outputs[0].layout) == ("bn", 0, "NHWC")
    assert merged.merged == "quantization"


def test_layers_that_were_quantized_together_become_one_group(tmp_path: Path) -> None:
    offline = made(
        tmp_path,
        "offline",
        op("a", "AscendQuant", _datadump_original_op_names=("conv_quant_layer",)),
        op("b", "Conv2D", _datadump_original_op_names=("conv",)),
    )

    merged = with_quantization(offline, quantized(tmp_path))

    assert [[operator.name for operator in group] for group in merged.groups.values()] == [["a", "b"]]
    assert [operator.index for operator in merged.operators] == [0, 0]


def test_a_name_that_the_quantized_model_lacks_stays(tmp_path: Path) -> None:
    offline = made(tmp_path, "offline", op("a", "Relu", _datadump_original_op_names=("other",)))

    (operator,) = with_quantization(offline, quantized(tmp_path)).operators

    assert (operator.originals, operator.outputs[0].origin) == (["other"], "other")


def _relu(name: str, *originals: str, origin: str = "relu", index: int = 0) -> Json:
    output = desc(_datadump_origin_name=origin, _datadump_origin_output_index=index)
    return op(name, "Relu", outputs=[output], _datadump_original_op_names=originals)


def test_without_fusion_the_operator_that_lists_the_original_takes_its_place(tmp_path: Path) -> None:
    opened = made(tmp_path, "open", _relu("fused", "conv", "relu"))
    closed = made(
        tmp_path, "closed", op("conv_op", "Conv2D", _datadump_original_op_names=("conv",)), _relu("r", "relu")
    )

    merged = with_closed_fusion(opened, closed)

    (operator,) = merged.operators
    assert operator.originals == ["conv_op", "r"]
    assert (operator.outputs[0].origin, operator.outputs[0].index) == ("r", 0)
    assert merged.merged == "closed-fusion"


def test_the_output_is_the_one_that_has_the_same_origin(tmp_path: Path) -> None:
    opened = made(tmp_path, "open", _relu("fused", "s", origin="s", index=1))
    outputs = [desc(_datadump_origin_name="s", _datadump_origin_output_index=at) for at in (1, 0)]
    closed = made(tmp_path, "closed", op("split", "Split", outputs=outputs, _datadump_original_op_names=("s", "t")))

    (operator,) = with_closed_fusion(opened, closed).operators

    assert (operator.outputs[0].origin, operator.outputs[0].index) == ("split", 0)


def test_of_several_that_lead_to_the_same_operator_the_last_one_is_kept(tmp_path: Path) -> None:
    opened = made(tmp_path, "open", _relu("one", "a"), _relu("two", "b"))
    closed = made(tmp_path, "closed", _relu("both", "a", "b"))

    assert [operator.name for operator in with_closed_fusion(opened, closed).operators] == ["two"]


def test_what_was_inserted_still_stands_for_nothing(tmp_path: Path) -> None:
    opened = made(tmp_path, "open", op("cast", "Cast", _datadump_original_op_names=()))
    closed = made(tmp_path, "closed", _relu("r", "relu"))

    (operator,) = with_closed_fusion(opened, closed).operators

    assert operator.originals == [""]
