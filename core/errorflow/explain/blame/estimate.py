"""An estimate from two dumps, where no model can be run: what was measured before a node against what is behind it.

An error is one relative number, so its parts are powers: e² = introduced² + inherited². What arrives by several inputs
counts as much as the worst of them; for products, where errors of both factors add up, as the root of the sum of their
squares. The sizes of tensors are not known here, so a loud and a quiet input weigh the same. Where an input was not
measured, the nearest measured tensors upstream stand for it; where there are none it is taken for right.
"""

from collections.abc import Iterable, Iterator, Mapping
from math import prod

import numpy as np
from numpy.typing import NDArray

from errorflow.base.language import say
from errorflow.base.progress import SILENT, Progress
from errorflow.compare.model import Comparison, Row
from errorflow.compare.placed import Placed, Side
from errorflow.compare.summary import is_of_another_model
from errorflow.explain.blame.advice import advice_for
from errorflow.explain.blame.combine import concluded
from errorflow.explain.blame.front import links_of, reached
from errorflow.explain.blame.limits import CLEAN
from errorflow.explain.blame.measured import Errors, arriving, errors_of, regained, worst_made
from errorflow.explain.blame.model import Blame, Chosen, Evidence, Floats, ModelVerdict, Verdict
from errorflow.explain.blame.notes import HIDDEN, notes_of, notes_of_tensors
from errorflow.explain.blame.parts import (
    Kinds,
    gains_of,
    introduced_shares,
    kinds_of,
    part_of,
    verdicts_of,
    without_explained,
)
from errorflow.explain.blame.slices import WithParts, with_parts
from errorflow.explain.blame.trace import Trace, traced
from errorflow.graph.build import counted
from errorflow.graph.loose import leads_on as edges_are_known
from errorflow.graph.model import Graph
from errorflow.graph.unit import unit_title

_WHY_LOOSE = "Which of them bring the error cannot be told: what flows where is not known."
_UNMEASURED = "What flows where is not known, so that there is no verdict on the model."
_STEPS = 2
# The rule by which a tensor is compared with what the candidate's readers get of it.
_ROUNDED = "dequantized"
# How quantized tensors find their partners, and as what they are stored.
_QUANTIZED_RULES = frozenset(("quantization", "quantized-input", "dequantized-output", _ROUNDED))
_CODES = frozenset(("int4", "uint4", "int8", "uint8", "int16", "uint16"))
# A tensor of so many values shows whether it holds no more than codes of 8 bits or is a mask; such a share must.
_TELLING, _MOST_CODES, _MASK, _CODED = 1024, 256, 2, 0.25
# Operators that only Ascend's compilers make.
ASCEND = frozenset({"TransData", "AscendQuant", "AscendDequant", "NetOutput", "Data"})


def blame(
    graph: Graph,
    comparison: Comparison,
    *,
    side: Side = "candidate",
    leads_on: bool | None = None,
    progress: Progress = SILENT,
) -> Blame:
    """Who is to blame, estimated from the comparison alone; nothing is run.

    Whoever can run nodes hands what came of it to `combine(blame(…), parts)`, which replaces the estimate for the nodes
    that were run. `side` says whose names the tensors of the graph have. Where it is not known where edges
    lead (`leads_on`; None: as the graph says), there is no verdict on the model.
    """
    known = edges_are_known(graph) if leads_on is None else leads_on
    return estimate(graph, Placed.of(graph, comparison, side), comparison, leads_on=known, progress=progress)


