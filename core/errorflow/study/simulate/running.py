"""Runs a plan on samples, from the first error to the verdict."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod

import numpy as np

from errorflow.base.language import joined, said, say
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, replace
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.measure import MeasuredPair, measure
from errorflow.compare.model import Comparison, Row
from errorflow.compare.placed import Placed
from errorflow.explain.blame.advice import advice_for
from errorflow.explain.blame.combine import combine
from errorflow.explain.blame.estimate import estimate
from errorflow.explain.blame.limits import CLEAN
from errorflow.explain.blame.model import Advice, Blame, Floats, ModelVerdict, OutputChoice, Switched
from errorflow.explain.findings.model import Findings
from errorflow.graph.model import Graph
from errorflow.quant.assign import Assigned
from errorflow.quant.operators import MOVING
from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Calibration, Range
from errorflow.quant.units import units_of
from errorflow.run.engine.engine import Engine
from errorflow.run.engine.table import BrokenTensor, Table
from errorflow.study.simulate.answers import Answers, answers
from errorflow.study.simulate.clipping import Clipped, clipped
from errorflow.study.simulate.gained import gained, gained_in_channels
from errorflow.study.simulate.noise import Noise, NoiseSource, alone, noise_of
from errorflow.study.simulate.outcome import Outcome
from errorflow.study.simulate.pooled import comparison_of, exact_parts, pooled_sums, relative_errors
from errorflow.study.simulate.sides import Sides, sides_of
from errorflow.study.simulate.tried import WIDE, TriedAdvice, said_of, tried
from errorflow.study.simulate.uncut import uncut

_SQNR, _RELATIVE = (next(metric for metric in METRICS if metric.key == key) for key in ("sqnr", "relative_l2"))
# One image ranks groups as four do, but for images on which outputs saturate.
NOISE_SAMPLES = 4
_BROKEN = "the first to make NaN or infinite values, which codes may hide"


def worst_sample(table: Table, outputs: Sequence[str]) -> int:
    """The number of the sample with the least SQNR at any output; -1 where none was measured."""
    places = [table.places[name] for name in outputs if name in table.places]
    if not places:
        return -1
    found = table.column(_SQNR)[:, places]
    # What is no number is worse than all that is one.
    worst = np.where(np.isnan(found), -np.inf, found).min(axis=1)
    return int(table.samples[int(np.argmin(worst))])


def simulate(engine: Engine, plan: Plan, *, noise_samples: int = NOISE_SAMPLES, progress: Progress = SILENT) -> Outcome:
    """Runs the plan on all samples of the engine, and each group of nodes alone on a few, the worst among them."""
    return gradually(engine, plan, _nobody, noise_samples=noise_samples, progress=progress, quick=False)


def gradually(
    engine: Engine,
    plan: Plan,
    give: Callable[[Outcome], None],
    *,
    sample: int = 0,
    quick: bool = True,
    noise_samples: int = NOISE_SAMPLES,
    progress: Progress = SILENT,
) -> Outcome:
    """The same, and `give` gets what is known meanwhile: if `quick`, first of all the errors on one sample."""
    measured = uncut(engine.graph, plan, engine.assigned(plan))
    if quick:
        give(_put_together(engine, plan, engine.run(measured, samples=[sample], progress=progress), progress))
    table = engine.run(measured, split=True, node=True, progress=progress)
    found = replace(_put_together(engine, plan, table, progress), depth="exact")
    give(found)
    worst = worst_sample(table, engine.outputs)
    seen = closely(engine, measured, max(worst, 0), progress)
    said = answers(engine, plan, progress)
    found = _put_together(engine, plan, table, progress, seen, said=said)
    found = replace(found, worst_sample=worst, answers=said, depth="exact")
    if not noise_samples:
        return replace(found, depth="complete")
    give(found)
    noise = noise_of(engine, plan, _for_noise(engine, worst, noise_samples), progress)
    noise = pointed(engine, plan, noise, progress)
    sides = sides_of(engine, plan, _bad(found.findings), progress)
    switched = gained(engine, plan, noise, _bad(found.findings), worst, progress)
    quiet = _without_known(found.findings, switched)
    switched |= gained_in_channels(engine, plan, quiet, worst, progress)
    known = FurtherRuns(noise, switched, sides, _tried(engine, plan, switched, worst, progress))
    whole = _put_together(engine, plan, table, progress, seen, said, known)
    return replace(whole, noise=noise, worst_sample=worst, answers=said, sides=sides, depth="complete")


def _without_known(findings: Findings, switched: Mapping[int, Switched]) -> ModelVerdict:
    """The verdict with those of its bad outputs alone whose quiet channels are bad."""
    assert findings.blame is not None
    model = findings.blame.model
    evidence, producers = findings.blame.evidence, findings.graph.producers
    assert evidence is not None
    bad = [(tensor, each) for tensor, each in model.outputs if each.kind != "good" and tensor not in switched]
    makers = [int(producers[tensor]) for tensor, _ in bad]
    is_quiet = [maker >= 0 and bool(np.isfinite(evidence.traced[maker])) for maker in makers]
    return replace(model, outputs=tuple(each for each, quiet in zip(bad, is_quiet, strict=True) if quiet))


def _tried(
    engine: Engine, plan: Plan, switched: Mapping[int, Switched], worst: int, progress: Progress
) -> tuple[TriedAdvice, ...]:
    """Tries advice at the worst output."""
    for tensor, found in switched.items():
        return tried(engine, plan, engine.graph.tensor_names[tensor], found.remedy, worst, progress)
    return ()


def _bad(findings: Findings) -> list[str]:
    """The outputs that are."""
    blame = findings.blame
    verdicts = () if blame is None else blame.model.outputs
    return [findings.graph.tensor_names[tensor] for tensor, verdict in verdicts if verdict.kind != "good"]


def _put_together(
    engine: Engine,
    plan: Plan,
    table: Table,
    progress: Progress,
    seen: Mapping[str, MeasuredPair] | None = None,
    said: Mapping[str, Answers] | None = None,
    known: "FurtherRuns | None" = None,
) -> Outcome:
    comparison = comparison_of(table, engine.graph, engine.shapes, {} if seen is None else seen)
    placed = Placed.of(engine.graph, comparison, "reference")
    coded = entering(engine.graph, comparison, engine.calibration)
    chosen = _chosen(engine.graph, {} if said is None else said)
    found = estimate(engine.graph, placed, comparison, coded=coded, chosen=chosen, progress=progress)
    blame = _with_broken(found, table)
    errors = _node_errors(engine, table)
    if not np.isnan(table.part("introduced")).all():
        switched = {} if known is None else known.switched
        blame = combine(blame, exact_parts(table, engine.graph, switched), progress=progress)
    assigned = engine.assigned(plan)
    cut = {} if known is None else clipped(engine, plan, known.noise, blame.model)
    blame = advised(blame, assigned, table, {} if known is None else known.sides, cut, known.tries if known else ())
    findings = Findings(engine.graph, comparison, placed, "reference", blame)
    return Outcome(plan, assigned, table, comparison, findings, errors, depth="quick")


def _chosen(graph: Graph, said: Mapping[str, Answers]) -> dict[int, OutputChoice]:
    numbers = ((graph.tensor_index(name), each.chosen) for name, each in said.items())
    return {number: chosen for number, chosen in numbers if number is not None}


def _with_broken(blame: Blame, table: Table) -> Blame:
    """Codes hide what was NaN or infinite before: the node is told of it, and the advice is as where it shows."""
    first = {each.tensor for each in table.broken() if each.side == "candidate"}
    numbers = (blame.graph.tensor_index(name) for name in first)
    nodes = {int(blame.graph.producers[number]) for number in numbers if number is not None}
    evidence = blame.evidence
    if not first or evidence is None:
        return blame
    said = {node: _BROKEN for node in nodes if node >= 0}
    notes = dict(blame.notes) | {
        node: "; ".join(filter(None, (text, blame.notes.get(node)))) for node, text in said.items()
    }
    return replace(blame, notes=notes, evidence=replace(evidence, seen=evidence.seen | {"overflow"}))


def _nobody(_: Outcome) -> None:
    """Waits for the end."""


def _for_noise(engine: Engine, worst: int, count: int) -> tuple[int, ...]:
    """Chooses samples for the noise. The worst comes first: on one that is easy for the model, outputs saturate."""
    others = [sample for sample in range(engine.samples) if sample != worst]
    return tuple([worst, *others][:count] if worst >= 0 else others[:count])


def _node_errors(engine: Engine, table: Table) -> Floats:
    found = np.full(len(engine.graph), np.nan)
    for name, error in relative_errors(table, "node").items():
        number = engine.graph.tensor_index(name)
        node = -1 if number is None else int(engine.graph.producers[number])
        if node >= 0 and not found[node] >= error:
            found[node] = error
    return found


# Of a range's width: steps of 8 bits are as large, and ranges are seldom better known.
_STEP = 1 / 255


def entering(graph: Graph, comparison: Comparison, calibration: Calibration | None) -> dict[int, str]:
    """Says by input what its codes did to it, in words that follow its name; "" where that is little."""
    rows = {row.tensor: row for row in comparison.rows}
    ranges = {} if calibration is None else calibration.ranges
    names = {int(tensor): graph.tensor_names[tensor] for tensor in graph.inputs.tolist()}
    return {tensor: _how(rows[name], ranges.get(name)) for tensor, name in names.items() if name in rows}


def _how(row: Row, known: Range | None) -> str:
    if not row.value("relative_l2") > CLEAN:
        return ""
    ends = "" if known is None else "; ".join(_beyond(row, known))
    return f"is clipped ({ends})" if ends else "is coded too coarsely"


def _beyond(row: Row, known: Range) -> Iterator[str]:
    """The ends of the range that the data lie beyond. Every range holds zero."""
    side, low, high = row.reference_side, min(known.low, 0.0), max(known.high, 0.0)
    if side is None:
        return
    slack = (high - low) * _STEP
    if side.high > high + slack:
        yield f"its calibration range ends at {high:.3g}, the data reach {side.high:.3g}"
    if side.low < low - slack:
        yield f"its calibration range begins at {low:.3g}, the data at {side.low:.3g}"


# Each tensor on one sample, as closely as two runs are compared: channels, and how many values are left.
#
# A loud channel hides what happens to the quiet ones, and large values what happens to small ones beside them.

# Of values that are in memory at a time.
_PORTION = 32 << 20
_BYTES = 4


def closely(engine: Engine, plan: Plan, sample: int, progress: Progress = SILENT) -> Mapping[str, MeasuredPair]:
    """Measures by tensor all that can be measured."""
    found: dict[str, MeasuredPair] = {}
    for names in _portions(engine.tensors, engine.shapes):
        progress.step(len(found), len(engine.tensors), "Measuring channels")
        reference = engine.values(None, names, sample, progress)
        candidate = engine.values(plan, names, sample, progress)
        found |= {name: measure(reference[name], candidate[name]) for name in names}
    return found


def _portions(names: Sequence[str], shapes: Mapping[str, tuple[int, ...]]) -> Iterator[list[str]]:
    portion: list[str] = []
    size = 0
    for name in names:
        more = _BYTES * prod(shapes[name])
        if portion and size + more > _PORTION:
            yield portion
            portion, size = [], 0
        portion.append(name)
        size += more
    if portion:
        yield portion


# Which node of a group is to be named: the one that takes most of the group's noise with it when it is in float.
#
# A group is quantized alone as a whole, and goes by its first node. Its noise may be that of a tensor which another one
# makes; then the first one in float changes nothing. So of groups that bring much each tensor is quantized alone.

# Of the noise of an output: what brings less is hardly left in float.
HEAVY = 0.05
_POINTING_TEXT = "Quantizing one tensor at a time"


def pointed(engine: Engine, plan: Plan, noise: Noise, progress: Progress = SILENT) -> Noise:
    """The same with heavy groups under the name of that node, and their tensors in the order of what they bring."""
    # A Relu makes the codes of what it reads, which are no noise of their own.
    seen = uncut(engine.graph, plan, engine.assigned(plan))
    assigned = engine.assigned(seen)
    units = units_of(engine.graph)
    found = list(noise.sources)
    for number, place in _heavy(noise):
        source = found[number]
        nodes = _named(engine.graph, assigned, units.nodes[units.of[source.node]].tolist())
        if len(source.tensors) > 1 and nodes:
            powers = _powers(engine, seen, assigned, source, noise, place, progress)
            node = max(nodes, key=lambda node: _taken(engine.graph, node, powers))
            order = sorted(source.tensors, key=lambda name: -powers.get(name, 0.0))
            # Of several that take as much the one stays that stood there.
            stays = _taken(engine.graph, source.node, powers) >= _taken(engine.graph, node, powers)
            found[number] = replace(source, node=source.node if stays else node, tensors=tuple(order))
    return replace(noise, sources=tuple(found))


def _heavy(noise: Noise) -> Iterator[tuple[int, int]]:
    """Sources that bring much to an output, and to which one."""
    shares = np.array([noise.shares(place) for place in range(len(noise.outputs))])
    if shares.size:
        places = shares.argmax(axis=0)
        for number in np.flatnonzero(shares.max(axis=0) >= HEAVY).tolist():
            yield number, int(places[number])


def _powers(
    engine: Engine, plan: Plan, assigned: Assigned, source: NoiseSource, noise: Noise, place: int, progress: Progress
) -> Mapping[str, float]:
    """Measures by coded tensor the power of the error that it alone makes at the output, on one sample."""
    names = list(_own(engine.graph, assigned, source))
    plans = [alone(plan, assigned, engine.graph, replace(source, tensors=(name,))) for name in names]
    output = noise.outputs[place]
    tables = engine.run_many(plans, [output], noise.samples[:1], text=_POINTING_TEXT, progress=progress)
    found = (pooled_sums(table, output) for table in tables)
    powers = (0.0 if sums is None else math.inf if sums.broken else float(sums.dd) for sums in found)
    return dict(zip(names, powers, strict=True))


def _own(graph: Graph, assigned: Assigned, source: NoiseSource) -> Iterator[str]:
    """Yields coded tensors, once: the same codes under another name bring the same error, which is none of their
    own.
    """
    for name in source.tensors:
        tensor = graph.tensor_index(name)
        if tensor is None or tensor not in assigned.coded:
            continue
        before = assigned.scale_of.get(tensor) if tensor in assigned.moved else None
        if before is None or graph.tensor_names[before] not in source.tensors:
            yield name


def _named(graph: Graph, assigned: Assigned, nodes: Sequence[int]) -> list[int]:
    """Chooses nodes that may stand for a group: one that only moves values makes no error."""
    read = [node for node in nodes if _reads(graph, assigned, node)]
    makers = [node for node in read if graph.op_types[node] not in MOVING]
    return makers if makers else read


def _reads(graph: Graph, assigned: Assigned, node: int) -> bool:
    """Whether a node reads; one that only holds or passes on a constant cannot be left in float."""
    return bool(len(graph.node_inputs[node])) and assigned.constants.keys().isdisjoint(
        graph.node_outputs[node].tolist()
    )


def _taken(graph: Graph, node: int, powers: Mapping[str, float]) -> float:
    """Computes what is gone with the node in float, which frees all that it reads and makes."""
    touched = {*graph.node_inputs[node].tolist(), *graph.node_outputs[node].tolist()}
    return sum(powers.get(graph.tensor_names[tensor], 0.0) for tensor in touched if tensor >= 0)


# What a simulation knows beside two runs, in its verdict and advice: where no number begins, and what is switched.

_NOTHING_CODED = "Nothing of the model is quantized under this plan."
_WEIGHTS = (
    "Make weights of layers behind each other equally large (equalize) or correct biases: they bring most of the "
    "error, and another calibration changes nothing of that."
)
_ACTIVATIONS = (
    "Change how activations are quantized, which bring most of the error: another calibration method, more or better "
    "data, or SmoothQuant."
)
# Neighbours that are named.
_MOST = 3


@dataclass(frozen=True, slots=True)
class FurtherRuns:
    """Facts about the error from further runs."""

    noise: Noise
    # By the tensor of an output.
    switched: Mapping[int, Switched]
    # By the name of an output.
    sides: Mapping[str, Sides]
    tries: tuple[TriedAdvice, ...] = ()


def advised(
    blame: Blame,
    assigned: Assigned,
    table: Table,
    by_output: Mapping[str, Sides],
    cut: Mapping[int, Clipped],
    tries: Sequence[TriedAdvice] = (),
) -> Blame:
    """The same with what two runs of other people's tools cannot tell."""
    model, broken = blame.model, table.broken()
    text, before = model.text, tuple(_of_samples(blame.graph, broken))
    if model.kind == "nothing":
        text = _nothing(blame.graph, broken, len(table.samples), text)
        return replace(blame, model=replace(model, text=text, advice=before))
    if not assigned.coded and not model.top:
        return replace(blame, model=replace(model, text=say("{} {}", say(_NOTHING_CODED), text), advice=before))
    sides = _judged(blame, by_output)
    rows = tuple(_switched(row, blame, assigned, sides, cut, tries) for row in model.advice)
    born = _born(blame.graph, broken)
    if born >= 0 and any(row.key == "overflow" for row in rows):
        name = say("{} ({})", blame.graph.title(born), blame.graph.op_types[born])
        text = say("{} is the first to make NaN or infinite values. {}", name, text)
        rows = tuple(_advising_named(row, blame.graph.title(born)) for row in rows)
    text = text if sides is None else say("{} {}", text, sides.text)
    found = replace(blame, model=replace(model, text=text, advice=(*before, *rows)))
    return _with_notes(found, cut)


