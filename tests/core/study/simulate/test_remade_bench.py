"""A bench whose plan has steps that make another float model."""

from dataclasses import replace
from pathlib import Path

import pytest

from errorflow.quant.calibrate.saved import save_calibrations
from errorflow.quant.plan import FLOAT, Plan, Rule
from errorflow.quant.precision import Precision
from errorflow.quant.presets import preset
from errorflow.quant.steps import CorrectBiases, Equalize, Smooth
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.floated import floated
from errorflow.study.simulate.running import simulate
from remedied import Case, activated, bench_sqnr, feed, gated_case, pair

PLAN = preset("onnxruntime").plan
EVEN = Plan(weights=Precision("int8", symmetric=True))


@pytest.fixture
def ready(tmp_path: Path) -> Case:
    return Case.of(pair(activated("Relu"), 100.0), tmp_path, feed())


def test_it_suits_plans_with_the_same_steps_only(ready: Case) -> None:
    basis, plan = Basis(ready.asked), PLAN.with_step(Equalize())
    with floated(ready.path) as opened, Bench.open(opened, basis, plan) as bench:
        assert bench.suits(basis, plan.keeping_float("first"))
        assert bench.suits(basis, plan.with_step(CorrectBiases()))
        assert not bench.suits(basis, PLAN)
        assert not bench.suits(basis, plan.with_step(Smooth()))


def test_it_suits_whatever_stays_in_float_and_no_other_ranges(ready: Case) -> None:
    basis, floats = Basis(ready.asked), PLAN.keeping_float("first").with_tensor("any", FLOAT)
    with floated(ready.path) as opened, Bench.open(opened, basis, PLAN) as bench:
        assert bench.suits(basis, floats)
        assert bench.suits(basis, PLAN.with_bits(4, "first"))
        assert not bench.suits(replace(basis, method="mse"), floats)
        assert not bench.suits(basis, floats.with_rule(Rule(Precision(per_channel=True), names=("first",))))
        assert not bench.suits(basis, floats.with_tensor("other", Precision(per_channel=True)))


def test_nothing_is_left_of_its_model(ready: Case) -> None:
    with floated(ready.path) as opened:
        with Bench.open(opened, Basis(ready.asked), PLAN.with_step(Equalize())) as bench:
            assert bench.remade is not None
            file = bench.remade.model.path
            assert file.exists()
        assert not file.parent.exists()


def test_the_users_model_is_the_one_on_view(ready: Case) -> None:
    with floated(ready.path) as opened, Bench.open(opened, Basis(ready.asked), PLAN.with_step(Equalize())) as bench:
        assert bench.model.path == ready.path
        assert bench.engine.graph.tensor_names == bench.model.graph.tensor_names
        assert "the same but for" in bench.facts["float outputs"]


def test_ranges_that_were_saved_are_found_anew_where_they_changed(ready: Case, tmp_path: Path) -> None:
    with floated(ready.path) as opened, Bench.open(opened, Basis(ready.asked), EVEN) as bench:
        plain = bench.calibration
        save_calibrations(tmp_path / "ranges.json", [plain])
    basis, plan = Basis(ready.asked, calibration=tmp_path / "ranges.json"), EVEN.with_step(Equalize())
    with floated(ready.path) as opened, Bench.open(opened, basis, plan) as bench:
        ranges = bench.calibration.ranges
        assert ranges["x"] == plain.ranges["x"] and ranges["y"] == plain.ranges["y"]
        assert ranges["r1"].high < plain.ranges["r1"].high / 5
        assert bench_sqnr(bench, plan) > 20


def test_a_node_that_was_put_in_divides_in_float(tmp_path: Path) -> None:
    ready = gated_case(tmp_path)
    plan = PLAN.with_step(Smooth())
    with floated(ready.path) as opened, Bench.open(opened, Basis(ready.asked), plan) as bench:
        names = bench.engine.graph.tensor_names
        coded = {names[tensor] for tensor in bench.engine.assigned(plan).coded}
        assert "s_smoothed" in coded and not {"s", "s_smoothed_factors"} & coded
        found = simulate(bench.engine, plan, noise_samples=0)
        assert found.findings.blame is not None
        bench.engine.export(plan, tmp_path / "qdq.onnx")
    assert replace(plan, steps=()) == PLAN
