"""Who stands for a group: a node that makes something, not one that holds or moves what others made."""

from pathlib import Path

import numpy as np
import onnx
from onnx import helper
from onnx.numpy_helper import from_array

from errorflow.quant.operators import MOVING
from errorflow.quant.presets import preset
from errorflow.run.engine.engine import Engine
from errorflow.study.simulate.noise import noise_of
from errorflow.study.simulate.running import pointed
from onnx_models import graph, model, value, weight
from rerun_nets import Array, calibration, every_tensor

PLAN = preset("onnxruntime").plan


def exported() -> onnx.ModelProto:
    """As some converters write a layer: weights in Constant nodes, and an Identity behind each step."""
    dice = np.random.default_rng(5)
    loud = np.ones((1, 8, 1, 1), np.float32)
    loud[:, 3] = 200.0

    def held(name: str, array: Array) -> onnx.NodeProto:
        return helper.make_node("Constant", [], [name], f"constant {name}", value=from_array(array))

    make = helper.make_node
    nodes = [
        held("w", dice.standard_normal((8, 4, 3, 3), np.float32) / 6),
        make("Conv", ["x", "w"], ["c"], "conv", pads=[1, 1, 1, 1]),
        held("scale", loud),
        make("Mul", ["c", "scale"], ["m"], "scaling"),
        make("Identity", ["m"], ["i"], "passing"),
        held("shift", dice.standard_normal((1, 8, 1, 1), np.float32)),
        make("Add", ["i", "shift"], ["a"], "shifting"),
        make("Identity", ["a"], ["j"], "passing on"),
        make("Conv", ["j", "v"], ["y"], "last"),
    ]
    quiet = dice.standard_normal((4, 8, 1, 1), np.float32)
    quiet[:, 3] = 0.0
    ends = value("x", (1, 4, 6, 6)), value("y", None)
    return model(graph(*nodes, inputs=ends[:1], outputs=ends[1:], weights=[weight("v", quiet)]), ir_version=10)


def opened(folder: Path) -> Engine:
    proto, path = exported(), folder / "net.onnx"
    onnx.save(proto, path)
    samples: list[dict[str, Array]] = [
        {"x": np.random.default_rng(seed).standard_normal((1, 4, 6, 6), np.float32)} for seed in range(3)
    ]
    return Engine(path, samples, calibration(tuple(each | every_tensor(proto, each) for each in samples)))


def test_no_group_goes_by_a_constant(tmp_path: Path) -> None:
    with opened(tmp_path) as engine:
        noise = noise_of(engine, PLAN)
        assert [engine.graph.op_types[each.node] for each in noise.sources if each.name != "x"].count("Constant") == 0


def test_who_passes_on_a_bad_tensor_is_not_named_for_who_makes_it(tmp_path: Path) -> None:
    with opened(tmp_path) as engine:
        noise = pointed(engine, PLAN, noise_of(engine, PLAN))
        first = noise.sources[int(np.argmax(noise.shares(0)))]
        assert engine.graph.op_types[first.node] not in MOVING
        assert engine.graph.title(first.node) in ("scaling", "shifting")
        assert first.tensors[0] in ("m", "a")
