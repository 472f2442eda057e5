"""An estimate from two dumps, where no model can be run: what was measured before a node against what is behind it.

An error is one relative number, so its parts are powers: e² = introduced² + inherited². What arrives by several inputs
counts as much as the worst of them; for products, where errors of both factors add up, as the root of the sum of their
squares. The sizes of tensors are not known here, so a loud and a quiet input weigh the same. Where an input was not
measured, the nearest measured tensors upstream stand for it; where there are none it is taken for right.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from errorflow.base.language import say
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, field, replace
from errorflow.compare.model import Comparison, Row
from errorflow.compare.placed import Placed, Side
from errorflow.compare.summary import is_of_another_model
from errorflow.explain.blame.advice import advice_for, is_compiled, vendor_of
from errorflow.explain.blame.combine import concluded
from errorflow.explain.blame.front import links_of, reached
from errorflow.explain.blame.limits import ALIKE, CLEAN, CLEARLY, COMMON, EXPLAINS, LOUD, READERS, SHARP
from errorflow.explain.blame.measured import TensorErrors, arriving, errors_of, regained, worst_made
from errorflow.explain.blame.model import Blame, Evidence, Floats, ModelVerdict, OutputChoice, Slots, Verdict
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
from errorflow.graph.build import counted
from errorflow.graph.loose import leads_on as edges_are_known
from errorflow.graph.model import Graph
from errorflow.graph.quiet import CONVERSIONS, NOISE
from errorflow.graph.unit import is_quantizer_of_layer, unit, unit_title

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


def blame(
    graph: Graph,
    comparison: Comparison,
    *,
    side: Side = "candidate",
    leads_on: bool | None = None,
    progress: Progress = SILENT,
) -> Blame:
    """Estimates who is to blame from the comparison alone; nothing is run.

    A caller that can run nodes hands what came of it to `combine(blame(…), parts)`, which replaces the estimate for the
    nodes that were run. `side` says whose names the tensors of the graph have. Where it is not known where edges
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
    chosen: Mapping[int, OutputChoice] | None = None,
    progress: Progress = SILENT,
) -> Blame:
    """Estimates the verdict on each node and on the model.

    `coded`: both runs got the same inputs, so that all errors of these come from how they are coded, which it says.
    `chosen`: what is known of outputs by which something is chosen.
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
        vendor=vendor_of(graph, any(row.printed is not None for row in comparison.rows[:1])),
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


# Blame that belongs to a producer: one scale for loud and quiet values looks fine as a whole and ruins its readers.
#
# Three things say so without a run. Channels: the ratio of the channel in the middle is far worse than the tensor's
# own.
# Readers: all that read one tensor with weights of their own lose at once, alike, and nobody else does. Values: what
# was
# put side by side comes out as fewer different values than went in.

Bools = NDArray[np.bool_]
# What puts values side by side and does nothing else to them.
MERGING = frozenset({"Concat", "ConcatD", "ConcatV2", "ConcatV2D", "Pack", "Stack"})
# What rounds to codes: the scale belongs to what is quantized.
QUANTIZING = frozenset(
    {"QuantizeLinear", "FakeQuantize", "FakeQuant", "Quantize", "AscendQuant", "AscendQuantV2", "Quant"}
)
# The error of values that all became one.
GONE = 1.0


@dataclass(slots=True)
class Trace:
    """Errors as readers see them: what stands here replaces what was measured of whole tensors."""

    out: Floats
    slots: Slots
    notes: dict[int, str] = field(default_factory=dict)
    # Of quantizers whose scale is that of one layer, which is no matter of loud and quiet values of many.
    scales: dict[int, str] = field(default_factory=dict)
    # Nodes whose output was shown to be ruined by the values themselves.
    proven: list[int] = field(default_factory=list)


def traced(
    graph: Graph, errors: TensorErrors, out: Floats, arrived: Floats, verdicts: NDArray[np.int8], kinds: Kinds
) -> Trace:
    """Finds what changes when losses of readers are taken back to the tensors that they read."""
    slots = errors.slots
    trace = Trace(out.copy(), replace(slots, errors=slots.errors.copy()))
    suspects = (verdicts == Verdict.ORIGIN) & np.isfinite(out) & ~kinds.form
    loud = _loud(graph, errors, out, suspects)
    for slot in np.flatnonzero(loud).tolist():
        reader, tensor = int(slots.readers[slot]), int(slots.tensors[slot])
        seen = float(errors.quiet[tensor])
        trace.slots.errors[slot] = seen
        trace.notes[reader] = say(
            "what it needs of {} was lost there already, channel by channel", graph.tensor_names[tensor]
        )
        _Climb(graph, errors, kinds, trace).to(tensor, seen, _channels_note(errors.rows[tensor]))
    suspects[slots.readers[loud]] = False
    for node, tensor in _trace_rounded(graph, out, arrived):
        if is_quantizer_of_layer(graph, node):
            trace.proven.append(node)
            trace.scales[node] = say("the scale of {} does not fit what it reads", unit(graph, node))
            continue
        here = range(*np.searchsorted(slots.readers, [node, node + 1]).tolist())
        trace.slots.errors[here] = np.where(slots.constant[here], slots.errors[here], out[node])
        note = say("its values are lost where they are quantized, at {}", graph.title(node))
        _Climb(graph, errors, kinds, trace).to(tensor, float(out[node]), note)
    for tensor, group in _common(graph, slots, out, arrived, suspects & kinds.weighted, kinds.weighted):
        readers = slots.readers[group]
        seen = float(np.median(out[readers]))
        trace.slots.errors[group] = seen
        count = len(np.unique(readers))
        for reader in readers.tolist():
            trace.notes[reader] = say(
                "all {} nodes with weights that read {} lose alike", count, graph.tensor_names[tensor]
            )
        note = say(
            "all {} nodes with weights that read it lose alike, and no other node does: a scale too coarse for it",
            count,
        )
        _Climb(graph, errors, kinds, trace).to(tensor, seen, note)
    for node, place in _flattened(graph, errors):
        trace.out[node] = max(GONE, _or_none(trace.out[node]))
        trace.proven.append(node)
        trace.notes[node] = say("all values of its input {} come out as one: a scale too coarse for them", place)
    return trace


def _channels_note(row: Row) -> str:
    assert row.channels is not None
    half = (row.channels.count + 1) // 2
    return say(
        "looks good as a whole, but {} of {} channels have {} dB or less: one scale for loud and quiet channels",
        half,
        row.channels.count,
        f"{row.channels.median:.1f}",
    )


def _loud(graph: Graph, errors: TensorErrors, out: Floats, suspects: Bools) -> Bools:
    """Inputs whose channels explain what their readers lose."""
    slots = errors.slots
    quiet, made = errors.quiet[slots.tensors], errors.made[slots.tensors]
    with np.errstate(invalid="ignore"):
        loud = np.isfinite(quiet) & (quiet > CLEAN) & (quiet >= LOUD * made)
        explained = out[slots.readers] <= EXPLAINS * quiet
    has_maker = graph.producers[slots.tensors] >= 0
    return np.asarray(suspects[slots.readers] & ~slots.constant & loud & explained & has_maker)


def _trace_rounded(graph: Graph, out: Floats, arrived: Floats) -> Iterator[tuple[int, int]]:
    """Nodes that quantize what is good into what is bad, with the tensor whose scale that is."""
    quantizing = np.array([value in QUANTIZING for value in graph.op_types.values], bool)
    if not quantizing.any():
        return
    with np.errstate(invalid="ignore"):
        fresh = (arrived <= CLEAN) | (out >= SHARP * arrived)
        lossy = quantizing[graph.op_types.codes] & np.isfinite(out) & (out > CLEAN) & fresh
    for node in np.flatnonzero(lossy).tolist():
        inputs = graph.node_inputs[node]
        if len(inputs) and inputs[0] >= 0 and graph.producers[inputs[0]] >= 0:
            yield node, int(inputs[0])


def _common(
    graph: Graph, slots: Slots, out: Floats, arrived: Floats, suspects: Bools, weighted: Bools
) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Yields tensors, and the inputs of their readers, that all lose alike; none if another node begins to lose as
    well.
    """
    wanted = suspects & (arrived <= CLEAN)
    with np.errstate(invalid="ignore"):
        taken = wanted[slots.readers] & ~slots.constant & (out[slots.readers] >= COMMON * slots.errors)
    taken &= graph.producers[slots.tensors] >= 0
    everyone = np.bincount(slots.tensors[weighted[slots.readers]], minlength=len(graph.tensor_names))
    groups = []
    explained = np.zeros(len(graph), bool)
    places = np.flatnonzero(taken)
    places = places[np.argsort(slots.tensors[places], kind="stable")]
    for group in np.split(places, np.flatnonzero(np.diff(slots.tensors[places])) + 1) if len(places) else ():
        tensor = int(slots.tensors[group[0]])
        losses = out[slots.readers[group]]
        several = len(np.unique(slots.readers[group])) >= READERS
        if several and len(group) == everyone[tensor] and losses.max() <= ALIKE * losses.min():
            groups.append((tensor, group))
            explained[slots.readers[group]] = True
    if not (wanted & ~explained).any():
        yield from groups


