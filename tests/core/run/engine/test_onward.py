"""Rankings run what lies behind a few codes in few sessions: the numbers depend on nothing but plan and sample."""

import numpy as np
import pytest

from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.precision import Precision
from errorflow.quant.units import units_of
from errorflow.run.engine.engine import Budget, Engine
from errorflow.run.engine.rows import ACCUMULATED, Doubles
from errorflow.study.simulate.noise import alone, sources_of
from rerun_nets import ALL, Opened, case

BYTES = Precision("uint8")


def plans(engine: Engine) -> list[Plan]:
    """With each group alone."""
    assigned = engine.assigned(Plan())
    sources = sources_of(engine.graph, assigned, units_of(engine.graph))
    return [alone(Plan(), assigned, engine.graph, source) for source in sources]


def ranked(engine: Engine, asked: list[Plan], names: tuple[str, ...], samples: list[int]) -> list[Doubles]:
    tables = engine.run_many(asked, names, samples, exactly=False)
    places = [place for place, name in enumerate(engine.tensors) if name in names]
    return [table.rows[:, places, ACCUMULATED] for table in tables]


def equal(one: list[Doubles], other: list[Doubles]) -> bool:
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("name", ["residual", "branches", "locator", "crossing"])
def test_neither_order_nor_company_changes_a_number(name: str, opened: Opened) -> None:
    _, engine = opened(name)
    asked, names = plans(engine), engine.outputs
    found = ranked(engine, asked, names, [0, 1])
    assert equal(found, ranked(engine, asked[::-1], names, [0, 1])[::-1])
    # One sample after the other, and each plan in a call of its own.
    assert equal([rows[1:] for rows in found], ranked(engine, asked, names, [1]))
    assert equal(found[:4], [ranked(engine, [plan], names, [0, 1])[0] for plan in asked[:4]])


@pytest.mark.parametrize("threads", [2, 4])
def test_threads_change_no_number(threads: int, opened: Opened) -> None:
    net, engine = opened("branches")
    found = ranked(engine, plans(engine), engine.outputs, [0, 1])
    with Engine(net.path, net.samples, net.calibration, Budget(segments=5, threads=threads)) as other:
        assert equal(found, ranked(other, plans(other), other.outputs, [0, 1]))


def test_little_memory_changes_no_number(opened: Opened) -> None:
    net, engine = opened("residual")
    found = ranked(engine, plans(engine), engine.outputs, [0, 1])
    with Engine(net.path, net.samples, net.calibration, Budget(memory=0, disk=0, segments=5)) as other:
        assert equal(found, ranked(other, plans(other), other.outputs, [0, 1]))


@pytest.mark.parametrize("name", ALL)
def test_tensors_inside_are_told_as_outputs_are(name: str, opened: Opened) -> None:
    _, engine = opened(name)
    inside = tuple(engine.tensors[:: max(1, len(engine.tensors) // 6)])
    for plan in plans(engine)[::5]:
        exact = engine.run(plan, inside)
        found = next(engine.run_many([plan], inside, exactly=False))
        for sample in range(2):
            for tensor in inside:
                one, other = exact.sums(tensor, sample), found.sums(tensor, sample)
                assert (one is None) == (other is None)
                if one is not None and other is not None:
                    assert float(other.dd) == pytest.approx(float(one.dd), rel=0.012)


def test_what_codes_do_not_reach_has_no_error_at_all(opened: Opened) -> None:
    _, engine = opened("branches")
    early, late = engine.tensors[1], engine.tensors[-1]
    found = next(engine.run_many([Plan(FLOAT, FLOAT, tensors=((late, BYTES),))], [early, late], exactly=False))
    powers = [float(sums.dd) for name in (early, late) if (sums := found.sums(name, 0)) is not None]
    assert powers[0] == 0 < powers[1]


def test_a_plan_that_codes_all_is_exact(opened: Opened) -> None:
    _, engine = opened("residual")
    exact = engine.run(Plan(), engine.outputs)
    found = next(engine.run_many([Plan()], engine.outputs, exactly=False))
    assert np.array_equal(exact.rows[..., ACCUMULATED], found.rows[..., ACCUMULATED], equal_nan=True)


def test_codes_of_an_input_are_ranked(tmp_path_factory: pytest.TempPathFactory) -> None:
    net = case("residual", tmp_path_factory.mktemp("input"))
    name = next(iter(net.samples[0]))
    plan = Plan(FLOAT, FLOAT, tensors=((name, BYTES),))
    with Engine(net.path, net.samples, net.calibration, Budget(segments=5)) as engine:
        names = (name, *engine.outputs)
        exact, found = engine.run(plan, names), next(engine.run_many([plan], names, exactly=False))
        for tensor in names:
            one, other = exact.sums(tensor, 0), found.sums(tensor, 0)
            assert one is not None and other is not None
            assert float(other.dd) == pytest.approx(float(one.dd), rel=0.012) != 0
