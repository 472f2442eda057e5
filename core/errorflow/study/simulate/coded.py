"""Scale and zero point that the engine gives a tensor under a plan: found by the same arithmetic, without running."""

from dataclasses import replace

from errorflow.graph.qparams import QParams
from errorflow.quant.coding import Coder, Named, NamedBias, named
from errorflow.quant.fitting import fitted
from errorflow.quant.plan import Plan
from errorflow.run.engine.engine import Engine


def qparams_under(engine: Engine, plan: Plan, name: str) -> QParams | None:
    """Finds the parameters of what flows, of a constant or of a bias; None: it stays in float."""
    graph, calibration = engine.graph, engine.calibration
    wanted = _about(named(graph, engine.assigned(plan)), name)
    ranges = {} if calibration is None else calibration.ranges
    if plan.fitted:
        ranges = fitted(graph, plan.types, ranges)
    coder = Coder(graph.weights.read, {} if calibration is None else calibration.given)
    coding = coder.coding(wanted, ranges)
    biases = {bias.bias: qparams for bias, qparams in coding.biases.values() if qparams is not None}
    return coding.activations.get(name, coding.constants.get(name, biases.get(name)))


def _about(wanted: Named, name: str) -> Named:
    """Lists what has a say in the scale of one tensor: a bias raises that of the weight whose product it is added
    to.
    """
    near = {made: bias for made, bias in wanted.biases.items() if name in (bias.bias, bias.weight)}
    weights = {name, *(bias.weight for bias in near.values())}
    biases = {made: bias for made, bias in wanted.biases.items() if bias.weight in weights}
    sources = {name, *(bias.source for bias in biases.values())}
    return replace(
        wanted,
        activations={key: how for key, how in wanted.activations.items() if key in sources},
        constants={key: how for key, how in wanted.constants.items() if key in weights},
        biases=dict[str, NamedBias](biases),
    )