def _judged(blame: Blame, sides: Mapping[str, Sides]) -> Sides | None:
    """Judges the worst output, whose verdict is that of the model."""
    model, names = blame.model, blame.graph.tensor_names
    judged = [names[tensor] for tensor, verdict in model.outputs if model.text.startswith(verdict.text)]
    return next((sides[name] for name in judged if name in sides), None)


def _with_notes(blame: Blame, clipped: Mapping[int, Clipped]) -> Blame:
    if not clipped:
        return blame
    notes = dict(blame.notes)
    for node, each in clipped.items():
        notes[node] = "; ".join(filter(None, (each.text, notes.get(node))))
    return replace(blame, notes=notes)


def _of_samples(graph: Graph, broken: Sequence[BrokenTensor]) -> Iterator[Advice]:
    """Yields what is wrong before anything is quantized."""
    makers = {_maker(graph, each) for each in broken if each.side == "reference"}
    if -1 in makers:
        yield from advice_for({"broken samples"})
    if makers - {-1}:
        yield from advice_for({"broken model"})


def _nothing(graph: Graph, broken: Sequence[BrokenTensor], samples: int, otherwise: str) -> str:
    if not broken:
        return otherwise
    first = broken[0]
    count = sum(each.tensor == first.tensor for each in broken)
    where = say("on {} of {} samples, the first is sample {}", f"{count:,}", f"{samples:,}", first.sample)
    what = say("NaN") if first.what == "NaN" else say("infinite values")
    node = _maker(graph, first)
    if node < 0:
        return say("Nothing could be measured: the samples hold {} in the input {}, {}.", what, first.tensor, where)
    side = say("in the float model") if first.side == "reference" else say("in the simulation")
    named = say("{} ({})", graph.title(node), graph.op_types[node])
    return say("Nothing could be measured: {} is the first to make {}, {}, {}.", named, what, side, where)


