"""Models that cannot be simulated say why before anything runs."""

from dataclasses import replace
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from errorflow.base.sample import SAMPLES
from errorflow.formats import read_model
from errorflow.study.simulate.refused import why_not


def test_float_and_quantized_models_can_be() -> None:
    assert why_not(read_model(SAMPLES[0].model)) is None
    assert why_not(read_model(SAMPLES[0].candidate_model)) is None


def test_what_is_no_onnx_model_is_sent_to_comparing() -> None:
    refused = why_not(replace(read_model(SAMPLES[0].model), format="ATC JSON"))
    assert refused is not None and "(ATC JSON)" in refused.message and "compared" in refused.hint


def test_weights_that_are_missing_beside_the_model_are_named(tmp_path: Path) -> None:
    model = onnx.load(SAMPLES[0].model)
    onnx.save(model, tmp_path / "net.onnx", save_as_external_data=True, location="net.data", size_threshold=0)
    assert why_not(read_model(tmp_path / "net.onnx")) is None
    (tmp_path / "net.data").unlink()
    refused = why_not(read_model(tmp_path / "net.onnx"))
    assert refused is not None and "net.data" in refused.message and "Copy that file" in refused.hint


@pytest.mark.parametrize(("domain", "is_known"), [("my.company", False), ("com.microsoft", True), ("", True)])
def test_an_operator_of_somebody_elses_is_named(domain: str, is_known: bool, tmp_path: Path) -> None:
    node = helper.make_node("Twist", ["x"], ["y"], "twist", domain=domain)
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy"]
    graph = helper.make_graph([node], "g", values[:1], values[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), tmp_path / "net.onnx")
    refused = why_not(read_model(tmp_path / "net.onnx"))
    assert (refused is None) is is_known
    if refused is not None:
        assert "my.company:Twist" in refused.message and "twist" in refused.message
