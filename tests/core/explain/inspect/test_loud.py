"""One loud channel is recognised, and blamed on the node that makes it."""

from collections.abc import Callable

import numpy as np
import pytest

from errorflow.base.sample import SAMPLES
from errorflow.compare import compare_match
from errorflow.compare.match.by_quantized import match_quantized
from errorflow.compare.match.model import Match, Pair
from errorflow.explain.findings.model import Findings
from errorflow.explain.inspect.channels import LoudChannel, axes, born_at, channel_view, loud_channel
from errorflow.explain.inspect.choices import default_choice, node_choices, tensor_choice
from errorflow.explain.inspect.grid import Grid
from errorflow.explain.inspect.look import look
from errorflow.formats import read_model, read_tensors
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.graph.qparams import QParams
from evidence_tensors import Held, Opened, both

CULPRIT = "/block2/depthwise/conv/Conv"
VICTIM = "/block2/project/conv/Conv"


def test_the_sample_names_the_producer_of_its_loud_channel(sample: Callable[[str], Opened]) -> None:
    opened = sample("loud_channel")
    graph = opened.graph
    choice = tensor_choice(graph, opened.tensor("/block2/depthwise/act/Relu_output_0"), opened.findings, opened.match)
    found = look(choice, graph, opened.findings, opened.match)
    assert found.loud is not None and found.loud.scale == pytest.approx(6000 / 255)
    assert found.loud.ratio > 400 and found.loud.steps < 1 and found.loud.lost == 7
    assert found.born is not None and graph.node_names[found.born.node] == CULPRIT
    assert f"Channel {found.loud.channel} is 499 times as loud" in found.loud.text


def test_a_sequence_has_its_channels_at_the_end(sample: Callable[[str], Opened]) -> None:
    """The built-in transformer: SmoothQuant backwards, one feature of a norm outgrows the others."""
    opened = sample("transformer")
    name = "/encoder/norm1/LayerNormalization"
    choice = tensor_choice(opened.graph, opened.tensor(f"{name}_output_0"), opened.findings, opened.match)
    found = look(choice, opened.graph, opened.findings, opened.match)
    assert found.loud is not None and found.loud.axis == 2
    assert found.born is not None and opened.graph.node_names[found.born.node] == name


def test_a_reader_that_looks_broken_is_told_of_the_loud_channel_above(sample: Callable[[str], Opened]) -> None:
    opened = sample("loud_channel")
    graph = opened.graph
    choices = node_choices(graph, opened.node(VICTIM), opened.findings, opened.match)
    found = look(choices[default_choice(choices)], graph, opened.findings, opened.match)
    assert choices[default_choice(choices)].end == "output" and found.loud is None
    assert found.upstream is not None and found.upstream.tensor == opened.tensor("/block2/depthwise/act/Relu_output_0")
    assert graph.node_names[found.upstream.born.node] == CULPRIT


@pytest.mark.parametrize("key", [row.key for row in SAMPLES if row.key not in ("loud_channel", "transformer")])
def test_no_other_sample_is_accused(key: str, sample: Callable[[str], Opened]) -> None:
    opened = sample(key)
    graph = opened.graph
    for number in range(len(graph.tensor_names)):
        choice = tensor_choice(graph, number, opened.findings, opened.match)
        if not choice.lack and choice.end != "weight":
            assert look(choice, graph, opened.findings, opened.match).loud is None


def test_channels_are_exact_and_the_worst_is_first() -> None:
    reference = np.random.default_rng(1).standard_normal((2, 5, 7, 3)).astype(np.float32)
    candidate = reference.copy()
    candidate[:, 3] += 1
    candidate[0, 1, 0, 0] = np.nan
    view = channel_view(both(reference, candidate), 1)
    assert view.order[:2].tolist() == [1, 3] and view.sqnr is not None and np.isinf(view.sqnr[0])
    assert view.reference is not None and view.candidate is not None
    for channel in range(5):
        values = reference[:, channel].astype(np.float64).ravel()
        box = [
            view.reference.low,
            view.reference.first,
            view.reference.middle,
            view.reference.third,
            view.reference.high,
        ]
        assert [row[channel] for row in box] == pytest.approx(np.percentile(values, (0, 25, 50, 75, 100)))
    noise = np.sum((candidate[:, 3].astype(np.float64) - reference[:, 3]) ** 2)
    assert view.sqnr[3] == pytest.approx(10 * np.log10(np.sum(reference[:, 3].astype(np.float64) ** 2) / noise))


