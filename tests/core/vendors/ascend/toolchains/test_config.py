"""AMCT's settings: the JSON is read and written again, the simplified text is read."""

import json
from pathlib import Path
from typing import Any

import pytest

from errorflow.base.errors import ErrorflowError, FormatError, WrongFileError
from errorflow.vendors.ascend.amct.simple import Override, read_simple_config
from errorflow.vendors.ascend.toolchains.config import QuantConfig, config_text, parse_config, read_config

CONV: dict[str, Any] = {
    "quant_enable": True,
    "dmq_balancer_param": 0.5,
    "activation_quant_params": {
        "num_bits": 8,
        "max_percentile": 0.999999,
        "min_percentile": 0.999999,
        "search_range": [0.7, 1.3],
        "search_step": 0.01,
        "act_algo": "ifmr",
        "asymmetric": False,
    },
    "weight_quant_params": {"num_bits": 8, "wts_algo": "arq_quantize", "channel_wise": True},
}
FC: dict[str, Any] = {
    "quant_enable": False,
    "activation_quant_params": {"num_bits": 16, "act_algo": "hfmg", "num_of_bins": 4096, "asymmetric": True},
    "weight_quant_params": {
        "num_bits": 4,
        "wts_algo": "ada_quantize",
        "channel_wise": False,
        "num_iteration": 10000,
        "reg_param": 0.01,
        "beta_range": [20, 2],
        "warm_start": 0.2,
    },
    "something_new": {"a": [1]},
}
DOCUMENT: dict[str, Any] = {
    "version": 1,
    "batch_num": 2,
    "activation_offset": True,
    "do_fusion": True,
    "skip_fusion_layers": ["conv2"],
    "model_kind": "x",
    "conv1": CONV,
    "scope/fc": FC,
}


def test_all_fields_are_there() -> None:
    found = parse_config(DOCUMENT, "x")

    assert (found.version, found.batch_num, found.activation_offset, found.do_fusion) == (1, 2, True, True)
    assert (found.skip_fusion_layers, found.others) == (("conv2",), {"model_kind": "x"})
    conv = found.layers["conv1"]
    assert conv.activation_quant_params is not None
    assert conv.activation_quant_params.search_range == (0.7, 1.3)
    fc = found.layers["scope/fc"]
    assert fc.weight_quant_params is not None
    assert (fc.weight_quant_params.wts_algo, fc.weight_quant_params.beta_range) == ("ada_quantize", (20, 2))
    assert (fc.dmq_balancer_param, fc.others) == (None, {"something_new": {"a": [1]}})
    assert found.enabled == ("conv1",)


def test_it_is_written_as_it_was_read(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(config_text(parse_config(DOCUMENT, "x")), encoding="utf-8")

    assert json.loads((tmp_path / "c.json").read_text()) == DOCUMENT
    assert read_config(tmp_path / "c.json") == parse_config(DOCUMENT, "x")


def test_a_layer_is_switched_and_the_old_setting_stays() -> None:
    before = parse_config(DOCUMENT, "x")

    after = before.switched(["conv1"], on=False).switched(["scope/fc"], on=True)

    assert after.enabled == ("scope/fc",)
    assert before.enabled == ("conv1",)
    assert after.to_json() == DOCUMENT | {
        "conv1": CONV | {"quant_enable": False},
        "scope/fc": FC | {"quant_enable": True},
    }
    with pytest.raises(KeyError):
        before.switched(["none"], on=True)


@pytest.mark.parametrize(
    "change",
    [
        {"batch_num": "2"},
        {"batch_num": True},
        {"skip_fusion_layers": "conv"},
        {"skip_fusion_layers": [1]},
        {"conv1": {"quant_enable": 1}},
        {"conv1": {"activation_quant_params": 3}},
        {"conv1": {"activation_quant_params": {"search_range": [0.7, "x"]}}},
        {"conv1": {"weight_quant_params": {"num_bits": 8.5}}},
    ],
)
def test_a_field_of_the_wrong_kind_is_a_sentence(change: dict[str, Any]) -> None:
    with pytest.raises(FormatError) as caught:
        parse_config(DOCUMENT | change, "c.json")
    assert "c.json" in caught.value.message


@pytest.mark.parametrize(
    ("text", "error"),
    [("", FormatError), ("[" * 99_999, FormatError), ("[]", WrongFileError), ('{"a": {}}', WrongFileError)],
)
def test_what_is_no_setting_is_a_sentence(text: str, error: type[ErrorflowError], tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(text)

    with pytest.raises(error) as caught:
        read_config(tmp_path / "c.json")
    assert caught.value.hint


def test_without_layers_there_is_nothing_enabled() -> None:
    assert QuantConfig().enabled == ()


SIMPLE = """
batch_num : 2
activation_offset : false
skip_layers : "conv1"
skip_layers : "fc"
skip_layer_types: "Gemm"
do_fusion: true
joint_quant: true
common_config : {
  act_quant : { ifmr_quantize : { search_range_start : 0.7 search_range_end: 1.3 } }
}
override_layer_types : { layer_type : "Conv" calibration_config: { arq_quantize : { channel_wise : false } } }
override_layer_configs : { layer_name : "a" layer_name: "b" dmq_balancer: 0.5 }
"""


def test_a_simplified_setting(tmp_path: Path) -> None:
    (tmp_path / "c.cfg").write_text(SIMPLE)

    found = read_simple_config(tmp_path / "c.cfg")

    assert (found.batch_num, found.activation_offset, found.do_fusion) == (2, False, True)
    assert (found.skip_layers, found.skip_layer_types) == (("conv1", "fc"), ("Gemm",))
    assert found.common == {"act_quant": {"ifmr_quantize": {"search_range_start": 0.7, "search_range_end": 1.3}}}
    assert found.by_type == (Override(("Conv",), {"calibration_config": {"arq_quantize": {"channel_wise": False}}}),)
    assert found.by_layer == (Override(("a", "b"), {"dmq_balancer": 0.5}),)
    assert found.others == {"joint_quant": True}


@pytest.mark.parametrize(
    ("text", "error"), [("", WrongFileError), ("a: 1", WrongFileError), ("batch_num:", FormatError)]
)
def test_what_is_no_simplified_setting_is_a_sentence(text: str, error: type[ErrorflowError], tmp_path: Path) -> None:
    (tmp_path / "c.cfg").write_text(text)

    with pytest.raises(error) as caught:
        read_simple_config(tmp_path / "c.cfg")
    assert caught.value.hint