def estimate(
    graph: Graph,
    placed: Placed,
    comparison: Comparison,
    *,
    leads_on: bool = True,
    coded: Mapping[int, str] | None = None,
    chosen: Mapping[int, Chosen] | None = None,
    progress: Progress = SILENT,
) -> Blame:
    """The verdict on each node and on the model, all of it estimated.

    `coded`: both runs got the same inputs, so that all errors of these come from how they are coded, which it says.
    `chosen`: what is known of outputs that somebody chooses by.
    """
    progress.step(0, _STEPS, "Estimating")
    errors = errors_of(graph, placed, comparison)
    kinds, out = kinds_of(graph, errors.slots, errors.rows, errors.behind), worst_made(graph, errors.made)
    if not leads_on:
        return _of_tensors(graph, placed, comparison, errors, kinds)
    arrived = arriving(graph, errors.slots)
    progress.step(1, _STEPS, "Estimating")
    plain, faults = _shares(graph, out, regained(graph, errors.slots, arrived), kinds)
    first = verdicts_of(out, arrived, plain, part_of(out, 1 - plain), kinds.form)
    trace = traced(graph, errors, out, arrived, first, kinds)
    before, shares, faults = _retraced(graph, trace, kinds) if trace.notes or trace.scales else (arrived, plain, faults)
    verdicts = verdicts_of(trace.out, before, shares, part_of(trace.out, 1 - shares), kinds.form)
    notes, seen = _joined(trace, notes_of(graph, placed, comparison, errors, arrived, kinds), faults)
    (ends, sliced), are_outputs = _ends(graph, errors, out, trace.out)
    rounded = _rounded(graph, errors) if coded is None else frozenset(graph.inputs.tolist())
    evidence = Evidence(
        slots=trace.slots,
        ends=ends,
        are_outputs=are_outputs,
        unclear=_unclear(graph, errors),
        inputs=_inputs(graph, errors, rounded),
        rounded=rounded,
        traced=_traced(trace, out, shares),
        proven=np.isin(np.arange(len(graph)), trace.proven),
        form=kinds.form,
        seen=seen | {"another model"} if is_of_another_model(comparison) else seen,
        vendor=_vendor(graph, comparison),
        may_be_quantized=coded is not None or _may_be_quantized(graph, comparison),
        coded={} if coded is None else coded,
        chosen={} if chosen is None else chosen,
        sliced=sliced,
        passive=frozenset(np.flatnonzero(kinds.form | kinds.whole).tolist()),
    )
    raw = Blame(
        graph=graph,
        verdicts=np.where(np.isnan(out), Verdict.NOT_MEASURED, verdicts).astype(np.int8),
        accumulated=out,
        introduced=part_of(out, shares),
        inherited=part_of(out, 1 - shares),
        shares=shares,
        gains=gains_of(out, arrived),
        exact=np.zeros(len(graph), bool),
        notes=notes,
        model=ModelVerdict("nothing", ""),
        front=np.zeros(len(graph), bool),
        unjudged=_unjudged(graph, errors, np.isnan(out)),
        evidence=evidence,
    )
    return concluded(raw, progress=progress)


def _traced(trace: Trace, out: Floats, shares: Floats) -> Floats:
    """Shares of nodes that were blamed for more than their own tensor shows; NaN for all others."""
    changed = np.nan_to_num(trace.out, nan=-1.0) > np.nan_to_num(out, nan=-1.0)
    changed[trace.proven] = True
    return np.where(changed, shares, np.nan)


def _of_tensors(graph: Graph, placed: Placed, comparison: Comparison, errors: Errors, kinds: Kinds) -> Blame:
    """Where nobody knows what flows where: what is good is clean, and of what is bad nothing more can be said."""
    out, unknown = worst_made(graph, errors.made), np.full(len(graph), np.nan)
    nowhere = np.zeros(len(graph), bool)
    notes, seen = _joined(None, notes_of_tensors(graph, placed, comparison, errors))
    evidence = Evidence(
        slots=errors.slots,
        ends=(),
        are_outputs=False,
        inputs=(),
        rounded=frozenset(),
        traced=unknown,
        proven=nowhere,
        form=kinds.form,
        seen=seen,
        vendor=_vendor(graph, comparison),
        may_be_quantized=_may_be_quantized(graph, comparison),
    )
    return Blame(
        graph=graph,
        verdicts=np.where(out <= CLEAN, Verdict.CLEAN, Verdict.NOT_MEASURED).astype(np.int8),
        accumulated=out,
        introduced=unknown,
        inherited=unknown,
        shares=unknown,
        gains=unknown,
        exact=nowhere,
        notes=notes,
        model=_of_list(graph, placed, out),
        front=nowhere,
        unjudged=_unjudged(graph, errors, ~(out <= CLEAN)),
        leads_on=False,
        evidence=evidence,
    )


