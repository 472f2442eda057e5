"""Plans that mimic a toolchain's defaults."""

import pytest
from onnxruntime.quantization.registry import QDQRegistry, QLinearOpsRegistry

from errorflow.base.errors import UsageError
from errorflow.quant.calibrate.asked import method_of
from errorflow.quant.presets import PRESETS, Preset, preset


@pytest.mark.parametrize("row", PRESETS, ids=lambda row: row.key)
def test_each_is_found_by_its_name_and_says_what_it_is_not(row: Preset) -> None:
    assert preset(row.key) is row
    assert row.plan.preset == row.key
    assert row.mimics.endswith(".")
    assert row.leaves_out.endswith(".")


def test_another_name_is_answered_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match="tensorrt") as caught:
        preset("tensorrt")
    assert "amct" in caught.value.hint


def test_onnx_runtimes_operators_are_those_of_its_own_tables() -> None:
    theirs = {*QDQRegistry, *QLinearOpsRegistry} - {"EmbedLayerNormalization"}
    assert set(preset("onnxruntime").plan.types or ()) <= theirs


@pytest.mark.parametrize("row", PRESETS, ids=lambda row: row.key)
def test_its_method_of_calibration_is_one_that_there_is(row: Preset) -> None:
    assert method_of(row.method).key == row.method
