"""Pulsar2's quantized models, whose scales stand in a JSON file and are put on the float model."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from errorflow.base.errors import FileError, UsageError
from errorflow.formats import read_model
from errorflow.graph.qparams import QParams
from errorflow.quant.fake import fake_quantize
from errorflow.quant.readback.reading import ReadBack, kind_of, read_back
from errorflow.run.engine.engine import Engine
from pulsar2_nets import CONFIGS, VALUES, W1, WEIGHT_STEPS, X, config, output_folder
from rerun_nets import every_tensor
from run_models import net


def opened(path: Path, reference: Path | None = None) -> ReadBack:
    kind = kind_of(read_model(path).graph)
    assert kind is not None
    assert kind.key == "pulsar2"
    return read_back(path, kind, path.parent / "never", reference=reference)


def test_its_scales_are_those_of_the_float_model_beside_it(tmp_path: Path) -> None:
    found = opened(output_folder(tmp_path))
    assert found.path == tmp_path / "quant" / "../frontend/optimized.onnx"
    assert not (tmp_path / "quant" / "never").exists()
    steps = tuple(WEIGHT_STEPS.tolist())
    assert found.calibration.given == {
        "x": QParams((0.02,), (-3,), 8, signed=True),
        "w1": QParams(steps, (0, 0, 0, 0), 8, signed=True, axis=0),
        "r1": QParams((0.01,), (0,), 8, signed=False),
        "c2": QParams((1e-4,), (32768,), 16, signed=False),
        "s": QParams((0.03,), (100,), 8, signed=False),
    }


def test_each_tensor_is_coded_with_them_and_all_else_is_float(tmp_path: Path) -> None:
    found = opened(output_folder(tmp_path))
    given = found.calibration.given
    with Engine(found.path, [X], found.calibration) as engine:
        have = engine.values(found.plan, engine.tensors)
        golden = engine.values(None, engine.tensors)
        engine.export(found.plan, tmp_path / "qdq.onnx")
    want = every_tensor(net(), X)
    for name, array in golden.items():
        assert np.array_equal(array, (X | want)[name]), name
    proto = net()
    proto.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(fake_quantize(W1, given["w1"]), "w1"))
    first = every_tensor(proto, {"x": fake_quantize(X["x"], given["x"])})
    assert np.array_equal(have["x"], fake_quantize(X["x"], given["x"]))
    assert np.array_equal(have["c1"], first["c1"])
    assert np.array_equal(have["r1"], fake_quantize(first["r1"], given["r1"]))
    qdq = every_tensor(onnx.load(tmp_path / "qdq.onnx"), X)
    assert all(np.array_equal(have[name], qdq[name]) for name in ("r1", "c2", "s", "f", "y"))
    assert not np.array_equal(have["y"], golden["y"])


def test_what_is_simulated_and_what_is_not_is_told(tmp_path: Path) -> None:
    strange = helper.make_node("AxSpecial", ["y"], ["z"], "special", domain="com.axera")
    found = opened(output_folder(tmp_path, None, strange))
    assert found.notes[0].startswith(
        "quant_axmodel.onnx cannot be run itself: the scales of 5 tensors are simulated on"
    )
    assert "special (AxSpecial) makes z, which the float model does not have: what it does is not simulated." in (
        found.notes
    )
    assert "Tensors without a scale, which stay in float: 3, such as c1." in found.notes
    assert "Scales without a tensor in the float model: 1, such as bias." in found.notes


def test_scales_that_make_no_sense_are_told_and_left_out(tmp_path: Path) -> None:
    values = VALUES | {"3": {"scale": -1, "zero_point": 0}, "2": {"scale": [1, 2], "zero_point": [0, 0]}}
    found = opened(output_folder(tmp_path, {"tensor_configs": CONFIGS, "values": values}))
    assert {"r1", "w1"}.isdisjoint(found.calibration.given)
    assert "The scale of r1 is no positive number." in found.notes


def test_another_float_model_can_be_given(tmp_path: Path) -> None:
    path = output_folder(tmp_path, floating=False)
    onnx.save(net(), tmp_path / "float.onnx")
    assert opened(path, tmp_path / "float.onnx").path == tmp_path / "float.onnx"


def test_without_a_float_model_it_says_who_cannot_be_run_and_where_one_is(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"conv1 in quant_axmodel.onnx is AxQuantizedConv, which only its own") as told:
        opened(output_folder(tmp_path, floating=False))
    assert "--reference" in told.value.hint
    assert "frontend/optimized.onnx" in told.value.hint


def test_without_its_scales_it_says_where_they_are(tmp_path: Path) -> None:
    path = output_folder(tmp_path)
    (path.parent / "quant_axmodel.json").unlink()
    with pytest.raises(FileError, match=r"quant_axmodel.json, which is missing"):
        opened(path)


def test_another_model_s_scales_are_no_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"No tensor of optimized\.onnx has a scale"):
        opened(output_folder(tmp_path, {"tensor_configs": {"a": {"b": config(1)}}, "values": VALUES}))
