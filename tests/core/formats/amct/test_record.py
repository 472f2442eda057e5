"""AMCT's scale and offset records, and how it computes with them."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.base.errors import ErrorflowError, FormatError, UsageError, WrongFileError
from errorflow.compare.match.fusion.scales import dequant_scales, from_dequant_parameters
from errorflow.formats.amct.record import LayerRecord, ScaleRecord, read_record
from errorflow.graph.qparams import QParams

TEXT = """
record {
  key: "conv1"
  value {
    scale_d: 0.0078125
    offset_d: -12
    scale_w: 0.5
    scale_w: 0.25
    offset_w: 0
    offset_w: 0
    shift_bit: 3
    shift_bit: 4
    skip_fusion: true
    dst_type: "INT8"
    tensor_balance_factor: 1.5
    fakequant_precision_mode: "FORCE_FP16_QUANT"
  }
}
record { key: "fc:1" value { scale_d: 2 act_type: "INT16" wts_type: "INT4" scale_w: 1 } }
record { key: "lstm" value { scale_h: 0.5 offset_h: 3 scale_r: [0.1, 0.2] } kv_cache_value { scale: 1 scale: 2 } }
prune_record { producer { name: "conv1" } }
"""


def read(folder: Path, text: str) -> ScaleRecord:
    path = folder / "scale_offset_record.txt"
    path.write_text(text)
    return read_record(path)


def test_a_layer_has_its_scales(tmp_path: Path) -> None:
    found = read(tmp_path, TEXT)

    assert found.layers["conv1"] == LayerRecord(
        name="conv1",
        activation=QParams((0.0078125,), (-12,), 8),
        weights=QParams((0.5, 0.25), (0, 0), 8, axis=0),
        shift_bits=(3, 4),
        balance_factors=(1.5,),
        skip_fusion=True,
        fake_quant_mode="FORCE_FP16_QUANT",
    )
    assert (found.pruned, found.problems) == (1, ())


def test_a_key_may_name_an_input(tmp_path: Path) -> None:
    layer = read(tmp_path, TEXT).layers["fc:1"]

    assert (layer.name, layer.input_index, layer.key) == ("fc", 1, "fc:1")
    assert layer.activation == QParams((2.0,), (0,), 16)
    assert layer.weights == QParams((1.0,), (0,), 4)


def test_recurrent_layers_and_caches(tmp_path: Path) -> None:
    found = read(tmp_path, TEXT)

    assert found.layers["lstm"].state == QParams((0.5,), (3,))
    assert found.layers["lstm"].output == QParams((0.1, 0.2), (0,), axis=0)
    assert found.layers["lstm"].activation is None
    assert found.caches == {"lstm": QParams((1.0, 2.0), (0,), axis=0)}


@pytest.mark.parametrize("key", ["a:b", ":1", "a:", "onnx::Conv_3"])
def test_a_name_with_a_colon_stays_whole(key: str, tmp_path: Path) -> None:
    layer = read(tmp_path, f'record {{ key: "{key}" value {{ scale_d: 1 }} }}').layers[key]

    assert (layer.name, layer.input_index) == (key, None)


@pytest.mark.parametrize(
    "value",
    [
        "scale_d: 0",
        "scale_d: -1",
        f"scale_d: 1 offset_d: {'9' * 400}",
        "scale_d: nan",
        "scale_w: inf",
        'scale_d: "x"',
        "scale_d: true",
        "scale_d: 1 offset_d: 0.5",
        "scale_d: 1 offset_d: inf",
        "scale_w: 1 scale_w: 2 scale_w: 3 offset_w: 0 offset_w: 0",
        "tensor_balance_factor: x",
    ],
)
def test_a_layer_that_makes_no_sense_does_not_hide_the_others(value: str, tmp_path: Path) -> None:
    found = read(
        tmp_path, f'record {{ key: "bad" value {{ {value} }} }} record {{ key: "good" value {{ scale_d: 1 }} }}'
    )

    assert list(found.layers) == ["good"]
    assert [problem.where for problem in found.problems] == ["bad"]


def test_a_layer_that_is_there_twice_is_a_problem(tmp_path: Path) -> None:
    found = read(tmp_path, 'record { key: "a" value { scale_d: 1 } } record { key: "a" value { scale_d: 2 } }')

    assert found.layers["a"].activation == QParams((2.0,), (0,))
    assert len(found.problems) == 1


@pytest.mark.parametrize(
    ("text", "error"), [("", WrongFileError), ("layer { }", WrongFileError), ("record {", FormatError)]
)
def test_what_is_no_record_is_a_sentence(text: str, error: type[ErrorflowError], tmp_path: Path) -> None:
    with pytest.raises(error) as caught:
        read(tmp_path, text)
    assert caught.value.hint


class TestMaths:
    def test_the_parameter_of_a_dequant_operator(self) -> None:
        layer = LayerRecord("conv", activation=QParams((0.5,)), weights=QParams((0.25, 2.0), (0, 3), axis=0))

        assert dequant_scales(layer).tolist() == [0.125, 1.0]
        assert [float(value) for value in from_dequant_parameters([0x3E000000, 0x33F800000])[0]] == [0.125, 1.0]
        assert from_dequant_parameters([0x3E000000, 0x33F800000])[1] == (0, 3)

    @given(st.lists(st.tuples(st.floats(2**-20, 2**20, width=32), st.integers(0, 255)), min_size=1, max_size=9))
    def test_its_parts_come_back(self, channels: list[tuple[float, int]]) -> None:
        scales, offsets = zip(*channels, strict=True)
        layer = LayerRecord("conv", activation=QParams((1.0,)), weights=QParams(scales, offsets, axis=0))

        bits = dequant_scales(layer).view(np.uint32).tolist()
        parameters = [low | offset << 32 for low, offset in zip(bits, offsets, strict=True)]
        back, zeros = from_dequant_parameters(parameters)

        np.testing.assert_array_equal(back, np.array(scales, np.float32))
        assert zeros == offsets

    def test_a_layer_without_weights_has_none(self) -> None:
        with pytest.raises(UsageError):
            dequant_scales(LayerRecord("add", activation=QParams((1.0,))))
