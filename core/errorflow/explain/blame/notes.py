"""Notes on a node beside its verdict: states that no number shows, and what the vendors' rules say."""

from collections.abc import Iterator

import numpy as np

from errorflow.base.language import say
from errorflow.compare.metrics import METRICS
from errorflow.compare.model import Comparison
from errorflow.compare.placed import Placed, behind_text
from errorflow.compare.states import FLIPPED_COSINE, reference_text
from errorflow.compare.summary import DROP, GOOD_INPUT, suspects_of
from errorflow.explain.blame.limits import CLEAN, LOST
from errorflow.explain.blame.measured import CHANGED, TensorErrors, is_broken, relative_error, worst_made
from errorflow.explain.blame.model import Floats
from errorflow.explain.blame.parts import Kinds
from errorflow.graph.model import Graph

# Of a fault; it stands as long as bad nodes were not run once more.
HIDDEN = "whether nodes behind it add something of their own cannot be told from two dumps"
_COSINE = next(metric for metric in METRICS if metric.key == "cosine")


def notes_of(
    graph: Graph, placed: Placed, comparison: Comparison, errors: TensorErrors, arrived: Floats, kinds: Kinds
) -> Iterator[tuple[int, str, str]]:
    """Node, note, and the key of the advice that goes with it or ""."""
    out = worst_made(graph, errors.made)
    yield from _states(graph, errors, arrived)
    yield from _readings(graph, placed, comparison, errors)
    unknown = np.isnan(arrived) & (out > CLEAN)
    for node in np.flatnonzero(unknown).tolist():
        yield node, say("nothing that it reads was measured and is taken for right"), ""
    ruins = kinds.form & (out > CLEAN) & (np.nan_to_num(arrived) <= CLEAN)
    for node in np.flatnonzero(ruins).tolist():
        yield node, say("changes the form of a value only, and yet the value is another one"), ""
    yield from _by_vendors_rule(graph, placed)
    yield from _pointed_at(graph, placed, comparison)
    yield from _unmeasured(graph, placed, errors)


def notes_of_tensors(
    graph: Graph, placed: Placed, comparison: Comparison, errors: TensorErrors
) -> Iterator[tuple[int, str, str]]:
    """Yields notes where the flow is unknown: only what each tensor says for itself."""
    yield from _states(graph, errors, None)
    bad = worst_made(graph, errors.made) > CLEAN
    for node in np.flatnonzero(bad).tolist():
        yield node, say("beyond the limit; what flows into it is not known"), ""
    yield from _pointed_at(graph, placed, comparison)
    yield from _unmeasured(graph, placed, errors)


def _states(graph: Graph, errors: TensorErrors, arrived: Floats | None) -> Iterator[tuple[int, str, str]]:
    """Yields states. `arrived`: what each node reads; None where it is unknown."""
    for tensor, row in errors.rows.items():
        node = int(graph.producers[tensor])
        if node < 0:
            continue
        if is_broken(row):
            yield node, _broken_text(arrived, node), "overflow"
        # What is lost before points anywhere: only where good values go in, the operator itself turns them.
        lost = arrived is not None and bool(arrived[node] > LOST)
        if row.value("cosine") < FLIPPED_COSINE:
            yield node, say("the sign is flipped"), "" if lost else "sign flipped"
        mine, golden = row.candidate_side, row.reference_side
        if mine is None or golden is None:
            continue
        if why := reference_text(row):
            yield node, why, ""
        elif golden.zero and not mine.zero:
            yield node, say("the reference is all zero, so that there is no relative error"), ""
        elif mine.constant and not golden.constant:
            yield (
                node,
                say("the candidate is {}", say("all zero") if mine.zero else say("constant")),
                "" if lost else "one code",
            )


def _broken_text(arrived: Floats | None, node: int) -> str:
    if arrived is None:
        return say("NaN or infinite values")
    return (
        say("NaN or infinite values arrive")
        if np.isposinf(arrived[node])
        else say("NaN or infinite values are born here")
    )


