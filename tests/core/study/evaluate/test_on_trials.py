"""Runs on labelled sets, beside what numpy and ONNX Runtime say of the same."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from errorflow.base.errors import ErrorflowError, FileError, FormatError, UsageError
from errorflow.base.sample import SAMPLES
from errorflow.quant.presets import preset
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.evaluate.asked import LabelledSet
from errorflow.study.evaluate.evaluator import EvaluatorError
from errorflow.study.evaluate.labelled_set import LabelledSummary, seen
from errorflow.study.evaluate.on_trials import MADE_UP, ORIGINAL, evaluate_trials
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.floated import floated
from errorflow.study.simulate.trial import Trial
from labelled_sets import (
    COUNT,
    NODE_FAULT,
    RAISES,
    classes,
    evaluator_file,
    folder_per_class,
    images,
    labels_file,
    samples_file,
)
from search_benches import CULPRIT, node_fault, opened

PLAN = preset("onnxruntime").plan
TWO_OUTPUTS = next(sample for sample in SAMPLES if sample.key == "cosine_cries")


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with node_fault() as opened_bench:
        yield opened_bench


@pytest.fixture
def runs(bench: Bench) -> tuple[Trial, Trial]:
    """As it is planned, which ruins it, and with the culprit in float."""
    return Trial("Run 1", bench.plan, bench.basis), Trial("Run 2", bench.plan.keeping_float(CULPRIT), bench.basis)


def float_ranks(labels: list[int]) -> list[int]:
    session = onnxruntime.InferenceSession(NODE_FAULT.model)
    name = session.get_inputs()[0].name
    scores = [session.run(None, {name: image[np.newaxis]})[0].reshape(-1) for image in images()]
    orders = [np.argsort(-each, kind="stable").tolist() for each in scores]
    return [order.index(label) for order, label in zip(orders, labels, strict=True)]


def test_labels_in_a_file_are_counted_beside_the_float_model(
    bench: Bench, runs: tuple[Trial, Trial], tmp_path: Path
) -> None:
    asked = LabelledSet((str(samples_file(tmp_path)),), labels_file(tmp_path, classes()))
    told = evaluate_trials(bench, runs, asked, tmp_path)
    found, ranks = told.evaluation, float_ranks(classes())
    (hits,) = found.original.hits.values()
    assert [(each.k, each.right) for each in hits] == [(k, sum(rank < k for rank in ranks)) for k in (1, 5)]
    assert found.original.name == ORIGINAL and [run.name for run in found.runs] == ["Run 1", "Run 2"]
    ruined, cured = (next(iter(run.hits.values()))[0].share for run in found.runs)
    assert ruined < 0.5 < cured
    assert told.trials == runs and not told.failed
    assert told.about == f"{COUNT} samples of samples.npz; labels in labels.txt"
    assert str(tmp_path) not in told.about


def test_a_folder_per_class_is_what_is_right_unless_that_is_not_wanted(
    bench: Bench, runs: tuple[Trial, Trial], tmp_path: Path
) -> None:
    asked = LabelledSet((str(folder_per_class(tmp_path)),))
    assert seen(bench, asked) == LabelledSummary(COUNT, len(set(classes())))
    told = evaluate_trials(bench, runs[1:], asked, tmp_path)
    (hits,) = told.evaluation.original.hits.values()
    assert hits[0].right == sum(rank == 0 for rank in float_ranks(classes()))
    assert told.about.endswith("a folder per class")
    agreement = evaluate_trials(bench, runs[1:], replace(asked, by_folder=False), tmp_path)
    (hits,) = agreement.evaluation.original.hits.values()
    assert hits[0].right == COUNT and agreement.identity != told.identity
    assert agreement.about.endswith("right is what the float model answers")


def test_labels_without_names_and_a_folder_per_class_do_not_go_together(bench: Bench, tmp_path: Path) -> None:
    asked = LabelledSet((str(folder_per_class(tmp_path)),), labels_file(tmp_path, classes()))
    with pytest.raises(UsageError, match="do not say of which samples they are"):
        seen(bench, asked)


def test_labels_of_the_simulation_are_those_of_all_its_samples(bench: Bench, tmp_path: Path) -> None:
    """Those that calibrate come first, and are not evaluated."""
    few = LabelledSet(labels=labels_file(tmp_path, [3] * bench.evaluated.count))
    with pytest.raises(UsageError) as told:
        seen(bench, few)
    assert "the first 8 calibrate" in told.value.hint
    labels_file(tmp_path, [3] * (8 + bench.evaluated.count))
    assert seen(bench, few) == LabelledSummary(bench.evaluated.count)


def test_an_own_measure_stands_beside_the_counts(bench: Bench, runs: tuple[Trial, Trial], tmp_path: Path) -> None:
    data, own = (str(samples_file(tmp_path)),), evaluator_file(tmp_path)
    both = evaluate_trials(bench, runs, LabelledSet(data, labels_file(tmp_path, classes()), evaluator=own), tmp_path)
    alone = evaluate_trials(bench, runs, LabelledSet(data, evaluator=own), tmp_path)
    counted = evaluate_trials(bench, runs, LabelledSet(data, tmp_path / "labels.txt"), tmp_path)
    assert [run.value for run in both.evaluation.runs] == [run.value for run in alone.evaluation.runs]
    assert [run.hits for run in both.evaluation.runs] == [run.hits for run in counted.evaluation.runs]
    assert not alone.evaluation.original.hits and both.evaluation.evaluator == "sure.py"
    assert both.identity == counted.identity and both.evaluator and not counted.evaluator
    judged = [run.judgement.good for run in both.evaluation.runs if run.judgement is not None]
    assert judged == [False, True] and both.higher_is_better


def test_an_evaluator_may_look_at_outputs_that_are_no_scores(tmp_path: Path) -> None:
    own = evaluator_file(tmp_path, "def evaluate(run):\n    return float(len(run.outputs(0)))\n" + _ALWAYS)
    with opened(TWO_OUTPUTS.model, TWO_OUTPUTS.calibration, calibrate_on=56) as bench:
        runs = (Trial("Run 1", bench.plan, bench.basis),)
        labels = labels_file(tmp_path, [0] * 64)
        for output in bench.engine.outputs:
            asked = LabelledSet(labels=labels, evaluator=own, output=output)
            told = evaluate_trials(bench, runs, asked, tmp_path)
            assert list(told.evaluation.original.hits) == [output] and told.evaluation.original.value == 2.0
            assert f"answers of {output}" in told.about
        with pytest.raises(UsageError, match="has no output nothing"):
            evaluate_trials(bench, runs, replace(asked, output="nothing"), tmp_path)


_FAILS_ON_THE_SECOND = """
CALLS = []