def _of_list(graph: Graph, placed: Placed, out: Floats) -> ModelVerdict:
    """What can be said of a list of tensors: how many are bad, and which of them comes first."""
    bad, advice = np.flatnonzero(out > CLEAN).tolist(), advice_for({"beyond limits"})
    if not len(placed.rows):
        return ModelVerdict("nothing", _UNMEASURED, advice=advice)
    if not bad:
        count = counted(len(placed.rows), "tensor that was measured is", "tensors that were measured are")
        text = say("Good: {} within the limit (relative error ≤ {}).", count, f"{CLEAN:g}")
        return ModelVerdict("good", text, advice=advice_for({"healthy"}))
    first = unit_title(graph, bad[0])
    count = counted(len(bad), "operator is", "operators are")
    text = say("Not judged: {} beyond the limit (relative error > {}), the first is {}.", count, f"{CLEAN:g}", first)
    return ModelVerdict("beyond limits", say("{} {}", text, say(_WHY_LOOSE)), advice=advice)


def _retraced(graph: Graph, trace: Trace, kinds: Kinds) -> tuple[Floats, Floats, list[int]]:
    """What arrives at each node, and which share it introduced, once errors are where the trace put them."""
    before = arriving(graph, trace.slots)
    back = regained(graph, trace.slots, before)
    return before, *_shares(graph, trace.out, back, kinds, trace)


def _shares(
    graph: Graph, out: Floats, arrived: Floats, kinds: Kinds, trace: Trace | None = None
) -> tuple[Floats, list[int]]:
    """What each node introduced, less what a clear fault upstream explains, and these faults."""
    found = introduced_shares(out, arrived, kinds)
    found = found if trace is None else _with_proven(found, trace, arrived)
    return without_explained(graph, found, out, arrived, kinds)


def _with_proven(shares: Floats, trace: Trace, arrived: Floats) -> Floats:
    """Who is shown to lose values did not amplify what it read, however bad that was: all beyond that is its own."""
    found = shares.copy()
    for node in trace.proven:
        with np.errstate(all="ignore"):
            found[node] = np.fmax(found[node], 1 - (np.nan_to_num(arrived[node]) / trace.out[node]) ** 2)
    return found


def _unjudged(graph: Graph, errors: Errors, open_ones: NDArray[np.bool_]) -> frozenset[int]:
    """Of these nodes those that make something that was measured."""
    makers = (int(graph.producers[tensor]) for tensor, row in errors.rows.items() if row.values)
    return frozenset(node for node in makers if node >= 0 and open_ones[node])


def _joined(
    trace: Trace | None, found: Iterable[tuple[int, str, str]], faults: Iterable[int] = ()
) -> tuple[dict[int, str], frozenset[str]]:
    """Notes by node, each said once, and the keys of advice; first those of the trace to a loud channel."""
    first = {} if trace is None else trace.notes
    told = [*({} if trace is None else trace.scales).items(), *((node, HIDDEN) for node in faults)]
    texts: dict[int, list[str]] = {node: [note] for node, note in first.items()}
    keys = {"loud channel"} if first else set()
    for node, note, key in (*((node, note, "") for node, note in told), *found):
        mine = texts.setdefault(node, [])
        if note not in mine:
            mine.append(note)
        keys.add(key)
    return {node: "; ".join(mine) for node, mine in texts.items()}, frozenset(keys - {""})


