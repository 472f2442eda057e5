"""What is kept of a simulation: numbers of the outputs over samples, and what is in float."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from errorflow.base.sample import SAMPLES
from errorflow.compare.metrics import METRICS
from errorflow.quant.plan import Plan
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.floated import floated
from errorflow.study.simulate.running import simulate
from errorflow.study.simulate.trial import Trial
from errorflow.study.simulate.trying import cost_of, trial_of, weights_of

SAMPLE = next(sample for sample in SAMPLES if sample.key == "node_fault")
BASIS = Basis(SampleSpec((str(SAMPLE.calibration),)), samples=12)
CULPRIT = "/block2/project/conv/Conv"


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with floated(Path(SAMPLE.model)) as model, Bench.open(model, BASIS) as opened:
        yield opened


def tried(bench: Bench, plan: Plan) -> Trial:
    return trial_of("Run 1", simulate(bench.engine, plan, noise_samples=0), bench)


def test_each_output_has_its_numbers_over_all_samples(bench: Bench) -> None:
    outcome = simulate(bench.engine, bench.plan, noise_samples=0)
    trial = trial_of("Run 1", outcome, bench)
    assert (trial.first, trial.count) == (bench.evaluated.first, bench.evaluated.count)
    for output in bench.engine.outputs:
        row = next(row for row in outcome.comparison.rows if row.tensor == output)
        assert trial.outputs[output]["sqnr"] == row.value("sqnr")
        for metric in METRICS:
            found = sorted(
                (metric.of(sums) for place in range(trial.count) if (sums := outcome.table.sums(output, place))),
                reverse=not metric.higher_is_better,
            )
            assert trial.worsts[output][metric.key] == found[0]
            assert trial.medians[output][metric.key] == found[(len(found) - 1) // 2]


def test_what_is_in_float_is_counted(bench: Bench) -> None:
    plain, kept = tried(bench, bench.plan), tried(bench, bench.plan.keeping_float(CULPRIT))
    assert plain.tensors == kept.tensors == len(bench.engine.tensors)
    assert kept.float_tensors > plain.float_tensors
    assert (plain.float_weights, kept.float_weights) == (0, 1)
    wide = tried(bench, bench.plan.with_bits(16, CULPRIT))
    assert (wide.wide_weights, wide.float_weights) == (1, 0)
    assert wide.wide_tensors > 0 and plain.wide_tensors == 0
    assert plain.weight_bytes < wide.weight_bytes < kept.weight_bytes


def test_weights_take_what_their_bits_say(bench: Bench) -> None:
    graph = bench.engine.graph
    sizes = [
        int(np.prod([dim for dim in graph.shapes[tensor] or () if isinstance(dim, int)]))
        for tensor in weights_of(graph)
    ]
    cost = cost_of(graph, bench.engine.assigned(Plan("float", "float")), bench.engine.tensors)
    assert cost.weight_bytes == 4 * sum(sizes)
    assert cost.float_tensors == cost.tensors == len(bench.engine.tensors)
    assert cost_of(graph, bench.engine.assigned(bench.plan), bench.engine.tensors).weight_bytes == sum(sizes)


def test_what_was_to_be_coded_and_is_not_is_float(bench: Bench) -> None:
    graph, assigned = bench.engine.graph, bench.engine.assigned(bench.plan)
    names = [graph.tensor_names[tensor] for tensor in assigned.activations]
    assert cost_of(graph, assigned, names).float_tensors == 0
    assert cost_of(graph, assigned, names, names[:2]).float_tensors == 2


def test_trials_are_comparable_on_the_same_samples_only(bench: Bench) -> None:
    trial = tried(bench, bench.plan)
    others = (
        Trial("b", trial.plan, Basis(SampleSpec(("other.npz",))), first=trial.first, count=trial.count),
        Trial("c", trial.plan, trial.basis, first=trial.first, count=trial.count + 1),
    )
    assert trial.is_on_samples_of(trial)
    assert not any(trial.is_on_samples_of(other) for other in others)