def evaluate(run):
    CALLS.append(run)
    if len(CALLS) == 2:
        raise ValueError("not this one")
    return 1.0

"""
_ALWAYS = "def good_enough(original, new):\n    return True, 0.0\n"


def test_what_an_evaluator_ends_in_is_told_with_its_line(
    bench: Bench, runs: tuple[Trial, Trial], tmp_path: Path
) -> None:
    with pytest.raises(EvaluatorError, match=r"in line 3 of sure\.py: ValueError: the weather is bad"):
        evaluate_trials(bench, runs, LabelledSet(evaluator=evaluator_file(tmp_path, RAISES)), tmp_path)


def test_a_run_on_other_ranges_has_a_bench_of_its_own(bench: Bench, runs: tuple[Trial, Trial], tmp_path: Path) -> None:
    other = Trial("Run 3", runs[1].plan, replace(bench.basis, method="percentile"))
    told = evaluate_trials(bench, (runs[1], other), LabelledSet((str(samples_file(tmp_path)),)), tmp_path)
    assert [run.name for run in told.evaluation.runs] == ["Run 2", "Run 3"]


def test_a_run_whose_samples_are_gone_does_not_hide_the_others(
    bench: Bench, runs: tuple[Trial, Trial], tmp_path: Path
) -> None:
    lost = Trial("Lost", runs[1].plan, Basis(SampleSpec((str(tmp_path / "gone.npz"),))))
    asked = LabelledSet((str(samples_file(tmp_path)),))
    told = evaluate_trials(bench, (lost, runs[1]), asked, tmp_path)
    assert told.trials == runs[1:] and len(told.evaluation.runs) == 1
    (failed,) = told.failed
    assert failed.message.startswith("Lost: There is no data at") and failed.hint
    with pytest.raises(FileError):
        evaluate_trials(bench, (lost,), asked, tmp_path)


def test_a_run_that_the_evaluator_fails_on_does_not_hide_the_others(
    bench: Bench, runs: tuple[Trial, Trial], tmp_path: Path
) -> None:
    own = evaluator_file(tmp_path, _FAILS_ON_THE_SECOND + _ALWAYS)
    told = evaluate_trials(bench, runs, LabelledSet(evaluator=own), tmp_path)
    assert told.trials == runs[1:] and told.evaluation.runs[0].value == 1.0
    (failed,) = told.failed
    assert failed.message.startswith("Run 1: The evaluator failed in line 7 of sure.py: ValueError: not this one")


def test_samples_that_are_made_up_say_so(tmp_path: Path) -> None:
    with floated(NODE_FAULT.model) as model, Bench.open(model, Basis(SampleSpec(seed=1, count=8)), PLAN) as bench:
        told = evaluate_trials(bench, (Trial("Run 1", PLAN, bench.basis),), LabelledSet(), tmp_path)
        assert MADE_UP in told.evaluation.notes and seen(bench, LabelledSet()).made_up


@pytest.mark.parametrize(
    ("asked", "kind", "said"),
    [
        (LabelledSet(("nowhere",)), FileError, "There is no data at nowhere"),
        (LabelledSet(labels=Path("nowhere.txt")), FileError, "nowhere.txt"),
        (LabelledSet(labels=Path(__file__)), FormatError, "test_on_trials.py"),
    ],
)
def test_what_is_not_there_is_told_before_anything_runs(
    bench: Bench, asked: LabelledSet, kind: type[ErrorflowError], said: str
) -> None:
    with pytest.raises(kind, match=said):
        seen(bench, asked)
