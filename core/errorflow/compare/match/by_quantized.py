"""A quantized ONNX model's run against the float model's: Q/DQ pairs and operators on codes find their floats."""

from collections.abc import Iterator
from dataclasses import replace

from errorflow.base import SILENT, ErrorflowError, Progress
from errorflow.compare.match.any_runs import match_runs
from errorflow.compare.match.model import Match, Pair
from errorflow.compare.match.quantized.places import NAME, QuantizedPlaces
from errorflow.graph.dump import Dump, Stored
from errorflow.graph.model import Graph, Problem

BEHIND = "dequantized"
ONLY_REFERENCE, ONLY_CANDIDATE = "only in the reference", "only in the candidate"
NO_SCALE = "it is in codes, and the model does not say by which scale"
INSIDE = "inside of an operator that took in what follows"


def match_quantized(
    reference: Dump, candidate: Dump, reference_graph: Graph, candidate_graph: Graph, progress: Progress = SILENT
) -> Match:
    """Pairs in the order of the float model. Both runs name tensors as their models do.

    A tensor that the candidate rounds to codes is compared as its readers get it: behind DequantizeLinear, or its codes
    brought back by the scale that the model holds for them.
    """
    places = QuantizedPlaces.of(reference_graph, candidate_graph, progress)
    pairs = list(_pairs(places, reference, candidate))
    if not any(pair.rule for pair in pairs):
        plain = match_runs(reference, candidate, reference_graph)
        return replace(plain, problems=(*plain.problems, Problem("Nothing in the two models belongs together.")))
    values = places.candidate
    accounted = {
        values.graph.tensor_names[tensor] for value, _ in places.found.values() for tensor in values.carriers[value]
    }
    constant = {
        values.graph.tensor_names[tensor] for value in values.constant for tensor in values.carriers.get(value, ())
    }
    lonely = [name for name in candidate.names() if name not in accounted | constant]
    pairs += [Pair(name, _stored(candidate, name), None, note=ONLY_CANDIDATE) for name in lonely]
    leaving = {reference_graph.tensor_names[tensor] for tensor in reference_graph.outputs.tolist()}
    return Match(
        tuple(pairs),
        only_reference=tuple(pair.tensor for pair in pairs if pair.note == ONLY_REFERENCE),
        only_candidate=tuple(lonely),
        network_outputs=tuple(
            pair.tensor for pair in pairs if pair.reference is not None and pair.reference.info.name in leaving
        ),
    )


def _pairs(places: QuantizedPlaces, reference: Dump, candidate: Dump) -> Iterator[Pair]:
    graph, values = places.reference, places.candidate
    known, theirs = set(reference.names()), set(candidate.names())
    for tensor in _in_order(graph):
        name = graph.tensor_names[tensor]
        if name not in known:
            continue
        golden = _stored(reference, name)
        if tensor not in places.found:
            yield _alone(places, tensor, Pair(name, None, golden, note=ONLY_REFERENCE))
            continue
        rule, twin = places.found[tensor][1], places.twin(tensor)
        best, maker = values.best(twin), values.origin(twin)
        label = values.graph.tensor_names[best]
        mine = _stored(candidate, label) if label in theirs else None
        pair = Pair(
            label,
            mine,
            golden,
            rule=BEHIND if rule == NAME and label != name else rule,
            node="" if maker < 0 else values.graph.node_names[maker],
            op_type="" if maker < 0 else values.graph.op_types[maker],
            qparams=None if mine is None else values.qparams(best, mine.info.dtype),
        )
        problem = _problem(pair)
        yield replace(pair, rule="", note=problem) if problem else pair


def _problem(pair: Pair) -> str:
    """Says why the two cannot be measured."""
    if pair.candidate is None or pair.reference is None:
        return "the run does not have it"
    in_codes = "int" in pair.candidate.info.dtype and "float" in pair.reference.info.dtype
    return NO_SCALE if in_codes and pair.qparams is None else ""


def _in_order(graph: Graph) -> Iterator[int]:
    """Inputs, then what each node makes."""
    yield from graph.inputs.tolist()
    for node in range(len(graph)):
        yield from (tensor for tensor in graph.node_outputs[node].tolist() if tensor >= 0)


def _alone(places: QuantizedPlaces, tensor: int, pair: Pair) -> Pair:
    """A tensor that the candidate has nothing for, with the node that has it inside."""
    if tensor not in places.inside:
        return pair
    node, graph = places.inside[tensor], places.candidate.graph
    return replace(pair, note=INSIDE, node=graph.node_names[node], op_type=graph.op_types[node])


def _stored(dump: Dump, name: str) -> Stored | None:
    try:
        return dump.stored(name)
    except ErrorflowError:  # the run says itself what of it cannot be read
        return None