def test_axes_with_one_slice_are_none() -> None:
    assert axes((1, 8, 1, 4)) == (1, 3) and axes(()) == ()


def test_a_fine_grid_excuses_a_loud_channel() -> None:
    values = np.ones((1, 4, 8), np.float32)
    values[0, 2] = 50
    view = channel_view(both(values, values), 1)
    fine, coarse = (Grid(scale, 0, 0.0, 50.0, 8, "run") for scale in (0.01, 0.2))
    assert loud_channel(view, fine) is None
    found = loud_channel(view, coarse)
    assert found is not None and found.channel == 2 and found.ratio == 50 and found.steps == 5 and found.lost == 0
    assert loud_channel(channel_view(both(np.ones((1, 4, 8)), np.ones((1, 4, 8))), 1), coarse) is None


@pytest.mark.parametrize(
    ("steps", "said"), [(1.0, "1 step."), (1.04, "1 step."), (5.0, "5 steps."), (0.5, "0.5 steps.")]
)
def test_one_step_is_one(steps: float, said: str) -> None:
    assert LoudChannel(1, 2, 4, 50.0, 0.2, steps, 0).text.endswith(f"leaves that median {said}")


def test_a_model_with_conversions_names_the_same_node(sample: Callable[[str], Opened]) -> None:
    """Quantized and float, each on its own graph."""
    row = next(each for each in SAMPLES if each.key == "loud_channel")
    graphs = read_model(row.model).graph, read_model(row.candidate_model).graph
    match = match_quantized(read_tensors(row.reference_run), read_tensors(row.candidate_run), *graphs)
    comparison = compare_match(match)
    every = (Findings.of(graphs[0], comparison, side="reference"), Findings.of(graphs[1], comparison))
    ways = []
    for graph, findings in zip(graphs, every, strict=True):
        tensor = graph.tensor_index("/block2/depthwise/act/Relu_output_0")
        assert tensor is not None
        born = look(tensor_choice(graph, tensor, findings, match), graph, findings, match).born
        assert born is not None
        ways.append([graph.node_names[node].removesuffix(".quant") for node in (born.node, *born.carriers)])
    assert ways[0] == ways[1] and ways[0][0] == CULPRIT


def chain(*op_types: str) -> Graph:
    """x → … → the last, each node's output called by its place."""
    builder = GraphBuilder()
    builder.input("x")
    for place, op_type in enumerate(op_types):
        builder.node(op_type, [f"t{place - 1}" if place else "x"], [f"t{place}"], f"n{place}")
    return builder.build()


@pytest.mark.parametrize(
    ("op_types", "maker"),
    [
        (("Relu", "Conv", "QuantizeLinear", "DequantizeLinear", "Identity", "Relu"), "n1"),
        (("Relu", "Conv", "Cast"), "n1"),
        (("QuantizeLinear", "DequantizeLinear"), None),
    ],
)
def test_what_only_converts_makes_no_channel_loud(op_types: tuple[str, ...], maker: str | None) -> None:
    graph = chain(*op_types)
    loud = LoudChannel(1, 2, 4, 50.0, None, float("inf"), 0)
    quiet = {graph.tensor_index("x"), graph.tensor_index("t0")}
    born = born_at(graph, len(graph.tensor_names) - 1, loud, lambda tensor: None if tensor in quiet else loud)
    assert (None if born is None else graph.node_names[born.node]) == maker


def test_rounding_that_makes_another_channel_the_loudest_does_not_end_the_way() -> None:
    """The reference has the tensor only as it was before it was rounded; behind it there is the candidate's alone."""
    graph = chain("Conv", "QuantizeLinear", "DequantizeLinear", "Relu")
    exact, rounded = np.full((1, 4, 8), 0.5, np.float32), np.ones((1, 4, 8), np.float32)
    exact[0, 2], rounded[0, 1] = 50, 90
    codes = np.round(exact / 8).astype(np.int8)
    match = Match(
        (
            Pair("t0", Held(exact), Held(exact), rule="tensor-name"),
            Pair("t2", Held(rounded), None),
            Pair("t3", Held(codes, QParams((8.0,), (0,), 8, True)), Held(exact), rule="tensor-name"),
        )
    )
    findings = Findings.of(graph, compare_match(match))
    tensor = graph.tensor_index("t3")
    assert tensor is not None
    found = look(tensor_choice(graph, tensor, findings, match), graph, findings, match)
    assert found.loud is not None and found.loud.channel == 2
    assert found.born is not None and graph.node_names[found.born.node] == "n0"