def _flattened(graph: Graph, errors: TensorErrors) -> Iterator[tuple[int, int]]:
    """Nodes that put values side by side and flatten one input, with the place of that input.

    Inputs whose ranges have nothing in common hold different values: the output must hold as many as all of them.
    """
    merging = np.array([value in MERGING for value in graph.op_types.values], bool)
    for node in np.flatnonzero(merging[graph.op_types.codes]).tolist() if len(merging) else ():
        made, read = graph.node_outputs[node].tolist(), graph.node_inputs[node].tolist()
        rows = [errors.rows.get(tensor) for tensor in (*made[:1], *read)]
        known = [row for row in rows if row is not None and row.unique is not None and row.candidate_side is not None]
        if len(known) == len(rows) and len(rows) > READERS:
            yield from ((node, place) for place in _merged(known[0], known[1:]))


def _merged(output: Row, inputs: list[Row]) -> Iterator[int]:
    counts = [0 if row.unique is None else row.unique.count for row in (output, *inputs)]
    if any(row.unique is None or row.unique.more for row in (output, *inputs)):
        return
    for place, row in enumerate(inputs):
        others = [other for other in inputs if other is not row]
        rest = sum(counts[1:]) - counts[place + 1]
        if counts[place + 1] > 1 and counts[0] <= rest + 1 and all(_apart(row, other) for other in others):
            yield place


