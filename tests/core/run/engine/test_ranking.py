"""Rankings that need not be exact: float segments are fused, and yet the numbers are those of an exact run."""

import numpy as np
import pytest

from errorflow.compare.metrics import METRICS
from errorflow.quant.plan import Plan
from errorflow.quant.precision import Precision
from errorflow.quant.units import units_of
from errorflow.run.engine.engine import Engine
from errorflow.run.engine.rows import ACCUMULATED, Doubles
from errorflow.study.simulate.noise import alone, noise_of, sources_of
from rerun_nets import ALL, Opened

SQNR = next(metric for metric in METRICS if metric.key == "sqnr")
WORDS = Plan(Precision("uint16"), Precision("int16", symmetric=True))


def plans(engine: Engine, plan: Plan) -> list[Plan]:
    """With each group alone."""
    assigned = engine.assigned(plan)
    sources = sources_of(engine.graph, assigned, units_of(engine.graph))
    return [alone(plan, assigned, engine.graph, source) for source in sources]


def ranked(engine: Engine, plan: Plan, exactly: bool) -> Doubles:
    """SQNR by plan, sample and output."""
    tables = engine.run_many(plans(engine, plan), engine.outputs, exactly=exactly)
    places = [place for place, name in enumerate(engine.tensors) if name in engine.outputs]
    return np.array([table.column(SQNR)[:, places] for table in tables])


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("plan", [Plan(), WORDS], ids=["8 bits", "16 bits"])
def test_errors_are_within_a_twentieth_of_a_decibel(name: str, plan: Plan, opened: Opened) -> None:
    _, engine = opened(name)
    want, found = ranked(engine, plan, exactly=True), ranked(engine, plan, exactly=False)
    assert found.shape == want.shape and want.size
    assert np.array_equal(np.isfinite(found), np.isfinite(want))
    there = np.isfinite(want)
    assert found[there] == pytest.approx(want[there], abs=0.05)


@pytest.mark.parametrize("name", ["residual", "branches", "digits", "locator", "transformer"])
def test_the_order_is_that_of_exact_runs(name: str, opened: Opened) -> None:
    _, engine = opened(name)
    noise = noise_of(engine, Plan())
    tables = list(engine.run_many(plans(engine, Plan()), noise.outputs, [0]))
    for place, output in enumerate(noise.outputs):
        exact = np.array([float(found.dd) for table in tables if (found := table.sums(output, 0)) is not None])
        mine = noise.powers[:, place]
        assert len(exact) == len(mine)
        assert np.argsort(-mine, kind="stable")[:5].tolist() == np.argsort(-exact, kind="stable")[:5].tolist()
        one, other = (np.argsort(np.argsort(powers, kind="stable")) for powers in (mine, exact))
        assert np.corrcoef(one, other)[0, 1] > 0.999


def test_what_is_asked_before_or_after_stays_exact(opened: Opened) -> None:
    _, engine = opened("residual")
    before = engine.run(Plan())
    list(engine.run_many(plans(engine, Plan()), engine.outputs, exactly=False))
    for some in plans(engine, Plan())[:3]:
        once, many = engine.run(some, engine.outputs), next(engine.run_many([some], engine.outputs))
        assert np.array_equal(once.rows[..., ACCUMULATED], many.rows[..., ACCUMULATED], equal_nan=True)
    assert np.array_equal(engine.run(Plan()).rows, before.rows, equal_nan=True)
