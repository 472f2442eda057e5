"""The run as deployed says what ONNX Runtime makes of the model with everything optimised."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnx import helper

from bare_models import bare
from errorflow.base.progress import Cancelled
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.sums import sums
from errorflow.quant.plan import FLOAT, WEIGHTS, Plan
from errorflow.quant.precision import Precision
from errorflow.quant.presets import preset
from errorflow.run.engine.engine import Engine
from errorflow.study.simulate.deployed import Against, Deployed, deploy
from onnx_models import graph, model, value, weight
from planted_nets import NETS
from readback_nets import opened, quantized
from rerun_nets import Case, case, every_tensor
from run_models import floats

Array = NDArray[Any]
X86 = preset("onnxruntime-x86").plan


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return case("crossing", tmp_path_factory.mktemp("net"), 3)


def optimised(model: Path, inputs: dict[str, Array]) -> dict[str, Array]:
    """The outputs of ONNX Runtime in its own way."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs), strict=True))


def deployed(net: Case, plan: Plan, target: Path | None = None) -> Deployed:
    with Engine(net.path, net.samples, net.calibration) as engine:
        if target is not None:
            engine.export(plan, target)
        return deploy(engine, plan, net.path)


def values(reference: Array, candidate: Array) -> dict[str, float]:
    found = sums(reference, candidate)
    return {metric.key: metric.of(found) for metric in METRICS}


def test_outputs_are_those_of_onnx_runtime_at_its_best(net: Case, tmp_path: Path) -> None:
    target = tmp_path / "qdq.onnx"
    found = deployed(net, X86, target)
    assert [each.tensor for each in found.outputs] == ["y", "z"]
    for each in found.outputs:
        for number, run in enumerate(net.runs):
            mine, golden = (optimised(model, net.samples[number])[each.tensor] for model in (target, net.path))
            assert each.reference.values()[number] == pytest.approx(values(run[each.tensor], mine))
            assert each.floating.values()[number] == pytest.approx(values(run[each.tensor], golden))


def test_it_says_what_was_fused_out_of_how_many_nodes(net: Case, tmp_path: Path) -> None:
    found = deployed(net, X86, tmp_path / "qdq.onnx")
    assert found.quantized.version == onnxruntime.__version__
    assert found.quantized.before == len(onnx.load(tmp_path / "qdq.onnx").graph.node)
    assert found.quantized.after < found.quantized.before
    assert found.quantized.fused["QLinearConv"] == 3
    assert found.floating.before == len(onnx.load(net.path).graph.node)
    assert "QLinearConv" not in found.floating.fused


def test_where_it_differs_from_the_simulation_that_is_counted_in_steps(net: Case, tmp_path: Path) -> None:
    target = tmp_path / "qdq.onnx"
    found = deployed(net, X86, target)
    with Engine(net.path, net.samples, net.calibration) as engine:
        for each in found.outputs:
            apart = [
                np.abs(optimised(target, inputs)[each.tensor] - engine.values(X86, [each.tensor], number)[each.tensor])
                for number, inputs in enumerate(net.samples)
            ]
            scale = scale_of(target, each.tensor)
            assert each.steps == pytest.approx(max(float(one.max()) for one in apart) / scale)
            assert each.simulated.largest == pytest.approx(max(float(one.max()) for one in apart))
            assert each.sample == int(np.argmax([one.max() for one in apart]))
            assert each.changed == pytest.approx(np.mean([np.mean(one > 0) for one in apart]))
            assert each.simulated.same == (each.changed == 0)
            assert any(note.startswith(f"{each.tensor} as deployed differs") for note in found.notes) == bool(
                each.changed
            )
    assert any(each.changed for each in found.outputs)


def scale_of(model: Path, output: str) -> float:
    proto = onnx.load(model).graph
    maker = next(node for node in proto.node if output in node.output)
    return float(next(onnx.numpy_helper.to_array(each) for each in proto.initializer if each.name == maker.input[1]))


@pytest.mark.parametrize(
    "plan", [Plan(FLOAT, FLOAT), Plan(Precision("uint16"), WEIGHTS)], ids=["float", "without_kernels"]
)
def test_where_nothing_is_fused_it_is_the_simulation_or_as_near_as_floats_are(net: Case, plan: Plan) -> None:
    found = deployed(net, plan)
    for each in found.outputs:
        assert each.simulated.pooled()["sqnr"] > 70
        assert (each.steps is None) == (plan.activations == FLOAT)