def _apart(one: Row, other: Row) -> bool:
    a, b = one.candidate_side, other.candidate_side
    return a is not None and b is not None and (a.high < b.low or b.high < a.low)


def _or_none(error: float) -> float:
    """Takes an unknown error for none."""
    return 0.0 if np.isnan(error) else float(error)


@dataclass(slots=True)
class _Climb:
    """Climb from a tensor whose readers lose to the node that lost it: further up as long as that only passed it on."""

    graph: Graph
    errors: TensorErrors
    kinds: Kinds
    trace: Trace
    seen: set[int] = field(default_factory=set)

    def to(self, tensor: int, error: float, note: str) -> None:
        node = int(self.graph.producers[tensor])
        while node >= 0 and node not in self.seen:
            self.seen.add(node)
            trace = self.trace
            trace.out[node] = max(_or_none(trace.out[node]), error)
            above = self._above(node, error)
            if above is None:
                trace.notes[node] = note
                return
            tensor, error = above
            if self.errors.made[tensor] * LOUD <= error and tensor in self.errors.rows and not self.kinds.form[node]:
                note = _channels_note(self.errors.rows[tensor])
            node = int(self.graph.producers[tensor])

    def _above(self, node: int, error: float) -> tuple[int, float] | None:
        """The input from which the loss came already, and how large it was there; None: it was made here."""
        slots = self.trace.slots
        here = range(*np.searchsorted(slots.readers, [node, node + 1]).tolist())
        for slot in (slot for slot in here if not slots.constant[slot]):
            tensor = int(slots.tensors[slot])
            quiet, made = float(self.errors.quiet[tensor]), float(self.errors.made[tensor])
            before = error if self.kinds.form[node] else quiet if quiet >= LOUD * made else 0.0
            if np.isfinite(before) and before > CLEAN:
                slots.errors[slot] = max(before, _or_none(slots.errors[slot]))
                if before**2 >= error**2 / 2 and self.graph.producers[tensor] >= 0:
                    return tensor, before
        return None


def _traced(trace: Trace, out: Floats, shares: Floats) -> Floats:
    """Shares of nodes that were blamed for more than their own tensor shows; NaN for all others."""
    changed = np.nan_to_num(trace.out, nan=-1.0) > np.nan_to_num(out, nan=-1.0)
    changed[trace.proven] = True
    return np.where(changed, shares, np.nan)


def _of_tensors(graph: Graph, placed: Placed, comparison: Comparison, errors: TensorErrors, kinds: Kinds) -> Blame:
    """Judges tensors where the flow is unknown: what is good is clean, and of what is bad nothing more can be said."""
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
        vendor=vendor_of(graph, any(row.printed is not None for row in comparison.rows[:1])),
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
    """Judges a list of tensors: how many are bad, and which of them comes first."""
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
    """Finds what arrives at each node, and which share it introduced, once errors are where the trace put them."""
    before = arriving(graph, trace.slots)
    back = regained(graph, trace.slots, before)
    return before, *_shares(graph, trace.out, back, kinds, trace)


def _shares(
    graph: Graph, out: Floats, arrived: Floats, kinds: Kinds, trace: Trace | None = None
) -> tuple[Floats, list[int]]:
    """Finds what each node introduced, less what a clear fault upstream explains, and these faults."""
    found = introduced_shares(out, arrived, kinds)
    found = found if trace is None else _with_proven(found, trace, arrived)
    return without_explained(graph, found, out, arrived, kinds)


def _with_proven(shares: Floats, trace: Trace, arrived: Floats) -> Floats:
    """Raises the shares of nodes that are shown to lose values: all error beyond what they read is their own."""
    found = shares.copy()
    for node in trace.proven:
        with np.errstate(all="ignore"):
            found[node] = np.fmax(found[node], 1 - (np.nan_to_num(arrived[node]) / trace.out[node]) ** 2)
    return found


