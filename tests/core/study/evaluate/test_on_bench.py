"""Evaluators by outputs and by labels, beside what numpy says of the same values."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from errorflow.base.errors import UsageError
from errorflow.base.progress import SILENT
from errorflow.quant.plan import Plan
from errorflow.run.engine.table import Table
from errorflow.study.evaluate.asking import MeasureGoal, evaluator_of, resolution
from errorflow.study.evaluate.labels import Labels
from errorflow.study.evaluate.model import AcceptRule
from errorflow.study.evaluate.on_labels import answer_of, rank_of
from errorflow.study.evaluate.on_outputs import of_outputs
from errorflow.study.simulate.bench import Bench
from search_benches import CULPRIT, node_fault

OUTPUT = "probabilities"


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with node_fault() as opened:
        yield opened


def values(bench: Bench, plan: Plan | None) -> np.ndarray:
    found = [bench.engine.values(plan, [OUTPUT], sample)[OUTPUT].reshape(-1) for sample in range(bench.engine.samples)]
    return np.array(found, np.float64)


def answers(bench: Bench, measured: MeasureGoal, *plans: Plan) -> list[float]:
    evaluator = evaluator_of(bench, measured, Path())
    evaluator.original(SILENT)
    return [answer.value for answer in evaluator.answers(plans, SILENT)]


@pytest.mark.parametrize("over", ["pooled", "mean", "worst"])
def test_metrics_are_of_all_samples(bench: Bench, over: str) -> None:
    golden, mine = values(bench, None), values(bench, bench.plan)
    by_sample = np.sqrt(((mine - golden) ** 2).sum(axis=1) / (golden**2).sum(axis=1))
    pooled = np.sqrt(((mine - golden) ** 2).sum() / (golden**2).sum())
    wanted = {"pooled": pooled, "mean": by_sample.mean(), "worst": by_sample.max()}[over]
    measured = MeasureGoal("relative_l2", AcceptRule("bound", 0.1), over=over)  # type: ignore[arg-type]  # one of them
    assert answers(bench, measured, bench.plan)[0] == pytest.approx(wanted, rel=1e-6)


def test_the_largest_error_is_that_of_any_sample(bench: Bench) -> None:
    wanted = np.abs(values(bench, None) - values(bench, bench.plan)).max()
    found = answers(bench, MeasureGoal("max_absolute_error", AcceptRule("bound", 0.1)), bench.plan)
    assert found[0] == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("k", [1, 3])
def test_top_k_counts_labels_among_the_first_answers(bench: Bench, k: int) -> None:
    labels = np.random.default_rng(k).integers(0, 10, 64)
    part = labels[bench.evaluated.first :]
    order = np.argsort(-values(bench, bench.plan), axis=1, kind="stable")[:, :k]
    wanted = np.mean([label in row for label, row in zip(part, order, strict=True)])
    measured = MeasureGoal(f"top{k}", AcceptRule("drop", 0.5), labels=Labels(tuple(labels.tolist())))
    assert answers(bench, measured, bench.plan)[0] == wanted


def test_agreement_is_with_the_first_answer_in_float(bench: Bench) -> None:
    kept = bench.plan.keeping_float(CULPRIT)
    golden = values(bench, None).argmax(axis=1)
    wanted = [float(np.mean(golden == values(bench, plan).argmax(axis=1))) for plan in (bench.plan, kept)]
    assert answers(bench, MeasureGoal("agreement", AcceptRule("drop", 0.01)), bench.plan, kept) == wanted


@given(
    arrays(np.float32, st.integers(2, 12), elements=st.floats(-2, 2, width=16)), st.integers(0, 11), st.integers(0, 11)
)
def test_ranks_are_places_in_a_stable_order(scores: np.ndarray, label: int, nothing: int) -> None:
    label %= scores.size
    assert rank_of(scores, label) == np.argsort(-scores, kind="stable").tolist().index(label)
    assert rank_of(scores, answer_of(scores)) == 0
    scores[nothing % scores.size] = np.nan
    assert rank_of(scores, nothing % scores.size) == scores.size
    assert answer_of(scores) != nothing % scores.size or answer_of(scores) == -1


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        (MeasureGoal("top1", AcceptRule("drop", 0.1)), "needs the right answer of each sample"),
        (MeasureGoal("top1", None), "Nothing says what is good enough"),
        (MeasureGoal("nonsense", AcceptRule("bound", 1)), "There is no metric nonsense"),
        (MeasureGoal("sqnr", AcceptRule("drop", 3)), "is without end"),
        (MeasureGoal("relative_l2", AcceptRule("relative", 0.1)), "no share of it can be lost"),
        (MeasureGoal("cosine", AcceptRule("bound", 0.9), outputs=("nothing",)), "has no output nothing"),
        (MeasureGoal("top1", AcceptRule("drop", 0.1), labels=Labels((1, 2))), "2 labels for 64 samples"),
    ],
)
def test_what_does_not_go_together_is_told(bench: Bench, measured: MeasureGoal, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        evaluator_of(bench, measured, Path())


def test_a_label_that_the_model_does_not_know_is_told(bench: Bench) -> None:
    measured = MeasureGoal("top1", AcceptRule("drop", 0.1), labels=Labels((10,) * 64))
    with pytest.raises(UsageError, match="a label 10, and the model knows 10 classes"):
        answers(bench, measured, bench.plan)


def tables(bench: Bench) -> tuple[Table, Table]:
    """Of the plan, and of one that quantizes nothing."""
    plans = [bench.plan, bench.plan.keeping_float("*")]
    samples = range(bench.engine.samples)
    one, other = bench.engine.run_many(plans, [OUTPUT], samples, exactly=True, text="", progress=SILENT)
    return one, other


def test_a_sample_without_any_error_does_not_make_a_mean_of_sqnr_good(bench: Bench) -> None:
    measured, perfect = tables(bench)
    evaluator = of_outputs(bench, "sqnr", AcceptRule("bound", 60.0), over="mean")
    wanted = measured.column(evaluator.metric)[1:, measured.places[OUTPUT]].mean()
    mixed = replace(measured, rows=np.concatenate([perfect.rows[:1], measured.rows[1:]]))
    assert evaluator.of(mixed) == pytest.approx(wanted)


def test_a_mean_of_sqnr_without_any_error_is_without_end(bench: Bench) -> None:
    assert of_outputs(bench, "sqnr", AcceptRule("bound", 60.0), over="mean").of(tables(bench)[1]) == np.inf


def test_so_few_samples_that_a_small_loss_cannot_be_seen_are_told(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def evaluate(run):\n    return 1.0\n", "utf-8")
    counted = evaluator_of(bench, MeasureGoal("agreement", AcceptRule("drop", 0.01)), tmp_path)
    own = evaluator_of(bench, MeasureGoal(file=tmp_path / "mine.py", rule=AcceptRule("drop", 0.01)), tmp_path)
    outputs = evaluator_of(bench, MeasureGoal("cosine", AcceptRule("bound", 0.9)), tmp_path)
    assert resolution(bench, counted, 1.0).startswith("56 samples tell the share to within 3.2%; to see a loss of 1 %")
    assert resolution(bench, own, 1.0).startswith("56 samples are evaluated: 1% of them is less than one.")
    assert resolution(bench, outputs, 1.0) == ""
