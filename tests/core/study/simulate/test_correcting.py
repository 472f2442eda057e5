"""Biases of the quantized model take off what it is off by on average."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from errorflow.base.errors import UsageError
from errorflow.quant.carriers import carriers
from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.plan_file import parse_plan, plan_text
from errorflow.quant.precision import Precision
from errorflow.quant.presets import preset
from errorflow.quant.shifting import shifts_under
from errorflow.quant.steps import CorrectBiases, shifts_of
from errorflow.run.both import runnable
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.correcting import correct_biases
from errorflow.study.simulate.floated import floated
from onnx_models import graph, model, relu, value, weight
from planted_faults import base, drifting
from remedied import Case, activated, bench_sqnr, feed, pair
from rerun_nets import every_tensor
from run_models import floats

PLAN = preset("onnxruntime").plan


@pytest.mark.parametrize("net", ["repvgg", "mobile", "transformer"])
def test_what_drifts_is_pulled_back(net: str, tmp_path: Path) -> None:
    sound = base(net, 1)
    harmed = drifting(sound, np.random.default_rng([1, 1]), False)
    ready = Case.of(harmed.model, tmp_path, {sound.net.input: sound.samples})
    with floated(ready.path) as opened, Bench.open(opened, Basis(ready.asked), PLAN) as bench:
        found = correct_biases(bench, PLAN)
        assert found.changes
        assert bench_sqnr(bench, found.plan) > bench_sqnr(bench, PLAN) + 1
        output = bench.engine.outputs[0]
        before, after = (bench.engine.mean_errors(plan, output, -1) for plan in (PLAN, found.plan))
        assert np.abs(after).mean() < np.abs(before).mean()


def layers() -> onnx.ModelProto:
    """A product with an Add behind it, one without, a layer without a bias, one that passes on its constants."""
    dice = np.random.default_rng(3)
    shapes = {"w1": (6, 3, 3, 3), "w2": (6, 1, 3, 3), "b2": (6,), "w3": (6, 4), "b3": (4,), "w4": (4, 4), "w5": (5, 4)}
    weights = [weight(name, dice.standard_normal(shape).astype(np.float32) / 3) for name, shape in shapes.items()]
    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["c1"], "bare"),
        relu("c1", "r1"),
        helper.make_node("Identity", ["w2"], ["other"]),
        helper.make_node("Conv", ["r1", "other", "b2"], ["c2"], "depthwise", group=6),
        helper.make_node("ReduceMean", ["c2"], ["m"], axes=[2, 3], keepdims=0),
        helper.make_node("MatMul", ["m", "w3"], ["p"], "product"),
        helper.make_node("Add", ["b3", "p"], ["a"], "behind"),
        helper.make_node("MatMul", ["a", "w4"], ["q"], "nothing behind"),
        helper.make_node("Gemm", ["q", "w5"], ["y"], "turned", transB=1),
    ]
    main = graph(*nodes, inputs=[value("x", (1, 3, 8, 8))], outputs=[value("y", (1, 5))], weights=weights)
    return model(main, ir_version=10)


@pytest.mark.parametrize(
    "plan",
    [PLAN, preset("pulsar2-u8").plan, replace(PLAN, biases=False), Plan(FLOAT, Precision("int8", symmetric=True))],
    ids=["usual", "pulsar2", "biases in float", "weights alone"],
)
def test_the_exported_model_has_them_to_the_bit(plan: Plan, tmp_path: Path) -> None:
    ready = Case.of(layers(), tmp_path, {"x": floats(10, 3, 8, 8)})
    with floated(ready.path) as opened, Bench.open(opened, Basis(ready.asked), plan) as bench:
        corrected = correct_biases(bench, plan).plan
        assert set(shifts_of(corrected.steps)) == {"c1", "c2", "a", "y"}
        names = bench.engine.export(corrected, tmp_path / "qdq.onnx")
        inputs = bench.engine.values(None, ["x"], 1)
        found = every_tensor(onnx.load(tmp_path / "qdq.onnx"), inputs)
        for name in ("c1", "c2", "a", "y"):
            mine = bench.engine.values(corrected, [name], 1)[name]
            assert np.array_equal(mine, found[names.get(name, name)]), name
        onnx.checker.check_model(onnx.load(tmp_path / "qdq.onnx"))


def test_the_float_model_stays_as_it_is(tmp_path: Path) -> None:
    ready = Case.of(layers(), tmp_path, {"x": floats(10, 3, 8, 8)})
    with floated(ready.path) as opened, Bench.open(opened, Basis(ready.asked), PLAN) as bench:
        before = bench.engine.values(None, ["y"], 0)["y"]
        corrected = correct_biases(bench, PLAN).plan
        bench_sqnr(bench, corrected)
        assert np.array_equal(bench.engine.values(None, ["y"], 0)["y"], before)
        in_float = Plan(FLOAT, FLOAT).with_step(corrected.steps[0])
        assert np.array_equal(bench.engine.values(in_float, ["y"], 0)["y"], before)


def test_layers_in_float_are_not_shifted(tmp_path: Path) -> None:
    ready = Case.of(layers(), tmp_path, {"x": floats(10, 3, 8, 8)})
    with floated(ready.path) as opened, Bench.open(opened, Basis(ready.asked), PLAN) as bench:
        plan = correct_biases(bench, PLAN).plan.keeping_float("depthwise", "product")
        assert set(shifts_under(bench.engine.graph, plan, bench.engine.assigned(plan))) == {"c1", "y"}


def test_a_plan_in_a_file_repeats_it(tmp_path: Path) -> None:
    ready = Case.of(pair(activated("Relu")), tmp_path, feed())
    with floated(ready.path) as opened, Bench.open(opened, Basis(ready.asked), PLAN) as bench:
        corrected = correct_biases(bench, PLAN).plan
        again = parse_plan(plan_text(corrected).encode())
        assert again == corrected
        assert bench_sqnr(bench, again) == bench_sqnr(bench, corrected)


@pytest.mark.parametrize(
    ("layer", "said"),
    [("c2", "corrects 2 biases of c2, and the model has 6"), ("c9", "biases of c9, which this model does not have")],
)
def test_shifts_of_another_model_are_said(layer: str, said: str, tmp_path: Path) -> None:
    ready = Case.of(layers(), tmp_path, {"x": floats(10, 3, 8, 8)})
    plan = PLAN.with_step(CorrectBiases(((layer, (1.0, 2.0)),)))
    with (
        floated(ready.path) as opened,
        Bench.open(opened, Basis(ready.asked), PLAN) as bench,
        pytest.raises(UsageError, match=said),
    ):
        bench_sqnr(bench, plan)


def test_biases_are_found_wherever_they_are_added(tmp_path: Path) -> None:
    onnx.save(layers(), tmp_path / "net.onnx")
    read = runnable(tmp_path / "net.onnx").graph
    names = (*read.tensor_names, "")
    found = {names[each.made]: (names[each.bias], each.channels) for each in carriers(read)}
    assert found == {"c1": ("", 6), "c2": ("b2", 6), "a": ("b3", 4), "y": ("", 5)}