def _unjudged(graph: Graph, errors: TensorErrors, open_ones: NDArray[np.bool_]) -> frozenset[int]:
    """Chooses from these nodes those that make something that was measured."""
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


_PASSING = NOISE | {"Transpose", "TransposeD", "Permute"}
# Nodes at the end of a model that are looked through.
_MOST = 64
_Parts = Iterator[tuple[int, str]]
# Ends with their errors, and what those are that are parts.
WithParts = tuple[tuple[tuple[int, float], ...], Mapping[int, str]]


def with_parts(graph: Graph, errors: TensorErrors, ends: Sequence[tuple[int, float]]) -> WithParts:
    """The worst part in place of each output that is clearly better as a whole, and what that part is."""
    found, told = list(ends), dict[int, str]()
    for at, (tensor, error) in enumerate(ends):
        parts = dict(_parts(graph, errors, tensor, graph.tensor_names[tensor], set()))
        worst = max(parts, key=lambda part: float(np.nan_to_num(errors.made[part], posinf=np.inf)), default=tensor)
        if worst in parts and errors.made[worst] >= max(CLEARLY * error, CLEAN):
            found[at], told[worst] = (worst, float(errors.made[worst])), parts[worst]
    return tuple(found), told


def _parts(graph: Graph, errors: TensorErrors, tensor: int, name: str, seen: set[int], moved: bool = False) -> _Parts:
    """`moved`: what were columns are none in the tensor of that name."""
    maker = int(graph.producers[tensor])
    if maker < 0 or maker in seen or len(seen) > _MOST:
        return
    seen.add(maker)
    read = graph.node_inputs[maker].tolist()
    if graph.op_types[maker] in _PASSING and read and read[0] >= 0:
        yield from _parts(graph, errors, read[0], name, seen, moved or graph.op_types[maker] not in CONVERSIONS)
    if graph.op_types[maker] not in MERGING:
        return
    joined = int(graph.node_outputs[maker][0])
    read = [each for each in read if each in errors.rows]
    shapes = [errors.rows[each].shape for each in (joined, *read) if each in errors.rows and joined in errors.rows]
    sizes = list(zip(*shapes, strict=False)) if len(set(map(len, shapes))) == 1 and not moved else []
    axes = [at for at, each in enumerate(sizes) if len(set(each)) > 1]
    fits = len(axes) == 1 and 2 * sizes[axes[0]][0] == sum(sizes[axes[0]])
    start = 0
    for part in read:
        size = errors.rows[part].shape[axes[0]] if fits else 0
        own = graph.tensor_names[part]
        inner = list(_parts(graph, errors, part, own, seen))
        where = (
            say("columns {}–{} of {}", start, start + size - 1, name) if size else say("the part {} of {}", own, name)
        )
        yield from inner if inner else [(part, where)]
        start += size


def _ends(graph: Graph, errors: TensorErrors, out: Floats, seen: Floats) -> tuple[WithParts, bool]:
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


def _unclear(graph: Graph, errors: TensorErrors) -> tuple[int, ...]:
    rows = ((tensor, errors.rows.get(tensor)) for tensor in graph.outputs.tolist() if np.isnan(errors.made[tensor]))
    return tuple(tensor for tensor, row in rows if row is not None and row.values.get("relative_l2") == np.inf)


def _seen_error(graph: Graph, errors: TensorErrors, out: Floats, seen: Floats, tensor: int) -> float:
    maker = int(graph.producers[tensor])
    error = float(errors.reaching[tensor])
    return float(seen[maker]) if maker >= 0 and seen[maker] > np.nan_to_num(out[maker]) else error


def _last(graph: Graph, errors: TensorErrors) -> Iterator[int]:
    """Measured tensors of nodes that lead to nothing measured, not even through nodes that were not."""
    start, end, _ = graph.edges
    known = ~np.isnan(worst_made(graph, errors.made))
    followed = np.zeros(len(graph), bool)
    followed[start[(known | reached(links_of(graph)[0], np.flatnonzero(known), ~known, len(graph)))[end]]] = True
    for node in np.flatnonzero(known & ~followed).tolist():
        made = graph.node_outputs[node].tolist()
        yield from (tensor for tensor in made if tensor >= 0 and not np.isnan(errors.made[tensor]))


def _inputs(graph: Graph, errors: TensorErrors, rounded: frozenset[int]) -> tuple[tuple[int, float], ...]:
    found = ((tensor, float(errors.made[tensor])) for tensor in graph.inputs.tolist() if tensor not in rounded)
    return tuple((tensor, error) for tensor, error in found if error > 0)


def _rounded(graph: Graph, errors: TensorErrors) -> frozenset[int]:
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
    if is_compiled(graph):
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