def _maker(graph: Graph, each: BrokenTensor) -> int:
    """-1: an input of the model."""
    number = graph.tensor_index(each.tensor)
    return -1 if number is None else int(graph.producers[number])


def _born(graph: Graph, broken: Sequence[BrokenTensor]) -> int:
    """The node that makes the first value that is no number only when it is quantized; -1: none does."""
    return next((_maker(graph, each) for each in broken if each.side == "candidate"), -1)


def _advising_named(row: Advice, node: str) -> Advice:
    text = say("Keep {} and what feeds it in float; then simulate again.", node)
    return replace(row, text=text) if row.key == "overflow" else row


def _switched(
    row: Advice,
    blame: Blame,
    assigned: Assigned,
    sides: Sides | None,
    cut: Mapping[int, Clipped],
    tries: Sequence[TriedAdvice],
) -> Advice:
    """Leaves out advice for what has the advised bits already, and what would not help."""
    if row.key == "coded input":
        return _of_input(row, blame, assigned)
    if row.key == "accumulated error":
        return _of_side(row, sides, tries)
    if row.key not in ("node error", "leading node") or not blame.model.top:
        return row
    node = blame.model.top[0].node
    if node in cut:
        return replace(row, text=cut[node].remedy(blame.graph.title(node)))
    if blame.model.remedy is not None and row.key == "node error":
        wide = said_of(tries, ("set",))
        return replace(row, text=say("{} {}", said(row.text), wide)) if wide else row
    name, wish = blame.graph.title(node), assigned.wishes[node][0]
    if isinstance(wish, Precision) and wish.bits >= WIDE:
        text = say(
            "{} has {} bits already: leave it in float, or it and the node before or behind it.", name, wish.bits
        )
        return replace(row, text=text)
    if wish != FLOAT:
        return row
    around = [blame.graph.title(each) for each in _around(blame.graph, node) if assigned.wishes[each][0] != FLOAT]
    if not around:
        return replace(row, text=say("{} and its neighbours are in float already: look at what feeds them.", name))
    return replace(row, text=say("{} is in float already: leave its neighbours in float too: {}.", name, _some(around)))