def _ends(graph: Graph, errors: Errors, out: Floats, seen: Floats) -> tuple[WithParts, bool]:
    """The outputs with their errors, measured or arriving; where none is known, the last tensors that were measured."""
    outputs = dict.fromkeys(graph.outputs.tolist())
    known = [(tensor, _seen_error(graph, errors, out, seen, tensor)) for tensor in outputs]
    known = [(tensor, error) for tensor, error in known if not np.isnan(errors.made[tensor])]
    if known and len(known) == len(outputs):
        return with_parts(graph, errors, known), True
    # Nobody can tell how good an output is which was not measured; that what leads there is bad can be told.
    last = [(tensor, _seen_error(graph, errors, out, seen, tensor)) for tensor in _last(graph, errors)]
    more = [end for end in last if end[0] not in dict(known) and (end[1] > CLEAN or not known)]
    return with_parts(graph, errors, [*known, *more]), bool(known) and not more


def _unclear(graph: Graph, errors: Errors) -> tuple[int, ...]:
    rows = ((tensor, errors.rows.get(tensor)) for tensor in graph.outputs.tolist() if np.isnan(errors.made[tensor]))
    return tuple(tensor for tensor, row in rows if row is not None and row.values.get("relative_l2") == np.inf)


def _seen_error(graph: Graph, errors: Errors, out: Floats, seen: Floats, tensor: int) -> float:
    maker = int(graph.producers[tensor])
    error = float(errors.reaching[tensor])
    return float(seen[maker]) if maker >= 0 and seen[maker] > np.nan_to_num(out[maker]) else error


def _last(graph: Graph, errors: Errors) -> Iterator[int]:
    """Measured tensors of nodes that lead to nothing measured, not even through nodes that were not."""
    start, end, _ = graph.edges
    known = ~np.isnan(worst_made(graph, errors.made))
    followed = np.zeros(len(graph), bool)
    followed[start[(known | reached(links_of(graph)[0], np.flatnonzero(known), ~known, len(graph)))[end]]] = True
    for node in np.flatnonzero(known & ~followed).tolist():
        made = graph.node_outputs[node].tolist()
        yield from (tensor for tensor in made if tensor >= 0 and not np.isnan(errors.made[tensor]))


def _inputs(graph: Graph, errors: Errors, rounded: frozenset[int]) -> tuple[tuple[int, float], ...]:
    found = ((tensor, float(errors.made[tensor])) for tensor in graph.inputs.tolist() if tensor not in rounded)
    return tuple((tensor, error) for tensor, error in found if error > 0)


def _rounded(graph: Graph, errors: Errors) -> frozenset[int]:
    rows = ((tensor, errors.rows.get(tensor)) for tensor in graph.inputs.tolist())
    return frozenset(tensor for tensor, row in rows if row is not None and row.rule == _ROUNDED)


def _may_be_quantized(graph: Graph, comparison: Comparison) -> bool:
    """A compiler's graph tells all that is done to a tensor; else codes show as few different values."""
    types = {*graph.op_types.values, *(row.op_type for row in comparison.rows)}
    rules = {row.rule for row in comparison.rows}
    if (
        any(map(_is_in_codes, comparison.rows))
        or rules & _QUANTIZED_RULES
        or any("quant" in name.lower() for name in types)
    ):
        return True
    if ASCEND & set(graph.op_types.values):
        return False
    # What holds as few values in the reference, since it is the same or of bytes, tells nothing.
    rows = [row for row in comparison.rows if row.dtype not in {"bool", *_CODES} and row.value("relative_l2") != 0]
    counts = [row.unique.count for row in rows if row.unique is not None and prod(row.shape) >= _TELLING]
    telling = [count <= _MOST_CODES for count in counts if count > _MASK]
    return not telling or sum(telling) >= _CODED * len(telling)


def _is_in_codes(row: Row) -> bool:
    """Codes on one side only: an image may be of bytes on both."""
    if row.candidate is None or row.reference is None:
        return False
    return row.candidate.dtype in _CODES and row.reference.dtype not in _CODES


def _vendor(graph: Graph, comparison: Comparison) -> str:
    is_ascend = bool(ASCEND & set(graph.op_types.values)) or any(row.printed is not None for row in comparison.rows[:1])
    return "Ascend" if is_ascend else ""
