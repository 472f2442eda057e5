"""A simulation says whether weights or activations bring the error, and advises what helps that side."""

from dataclasses import replace
from math import inf, nan
from pathlib import Path

import numpy as np
import onnx
import pytest

from errorflow.explain.blame.advice import advice_for
from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.presets import preset
from errorflow.run.engine.engine import Engine
from errorflow.study.simulate.outcome import Outcome
from errorflow.study.simulate.running import advised, simulate
from errorflow.study.simulate.sides import Sides, sides_of
from planted_faults import FAMILIES, planted
from rerun_nets import calibration, case, every_tensor

PLAN = preset("onnxruntime").plan
BY_KEY = {family.key: family for family in FAMILIES}


def simulated(family: str, folder: Path) -> Outcome:
    case = planted(BY_KEY[family], "mobile", 1, True)
    path = folder / "model.onnx"
    onnx.save(case.model, path)
    samples = [case.base.fed(one) for one in case.base.samples[:4]]
    runs = tuple(sample | every_tensor(case.model, sample) for sample in samples)
    with Engine(path, samples, calibration(runs)) as engine:
        return simulate(engine, PLAN)


@pytest.mark.parametrize(
    ("weights", "activations", "both", "most"),
    [
        (0.7, 0.3, 0.76, "weights"),
        (0.02, 0.4, 0.4, "activations"),
        # Both have a share that would be missed.
        (0.3, 0.3, 0.42, None),
        # Each alone is enough to lose all of it.
        (1.0, 1.0, 1.0, None),
        # Only both together do harm.
        (0.01, 0.01, 0.5, None),
        (0.0, 0.0, 0.0, None),
        (inf, 0.1, inf, None),
        (nan, 0.1, 0.5, None),
    ],
)
def test_a_side_leads_when_half_of_the_error_goes_with_it(
    weights: float, activations: float, both: float, most: str | None
) -> None:
    assert Sides(weights, activations, both).most == most


@pytest.mark.parametrize(("family", "side"), [("loud weights", "Weights"), ("loud channel", "Activations")])
def test_the_verdict_names_the_side_that_was_harmed(family: str, side: str, tmp_path: Path) -> None:
    found = simulated(family, tmp_path)
    blame = found.findings.blame
    assert blame is not None
    assert f"{side} bring most of it: weights alone bring a relative error of " in blame.model.text


def test_a_good_output_is_not_asked(tmp_path: Path) -> None:
    proto = case("plain", tmp_path)
    with Engine(proto.path, proto.samples, proto.calibration) as engine:
        found = simulate(engine, Plan().with_bits(16, "*"))
    assert found.findings.blame is not None and found.findings.blame.model.kind == "good"
    assert not found.sides


@pytest.mark.parametrize("plan", [replace(PLAN, weights=FLOAT), replace(PLAN, activations=FLOAT)])
def test_where_one_side_is_in_float_there_is_no_question(plan: Plan, tmp_path: Path) -> None:
    found = case("plain", tmp_path)
    with Engine(found.path, found.samples, found.calibration) as engine:
        assert sides_of(engine, plan, engine.outputs) == {}


def test_each_side_alone_is_what_a_plan_of_it_alone_does(tmp_path: Path) -> None:
    found = case("plain", tmp_path)
    with Engine(found.path, found.samples, found.calibration) as engine:
        [output] = engine.outputs
        sides = sides_of(engine, PLAN, [output])[output]
        whole, weights, activations = (
            simulate(engine, plan, noise_samples=0).comparison.row(output)
            for plan in (PLAN, replace(PLAN, activations=FLOAT), replace(PLAN, weights=FLOAT))
        )
    assert whole is not None and weights is not None and activations is not None
    assert sides.both == pytest.approx(whole.value("relative_l2"), rel=1e-6)
    assert sides.weights == pytest.approx(weights.value("relative_l2"), rel=1e-6)
    assert sides.activations == pytest.approx(activations.value("relative_l2"), rel=1e-6)


@pytest.mark.parametrize(
    ("sides", "plan", "words"),
    [
        (Sides(0.7, 0.2, 0.75), PLAN, "Make weights of layers"),
        (Sides(0.7, 0.2, 0.75), preset("onnxruntime-x86").plan, "correct biases"),
        (Sides(0.2, 0.7, 0.75), PLAN, "another calibration method"),
        (Sides(0.5, 0.5, 0.7), PLAN, advice_for({"accumulated error"})[0].text),
    ],
)
def test_the_advice_on_many_small_errors_is_for_that_side(sides: Sides, plan: Plan, words: str, tmp_path: Path) -> None:
    found = case("plain", tmp_path)
    with Engine(found.path, found.samples, found.calibration) as engine:
        outcome = simulate(engine, plan, noise_samples=0)
        [output] = engine.outputs
    blame = outcome.findings.blame
    assert blame is not None
    [tensor] = blame.graph.outputs.tolist()
    verdict = replace(blame.model, kind="accumulated error", text="Many.", outputs=())
    model = replace(verdict, advice=advice_for({"accumulated error"}), outputs=((tensor, verdict),))
    said = advised(replace(blame, model=model), outcome.assigned, outcome.table, {output: sides}, {})
    [row] = said.model.advice
    assert words in row.text
    assert said.model.text == f"Many. {sides.text}"


def test_of_probabilities_the_answers_are_counted_too(tmp_path: Path) -> None:
    found = simulated("loud weights", tmp_path)
    [sides] = found.sides.values()
    assert np.isfinite([sides.weights, sides.activations]).all()
    counted = bool(found.answers)
    assert all(("answers" in said) == counted for said in sides.said)