def _of_side(row: Advice, sides: Sides | None, tries: Sequence[TriedAdvice]) -> Advice:
    """Leaves out advice that helps the other side, where one side brings most of it, and what was seen not to help."""
    most = None if sides is None else sides.most
    text = row.text if most is None else _ACTIVATIONS if most == "activations" else _WEIGHTS
    seen = said_of(tries, ("activations", "weights", "channels"))
    return replace(row, text=say("{} {}", said(text), seen) if seen else text)


def _of_input(row: Advice, blame: Blame, assigned: Assigned) -> Advice:
    coded = {} if blame.evidence is None else blame.evidence.coded
    bits = [
        assigned.activations[tensor].bits for tensor, how in coded.items() if how and tensor in assigned.activations
    ]
    if not bits or min(bits) < WIDE:
        return row
    return replace(row, text="Calibrate on data that reach as far as those of use, or keep the named input in float.")


def _around(graph: Graph, node: int) -> tuple[int, ...]:
    """Lists the nodes that make what it reads, and those that read what it makes."""
    start, end, _ = graph.edges
    return tuple(dict.fromkeys([*start[end == node].tolist(), *end[start == node].tolist()]))


def _some(names: Sequence[str]) -> str:
    more = say(" and {} more", f"{len(names) - _MOST:,}") if len(names) > _MOST else ""
    return say("{}{}", joined(", ", names[:_MOST]), more)