@pytest.fixture(scope="module")
def weighty(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """A net with each operator whose weights ONNX Runtime makes codes of; what Gemm multiplies is moved before."""
    rng = np.random.default_rng(3)
    weights = {name: rng.standard_normal(shape, np.float32) / 4 for name, shape in SHAPES.items()}
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["one"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["one"], ["two"]),
        helper.make_node("ConvTranspose", ["two", "t"], ["three"], strides=[2, 2]),
        helper.make_node("MaxPool", ["three"], ["four"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Flatten", ["four"], ["five"]),
        helper.make_node("Gemm", ["five", "g", "b"], ["y"], transB=1),
    ]
    held = [weight(name, array) for name, array in weights.items()]
    proto = model(
        graph(*nodes, inputs=[value("x", (1, 3, 4, 4))], outputs=[value("y", (1, 5))], weights=held), ir_version=10
    )
    path = tmp_path_factory.mktemp("weighty") / "weighty.onnx"
    onnx.save(proto, path)
    samples = tuple({"x": floats(1, 3, 4, 4, seed=seed)} for seed in range(3))
    return Case(path, samples, tuple(inputs | every_tensor(proto, inputs) for inputs in samples))


SHAPES = {"w": (4, 3, 3, 3), "t": (4, 2, 2, 2), "g": (5, 32), "b": (5,)}
# Weights in float beside codes of 16 bits, for which there are no kernels: all else is the simulation, bit for bit.
BESIDE = Plan(Precision("uint16"), FLOAT)


@pytest.mark.parametrize("types", [(), ("Conv", "ConvTranspose", "Gemm")], ids=["all", "products"])
@pytest.mark.parametrize("flow", ["uint16", "uint8"])
def test_weights_that_the_plan_leaves_in_float_are_not_made_codes(
    weighty: Case, flow: str, types: tuple[str, ...]
) -> None:
    found = deployed(weighty, Plan(Precision(flow), FLOAT, types=types or None))
    assert not found.quantized.coded
    assert not found.notes or flow == "uint8"
    assert all(each.simulated.pooled()["sqnr"] > (100 if flow == "uint16" else 40) for each in found.outputs)


def test_with_some_weights_in_float_the_others_are_still_kernels_of_integers(weighty: Case) -> None:
    found = deployed(weighty, X86.with_tensor("t", FLOAT))
    assert not found.quantized.coded
    assert found.quantized.fused["QLinearConv"] == 1
    assert found.quantized.fused["QGemm"] == 1


def test_what_stands_between_is_not_read_back(weighty: Case, tmp_path: Path) -> None:
    plan = X86.with_tensor("t", FLOAT)
    with Engine(weighty.path, weighty.samples, weighty.calibration) as engine:
        engine.export(plan, tmp_path / "qdq.onnx")
        simulated = engine.values(plan, ["y"])["y"]
    back = opened(tmp_path / "qdq.onnx", tmp_path)
    assert {node.op_type for node in onnx.load(back.path).graph.node} == {
        node.op_type for node in onnx.load(weighty.path).graph.node
    }
    with Engine(back.path, weighty.samples, back.calibration) as engine:
        assert np.array_equal(engine.values(back.plan, ["y"])["y"], simulated)


def test_the_same_model_without_what_stands_between_is_another_one_as_deployed(weighty: Case, tmp_path: Path) -> None:
    """ONNX Runtime's WeightBiasQuantization codes them; where it no longer does, nothing need stand between."""
    path = tmp_path / "qdq.onnx"
    with Engine(weighty.path, weighty.samples, weighty.calibration) as engine:
        engine.export(BESIDE, path)
        found = deploy(engine, BESIDE, weighty.path, bare(path))
    assert found.quantized.coded == 3
    assert "that the plan leaves in float" in found.notes[0]
    assert all(each.simulated.pooled()["sqnr"] < 50 for each in found.outputs)


def test_a_model_that_is_quantized_already_is_run_itself(net: Case, tmp_path: Path) -> None:
    path = quantized(net, tmp_path)
    back = opened(path, tmp_path)
    with Engine(back.path, net.samples, back.calibration) as engine:
        found = deploy(engine, back.plan, back.path, path)
    assert found.quantized.before == len(onnx.load(path).graph.node)
    for each in found.outputs:
        mine, golden = optimised(path, net.samples[0]), optimised(back.path, net.samples[0])
        with Engine(back.path, net.samples[:1]) as engine:
            float_ = engine.values(None, [each.tensor])[each.tensor]
        assert each.reference.values()[0] == pytest.approx(values(float_, mine[each.tensor]))
        assert each.floating.values()[0] == pytest.approx(values(float_, golden[each.tensor]))


@pytest.mark.parametrize("name", ["attention", *sorted(NETS)[:2]])
def test_other_nets_run_as_deployed_too(name: str, tmp_path: Path) -> None:
    found = deployed(case(name, tmp_path), preset("onnxruntime").plan)
    assert found.outputs
    assert all(None not in each.reference.by_sample for each in found.outputs)


class Until:
    """Gives up at a step with this text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def step(self, done: int, total: int, text: str) -> None:
        if text == self.text:
            raise Cancelled


def test_it_can_be_cancelled(net: Case) -> None:
    with Engine(net.path, net.samples, net.calibration) as engine, pytest.raises(Cancelled):
        deploy(engine, X86, net.path, progress=Until("Running as deployed"))


def test_other_shapes_cannot_be_measured() -> None:
    found = Against((sums(np.ones(3), np.ones(3)), None))
    assert not found.same
    assert found.largest == 0
    assert found.values()[1] == {}
    assert found.pooled()["cosine"] == 1
    assert Against((None,)).pooled() == {}
