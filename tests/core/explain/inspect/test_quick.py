"""Where the tensors of a match are in a graph, before anything is measured."""

from errorflow.base.sample import SAMPLES
from errorflow.compare import compare_match
from errorflow.compare.match.by_quantized import match_quantized
from errorflow.explain.findings.model import Findings
from errorflow.explain.inspect.quick import quick_findings, tensor_at
from errorflow.formats import read_model, read_tensors

ROW = next(each for each in SAMPLES if each.key == "loud_channel")


def test_tensors_are_where_a_measured_comparison_has_them() -> None:
    """Also those that no run holds, on the graph of either side."""
    graphs = read_model(ROW.model).graph, read_model(ROW.candidate_model).graph
    match = match_quantized(read_tensors(ROW.reference_run), read_tensors(ROW.candidate_run), *graphs)
    comparison = compare_match(match)
    measured = Findings.of(graphs[0], comparison, side="reference"), Findings.of(graphs[1], comparison)
    for graph, whole in zip(graphs, measured, strict=True):
        quick = quick_findings(graph, match)
        assert [quick.row(tensor) for tensor in range(len(graph.tensor_names))] == [
            whole.row(tensor) for tensor in range(len(graph.tensor_names))
        ]
    assert quick.placed.behind and quick.side == "candidate"


def test_a_pair_finds_its_tensor_or_none() -> None:
    graph = read_model(ROW.model).graph
    match = match_quantized(
        read_tensors(ROW.reference_run), read_tensors(ROW.candidate_run), graph, read_model(ROW.candidate_model).graph
    )
    findings = quick_findings(graph, match)
    for number, pair in enumerate(match.pairs):
        tensor = tensor_at(findings, number)
        assert pair.reference is None or (tensor is not None and graph.tensor_names[tensor] == pair.reference.info.name)
    assert tensor_at(findings, len(match.pairs)) is None
