"""Blame that belongs to a producer: one scale for loud and quiet values looks fine as a whole and ruins its readers.

Three things say so without a run. Channels: the ratio of the channel in the middle is far worse than the tensor's own.
Readers: all that read one tensor with weights of their own lose at once, alike, and nobody else does. Values: what was
put side by side comes out as fewer different values than went in.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from errorflow.base.language import say
from errorflow.compare.model import Row
from errorflow.explain.blame.limits import ALIKE, CLEAN, COMMON, EXPLAINS, LOUD, READERS, SHARP
from errorflow.explain.blame.measured import Errors
from errorflow.explain.blame.model import Floats, Slots, Verdict
from errorflow.explain.blame.parts import Kinds
from errorflow.graph.model import Graph
from errorflow.graph.unit import is_quantizer_of_layer, unit

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
    graph: Graph, errors: Errors, out: Floats, arrived: Floats, verdicts: NDArray[np.int8], kinds: Kinds
) -> Trace:
    """What changes when losses of readers are taken back to the tensors that they read."""
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
    for node, tensor in _rounded(graph, out, arrived):
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


def _loud(graph: Graph, errors: Errors, out: Floats, suspects: Bools) -> Bools:
    """Inputs whose channels explain what their readers lose."""
    slots = errors.slots
    quiet, made = errors.quiet[slots.tensors], errors.made[slots.tensors]
    with np.errstate(invalid="ignore"):
        loud = np.isfinite(quiet) & (quiet > CLEAN) & (quiet >= LOUD * made)
        explained = out[slots.readers] <= EXPLAINS * quiet
    has_maker = graph.producers[slots.tensors] >= 0
    return np.asarray(suspects[slots.readers] & ~slots.constant & loud & explained & has_maker)


def _rounded(graph: Graph, out: Floats, arrived: Floats) -> Iterator[tuple[int, int]]:
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
    """Tensors, and the inputs of their readers, that all lose alike; none if anybody else begins to lose as well."""
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


def _flattened(graph: Graph, errors: Errors) -> Iterator[tuple[int, int]]:
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
    """What is not known is no error yet."""
    return 0.0 if np.isnan(error) else float(error)


@dataclass(slots=True)
class _Climb:
    """From a tensor whose readers lose to the node that lost it: further up as long as that only passed it on."""

    graph: Graph
    errors: Errors
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