def _readings(
    graph: Graph, placed: Placed, comparison: Comparison, errors: TensorErrors
) -> Iterator[tuple[int, str, str]]:
    """Constants that differ, and values that are not what their maker made."""
    slots = errors.slots
    constant = np.zeros(placed.count, bool)
    constant[slots.tensors[slots.constant]] = True
    for tensor in np.flatnonzero(constant & (errors.made > CLEAN)).tolist():
        if graph.producers[tensor] >= 0:
            yield int(graph.producers[tensor]), say("this constant is not the same in both runs"), "constants differ"
    for (node, place), number in placed.read.items():
        inputs = graph.node_inputs[node]
        tensor = int(inputs[place]) if place < len(inputs) else -1
        error = relative_error(comparison.rows[number])
        if tensor < 0 or not error > CLEAN:
            continue
        if constant[tensor]:
            yield (
                node,
                say("the constant that it reads as input {} is not the same in both runs", place),
                "constants differ",
            )
        elif error > CHANGED * errors.made[tensor]:
            yield (
                node,
                say("what it read as input {} is not what {} was when made", place, graph.tensor_names[tensor]),
                "",
            )


def _by_vendors_rule(graph: Graph, placed: Placed) -> Iterator[tuple[int, str, str]]:
    """msprobe's rule: good inputs, and a similarity that falls."""
    cosine = placed.by(_COSINE).values
    before, inputs = np.full(len(graph), np.inf), graph.node_inputs
    used = inputs.values >= 0
    readers, values = inputs.owners()[used], cosine[inputs.values[used]]
    np.minimum.at(before, readers[~np.isnan(values)], values[~np.isnan(values)])
    after, made = np.full(len(graph), np.inf), graph.node_outputs
    real = made.values >= 0
    makers, values = made.owners()[real], cosine[made.values[real]]
    np.minimum.at(after, makers[~np.isnan(values)], values[~np.isnan(values)])
    with np.errstate(invalid="ignore"):
        falls = np.isfinite(before) & (before > GOOD_INPUT) & (before - after > DROP) & np.isfinite(after)
    for node in np.flatnonzero(falls).tolist():
        yield node, say("msprobe's rule: cosine falls from {} to {}", f"{before[node]:.2f}", f"{after[node]:.2f}"), ""


def _pointed_at(graph: Graph, placed: Placed, comparison: Comparison) -> Iterator[tuple[int, str, str]]:
    """Yields the nodes that the rules of the vendors' tables point at first."""
    suspects = suspects_of(comparison)
    if not suspects:
        return
    numbers = {row.tensor: number for number, row in enumerate(comparison.rows)}
    nodes = {number: node for (node, _), number in placed.read.items()}
    for tensor, about in placed.about.items():
        for number in about:
            nodes.setdefault(number, int(graph.producers[tensor]))
    for suspect in suspects:
        node = nodes.get(numbers[suspect.tensor], -1)
        if node >= 0:
            yield node, say("the vendor's rule “{}” points here first", suspect.rule), ""


def _unmeasured(graph: Graph, placed: Placed, errors: TensorErrors) -> Iterator[tuple[int, str, str]]:
    known = ~np.isnan(worst_made(graph, errors.made))
    known[[graph.producers[tensor] for tensor in errors.rows if graph.producers[tensor] >= 0]] = True
    for tensor, node in errors.behind.items():
        other = placed.behind.get(tensor)
        if other is not None:
            said = behind_text(graph, int(graph.producers[other]))
        else:  # the picture shows no number there
            said = say("judged by what its {} {} makes", graph.op_types[node], graph.title(node))
        yield int(graph.producers[tensor]), said, ""
    for tensor, note in placed.notes.items():
        node = int(graph.producers[tensor])
        if node >= 0 and not known[node]:
            yield node, note, ""
            known[node] = True
    for node in np.flatnonzero(~known).tolist():
        yield node, say("nothing that it makes was measured"), ""
