"""A simulation names what was planted into the samples, without their int8 models."""

from pathlib import Path

import numpy as np
import pytest

from errorflow.base.sample import SAMPLES, Sample
from errorflow.explain.blame.model import ModelVerdict
from errorflow.quant.plan import Plan
from errorflow.quant.presets import preset
from errorflow.study.simulate.outcome import Outcome
from errorflow.study.simulate.running import simulate, worst_sample
from planted_engines import EVALUATED, opened

BY_KEY = {sample.key: sample for sample in SAMPLES}


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    """Of each sample as ONNX Runtime quantizes by default, made when it is asked for."""
    return {}


def outcome(outcomes: dict[str, Outcome], key: str) -> Outcome:
    if key not in outcomes:
        with opened(BY_KEY[key]) as engine:
            outcomes[key] = simulate(engine, preset("onnxruntime").plan)
    return outcomes[key]


def verdict(found: Outcome, output: str) -> ModelVerdict:
    assert found.findings.blame is not None
    by_output = {found.findings.graph.tensor_names[tensor]: each for tensor, each in found.findings.blame.model.outputs}
    return by_output[output]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
def test_the_verdict_on_each_output_is_right(outcomes: dict[str, Outcome], sample: Sample) -> None:
    found = outcome(outcomes, sample.key)
    said = {output: verdict(found, output).kind for output in sample.truth().verdicts}
    assert said == dict(sample.truth().verdicts)


@pytest.mark.parametrize("key", ["node_fault", "loud_channel", "cosine_lies", "cosine_cries", "transformer"])
def test_the_node_that_was_harmed_brings_most(outcomes: dict[str, Outcome], key: str) -> None:
    found, truth = outcome(outcomes, key), BY_KEY[key].truth()
    bad = next(output for output, kind in truth.verdicts.items() if kind == "node error")
    names = found.findings.graph.node_names
    # A product and the activation behind it are one group: what is between them is in no chip.
    group = {name.removesuffix("/conv/Conv").removesuffix("/act/Relu") for name in truth.culprits}
    first = names[verdict(found, bad).top[0].node]
    assert first.removesuffix("/conv/Conv").removesuffix("/act/Relu") in group


def test_the_parts_of_each_nodes_error_add_up_to_it(outcomes: dict[str, Outcome]) -> None:
    blame = outcome(outcomes, "node_fault").findings.blame
    assert blame is not None
    known = blame.exact & (blame.accumulated > 0)
    assert known.all(), "each node was run once more"
    assert (blame.accumulated <= (blame.introduced + blame.inherited) * (1 + 1e-6))[known].all()
    assert (blame.accumulated >= np.abs(blame.introduced - blame.inherited) * (1 - 1e-6))[known].all()


def test_noise_of_single_groups_adds_up_where_they_are_independent(outcomes: dict[str, Outcome]) -> None:
    found = outcome(outcomes, "node_fault")
    assert found.noise is not None
    measured = float(found.noise.measured(0, found.table).dd)
    assert np.nansum(found.noise.powers[:, 0]) / measured == pytest.approx(1.0, abs=0.25)
    assert found.noise.shares(0).sum() == pytest.approx(1.0)


def test_a_node_in_float_with_its_neighbours_mends_the_model() -> None:
    sample = BY_KEY["node_fault"]
    plan = preset("onnxruntime").plan.keeping_float(*sample.truth().restoring_nodes)
    with opened(sample) as engine:
        found = simulate(engine, plan, noise_samples=0)
    assert verdict(found, "probabilities").kind == "good"
    assert found.noise is None


def test_the_worst_sample_is_the_one_with_the_least_sqnr(outcomes: dict[str, Outcome]) -> None:
    found = outcome(outcomes, "drift")
    errors = [found.table.sums("probabilities", place) for place in range(EVALUATED)]
    worst = max(range(EVALUATED), key=lambda at: _relative_power(errors[at]))
    assert found.worst_sample == found.table.samples[worst]
    assert worst_sample(found.table, ["nothing"]) == -1


def _relative_power(sums: object) -> float:
    return float(sums.dd) / float(sums.rr)  # type: ignore[attr-defined]  # `Sums`, since all samples were measured


def test_nothing_coded_is_no_error(tmp_path: Path) -> None:
    with opened(BY_KEY["clean"]) as engine:
        found = simulate(engine, Plan("float", "float"))
    assert found.noise is not None and not found.noise.sources
    assert {row.value("relative_l2") for row in found.comparison.rows} == {0.0}
    assert verdict(found, "probabilities").kind == "good"
