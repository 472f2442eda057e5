"""Verdicts on the built-in sample, whose truth is known: right on every output, estimated and exact."""

from functools import cache

import numpy as np
import pytest

from errorflow.base.sample import SAMPLES, Sample
from errorflow.compare import compare
from errorflow.compare.pairs import match_by_name
from errorflow.explain.blame.combine import combine
from errorflow.explain.blame.estimate import blame
from errorflow.explain.blame.front import ends
from errorflow.explain.blame.model import Blame, Verdict
from errorflow.formats import read_model, read_tensors
from exact_parts import exact_parts

each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
single = pytest.mark.parametrize(
    "sample", [sample for sample in SAMPLES if sample.key not in ("drift", "clean")], ids=lambda sample: sample.key
)


@cache
def found(sample: Sample) -> Blame:
    comparison = compare(read_tensors(sample.reference_run), read_tensors(sample.candidate_run), workers=1)
    return blame(read_model(sample.model).graph, comparison)


def culprits(sample: Sample) -> set[str]:
    """The planted nodes, and those that make the tensors whose scale is to blame."""
    graph, truth = found(sample).graph, sample.truth()
    makers = {graph.producers[graph.tensor_names.index(name)] for name in truth.restoring_tensors}
    return {*truth.culprits, *(graph.node_names[maker] for maker in makers)}


@cache
def exact(sample: Sample) -> Blame:
    match = match_by_name(read_tensors(sample.reference_run), read_tensors(sample.candidate_run))
    return combine(found(sample), exact_parts(sample.model, found(sample).graph, match))


@each_sample
def test_each_output_has_its_right_verdict(sample: Sample) -> None:
    graph = found(sample).graph
    outputs = {graph.tensor_names[tensor]: verdict.kind for tensor, verdict in found(sample).model.outputs}

    assert outputs == dict(sample.truth().verdicts)


@each_sample
def test_exact_results_come_to_the_same_verdicts(sample: Sample) -> None:
    graph = found(sample).graph
    outputs = {graph.tensor_names[tensor]: verdict.kind for tensor, verdict in exact(sample).model.outputs}

    assert outputs == dict(sample.truth().verdicts)
    assert "estimated" not in exact(sample).model.text


@single
def test_exact_results_name_the_same_culprit(sample: Sample) -> None:
    top = exact(sample).model.top[0]

    assert top.node == found(sample).model.top[0].node
    assert exact(sample).verdict(top.node) is Verdict.ORIGIN


@single
def test_a_single_culprit_is_named_first(sample: Sample) -> None:
    top = found(sample).model.top[0]

    assert found(sample).graph.node_names[top.node] in culprits(sample)
    assert top.share > 0.8
    assert found(sample).verdict(top.node) is Verdict.ORIGIN


@single
def test_the_front_begins_at_the_culprit(sample: Sample) -> None:
    names = found(sample).graph.node_names

    assert {names[node] for node in ends(found(sample)).tolist()} <= culprits(sample)


def test_every_origin_of_the_drift_was_planted() -> None:
    sample = next(sample for sample in SAMPLES if sample.key == "drift")
    names = found(sample).graph.node_names
    origins = {names[node] for node in np.flatnonzero(found(sample).verdicts == Verdict.ORIGIN).tolist()}

    assert len(origins) >= 4
    assert origins <= culprits(sample)


def test_nobody_is_to_blame_in_the_healthy_twin() -> None:
    sample = next(sample for sample in SAMPLES if sample.key == "clean")

    assert Verdict.ORIGIN not in found(sample).verdicts
    assert not found(sample).front.any()
    assert [advice.key for advice in found(sample).model.advice] == ["healthy"]


@pytest.mark.parametrize(
    ("key", "advice"),
    [("loud_channel", "loud channel"), ("cosine_cries", "other outputs"), ("drift", "accumulated error")],
)
def test_the_advice_fits(key: str, advice: str) -> None:
    sample = next(sample for sample in SAMPLES if sample.key == key)

    assert advice in [row.key for row in found(sample).model.advice]
