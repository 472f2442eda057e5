"""The scale of a tensor under a plan, and its weights: what the engine itself uses."""

from collections.abc import Iterator

import numpy as np
import pytest

from errorflow.base.progress import Cancelled
from errorflow.case.simulating import match_of
from errorflow.compare.match.model import Pair
from errorflow.compare.measure import measure_pair
from errorflow.explain.inspect.tensors import read_pair
from errorflow.quant.coding import Coder, named
from errorflow.quant.fake import fake_quantize
from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.precision import Precision
from errorflow.run.engine.engine import Engine
from errorflow.study.simulate.coded import qparams_under
from errorflow.study.simulate.running import simulate
from errorflow.study.simulate.weights import IN_FLOAT, PlannedWeights
from rerun_nets import case

CHANNELS = Plan(weights=Precision("int8", symmetric=True, per_channel=True))


@pytest.fixture(scope="module", params=["crossing", "attention", "residual"])
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    found = case(request.param, tmp_path_factory.mktemp("nets"))
    with Engine(found.path, found.samples, found.calibration) as engine:
        yield engine


@pytest.mark.parametrize("plan", [Plan(), CHANNELS, Plan(fitted=True)], ids=["tensor", "channel", "fitted"])
def test_every_scale_is_the_one_of_the_whole_plan(engine: Engine, plan: Plan) -> None:
    from errorflow.quant.fitting import fitted

    assert engine.calibration is not None
    ranges = engine.calibration.ranges
    ranges = fitted(engine.graph, plan.types, ranges) if plan.fitted else ranges
    whole = Coder(engine.graph.weights.read).coding(named(engine.graph, engine.assigned(plan)), ranges)
    biases = {bias.bias: qparams for bias, qparams in whole.biases.values()}
    expected = {**biases, **whole.constants, **whole.activations}
    assert whole.activations and whole.constants
    for name in engine.graph.tensor_names:
        assert qparams_under(engine, plan, name) == expected.get(name), name


def test_values_lie_on_the_steps_that_are_told(engine: Engine) -> None:
    plan = Plan()
    for name, values in engine.values(plan, engine.tensors).items():
        qparams = qparams_under(engine, plan, name)
        if qparams is not None:
            np.testing.assert_array_equal(fake_quantize(values, qparams), values, err_msg=name)


def test_a_look_at_a_tensor_knows_its_scale(engine: Engine) -> None:
    outcome = simulate(engine, Plan(), noise_samples=0)
    match = match_of(engine, Plan(), outcome.comparison, 0)
    for pair in match.pairs:
        seen = read_pair(pair)
        assert seen.qparams == qparams_under(engine, Plan(), pair.tensor)
        assert seen.together


def test_a_look_can_be_cancelled(engine: Engine) -> None:
    class Unwanted:
        def step(self, done: int, total: int, text: str) -> None:
            raise Cancelled

    outcome = simulate(engine, Plan(), noise_samples=0)
    pair: Pair = match_of(engine, Plan(), outcome.comparison, 1).pairs[-1]
    with pytest.raises(Cancelled):
        read_pair(pair, progress=Unwanted())


def test_weights_are_those_of_the_plan(engine: Engine) -> None:
    graph = engine.graph
    weights = PlannedWeights(graph, engine, CHANNELS)
    seen = 0
    for node in range(len(graph)):
        for place, tensor in enumerate(graph.node_inputs[node].tolist()):
            qparams = qparams_under(engine, CHANNELS, graph.tensor_names[tensor]) if tensor >= 0 else None
            if qparams is None or graph.tensor_names[tensor] not in graph.weights.names():
                continue
            found = weights.find(node, place)
            assert found.planned and found.pair is not None
            looked = read_pair(found.pair)
            golden = graph.weights.read(graph.tensor_names[tensor])
            assert looked.reference is not None and looked.candidate is not None
            np.testing.assert_array_equal(looked.reference, golden)
            np.testing.assert_array_equal(looked.candidate, fake_quantize(golden, qparams))
            assert looked.qparams == qparams
            assert measure_pair(found.pair).values["sqnr"] > 20
            seen += 1
    assert seen


def test_a_weight_in_float_is_said_to_be(engine: Engine) -> None:
    graph = engine.graph
    weights = PlannedWeights(graph, engine, Plan(FLOAT, FLOAT))
    names = set(graph.weights.names())
    node, place = next(
        (node, place)
        for node in range(len(graph))
        for place, tensor in enumerate(graph.node_inputs[node].tolist())
        if tensor >= 0 and graph.tensor_names[tensor] in names
    )
    assert weights.find(node, place).text == IN_FLOAT
