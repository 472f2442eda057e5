"""Runs a plan on samples, from the first error to the verdict."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod

import numpy as np

from errorflow.base.language import joined, say
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, field, replace
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.measure import MeasuredPair, measure
from errorflow.compare.model import Comparison, Row
from errorflow.compare.placed import Placed
from errorflow.explain.blame.advice import advice_for
from errorflow.explain.blame.combine import combine
from errorflow.explain.blame.estimate import estimate
from errorflow.explain.blame.limits import CLEAN, FEW, MOST, NEARLY_ALL
from errorflow.explain.blame.model import Advice, Blame, Floats, OutputChoice
from errorflow.explain.findings.model import Findings
from errorflow.graph.model import Graph
from errorflow.quant.assign import Assigned, CodedConstant
from errorflow.quant.operators import MOVING, PRODUCTS
from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Calibration, Range
from errorflow.quant.units import units_of
from errorflow.run.engine.engine import Engine
from errorflow.run.engine.table import BrokenTensor, Table
from errorflow.study.simulate.answers import Answers, answers
from errorflow.study.simulate.clipping import Clipped, clipped
from errorflow.study.simulate.noise import Noise, NoiseSource, alone, noise_of
from errorflow.study.simulate.outcome import Outcome
from errorflow.study.simulate.pooled import comparison_of, exact_parts, pooled_sums, relative_errors
from errorflow.study.simulate.sides import Sides, sides_of
from errorflow.study.simulate.uncut import uncut

_SQNR, _RELATIVE = (next(metric for metric in METRICS if metric.key == key) for key in ("sqnr", "relative_l2"))
# The error power that single groups make, over what all of them make together. Below (3 dB less) they make each other
# worse, above (6 dB more) outputs saturate or errors cancel each other: then single groups tell nothing of the whole.
EXPLAINED = (0.5, 4.0)
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
    whole = _put_together(engine, plan, table, progress, seen, noise, said, sides)
    return replace(whole, noise=noise, worst_sample=worst, answers=said, sides=sides, depth="complete")


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
    noise: Noise | None = None,
    said: Mapping[str, Answers] | None = None,
    sides: Mapping[str, Sides] | None = None,
) -> Outcome:
    comparison = comparison_of(table, engine.graph, engine.shapes, {} if seen is None else seen)
    placed = Placed.of(engine.graph, comparison, "reference")
    coded = entering(engine.graph, comparison, engine.calibration)
    chosen = _chosen(engine.graph, {} if said is None else said)
    found = estimate(engine.graph, placed, comparison, coded=coded, chosen=chosen, progress=progress)
    blame = _with_broken(found, table)
    errors = _node_errors(engine, table)
    if not np.isnan(table.part("introduced")).all():
        parts = exact_parts(
            table, engine.graph, {} if noise is None else _contributions(engine, plan, noise, table, progress)
        )
        blame = combine(blame, parts, progress=progress)
    assigned = engine.assigned(plan)
    known = UNKNOWN
    if noise is not None:
        known = FurtherRuns({} if sides is None else sides, clipped(engine, plan, noise, blame.model))
    findings = Findings(engine.graph, comparison, placed, "reference", advised(blame, assigned, table, known))
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


def _contributions(engine: Engine, plan: Plan, noise: Noise, table: Table, progress: Progress) -> dict[int, Floats]:
    """Finds contributions to outputs whose error is what the noise of all groups says; else no sum tells.

    Where outputs saturate a sum may be right by chance: a few that are said to bring nearly all must take it with them.

    Then one group may take most of it with it when it is in float, and else nothing is known. Nor does power tell where
    the output is good as a whole: what is wrong there, such as small values beside large ones of which nothing is left,
    has none.
    """
    found: dict[int, Floats] = {}
    for place, name in enumerate(noise.outputs):
        number = engine.graph.tensor_index(name)
        if number is None or _RELATIVE.of(noise.measured(place, table)) <= CLEAN:
            continue
        adds_up = EXPLAINED[0] <= noise.explained(place, table) <= EXPLAINED[1]
        if adds_up and confirmed(engine, plan, noise, place, table, progress):
            found[number] = noise.by_node(place, len(engine.graph))
        else:
            parts = mended(engine, plan, noise, place, table, progress)
            if parts is not None:
                found[number] = parts
    return found


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


# What is gone of an output's error when one group alone is left in float.
#
# Where the noise of single groups does not add up to what all of them do, nodes work together or outputs saturate.
# Then
# the sum tells nothing, but one group in float that takes most of the error with it is to blame all the same. If it
# takes nearly all, no other one is to blame, though others may heal as well: where a loud value meets a coarse weight,
# either in float does. They share what the first one leaves.

# Groups that are tried, those that make most noise alone first.
TRIED = 8
_TEXT = "Leaving one group at a time in float"


def mended(
    engine: Engine, plan: Plan, noise: Noise, place: int, table: Table, progress: Progress = SILENT
) -> Floats | None:
    """Finds by node the share of the output's error that is gone; None: no group takes most of it with it."""
    error = float(noise.measured(place, table).dd)
    order = np.argsort(-noise.shares(place), kind="stable")[:TRIED].tolist()
    sources = [noise.sources[number] for number in order]
    output = noise.outputs[place]
    plans = [_without(plan, source) for source in sources]
    tables = engine.run_many(plans, [output], noise.samples, text=_TEXT, progress=progress)
    found = np.zeros(len(engine.graph))
    for source, table_ in zip(sources, tables, strict=True):
        sums = pooled_sums(table_, output)
        if sums is not None and not sums.broken and error > 0:
            found[source.node] += max(0.0, 1 - float(sums.dd) / error)
    most = float(found.max(initial=0.0))
    if most < MOST:
        return None
    return found if most < NEARLY_ALL else _counted_once(found)


def confirmed(engine: Engine, plan: Plan, noise: Noise, place: int, table: Table, progress: Progress = SILENT) -> bool:
    """Whether the few groups that seem to bring nearly all of an error take most of it with them when in float.

    True also where they are not few: no verdict names them alone.
    """
    shares = noise.shares(place)
    order = np.argsort(-shares, kind="stable")
    few = order[: int(np.searchsorted(shares[order].cumsum(), NEARLY_ALL)) + 1].tolist()
    error = float(noise.measured(place, table).dd)
    if len(few) > FEW or not error > 0:
        return True
    for number in few:
        plan = _without(plan, noise.sources[number])
    (left,) = engine.run_many([plan], [noise.outputs[place]], noise.samples, text=_TEXT, progress=progress)
    sums = pooled_sums(left, noise.outputs[place])
    return sums is None or bool(sums.broken) or float(sums.dd) <= (1 - MOST) * error


def _counted_once(found: Floats) -> Floats:
    first = int(found.argmax())
    most, others = float(found[first]), float(found.sum() - found[first])
    shared = found * min(1.0, (1 - most) / others) if others else found.copy()
    shared[first] = most
    return shared


def _without(plan: Plan, source: NoiseSource) -> Plan:
    for name in source.tensors:
        plan = plan.with_tensor(name, FLOAT)
    return plan


# Which node of a group is to be named: the one that takes most of the group's noise with it when it is in float.
#
# A group is quantized alone as a whole, and goes by its first node. Its noise may be that of a tensor which another
# node
# of it makes; then the first one in float changes nothing. So of groups that bring much each tensor is quantized
# alone.

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
_PER_CHANNEL = (
    "Give weights one scale per channel, or make them equally large (equalize): they bring most of the error, and "
    "another calibration changes nothing of that."
)
_WEIGHTS = (
    "Make weights of layers behind each other equally large (equalize), correct biases, or give weights 16 bits: they "
    "bring most of the error, and another calibration changes nothing of that."
)
_ACTIVATIONS = (
    "Change how activations are quantized, which bring most of the error: another calibration method, more or better "
    "data, SmoothQuant, or 16 bits for them."
)
# As many bits as can be given short of float.
WIDE = 16
# Neighbours that are named.
_MOST = 3


@dataclass(frozen=True, slots=True)
class FurtherRuns:
    """Facts about the error from further runs."""

    # By the name of the output.
    sides: Mapping[str, Sides] = field(default_factory=dict)
    # By node.
    clipped: Mapping[int, Clipped] = field(default_factory=dict)


UNKNOWN = FurtherRuns()


def advised(blame: Blame, assigned: Assigned, table: Table, known: FurtherRuns = UNKNOWN) -> Blame:
    """The same with what two runs of other people's tools cannot tell."""
    model, broken = blame.model, table.broken()
    text, before = model.text, tuple(_of_samples(blame.graph, broken))
    if model.kind == "nothing":
        text = _nothing(blame.graph, broken, len(table.samples), text)
        return replace(blame, model=replace(model, text=text, advice=before))
    if not assigned.coded and not model.top:
        return replace(blame, model=replace(model, text=say("{} {}", say(_NOTHING_CODED), text), advice=before))
    rows = tuple(_switched(row, blame, assigned, known) for row in model.advice)
    born = _born(blame.graph, broken)
    if born >= 0 and any(row.key == "overflow" for row in rows):
        name = say("{} ({})", blame.graph.title(born), blame.graph.op_types[born])
        text = say("{} is the first to make NaN or infinite values. {}", name, text)
        rows = tuple(_advising_named(row, blame.graph.title(born)) for row in rows)
    sides = _judged(blame, known)
    text = text if sides is None else say("{} {}", text, sides.text)
    found = replace(blame, model=replace(model, text=text, advice=(*before, *rows)))
    return _with_notes(found, known.clipped)


def _judged(blame: Blame, known: FurtherRuns) -> Sides | None:
    """Judges the worst output, whose verdict is that of the model."""
    model, names = blame.model, blame.graph.tensor_names
    judged = [names[tensor] for tensor, verdict in model.outputs if model.text.startswith(verdict.text)]
    return next((known.sides[name] for name in judged if name in known.sides), None)


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


def _switched(row: Advice, blame: Blame, assigned: Assigned, known: FurtherRuns) -> Advice:
    """Leaves out advice for what has the advised bits already, and what would not help."""
    if row.key == "coded input":
        return _of_input(row, blame, assigned)
    if row.key == "accumulated error":
        return _of_side(row, blame, assigned, known)
    if row.key not in ("node error", "leading node") or not blame.model.top:
        return row
    node = blame.model.top[0].node
    if node in known.clipped:
        return replace(row, text=known.clipped[node].remedy(blame.graph.title(node)))
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


def _of_side(row: Advice, blame: Blame, assigned: Assigned, known: FurtherRuns) -> Advice:
    """Leaves out advice that helps the other side, where one side brings most of it."""
    sides = _judged(blame, known)
    if sides is None or sides.most is None:
        return row
    if sides.most == "activations":
        return replace(row, text=_ACTIVATIONS)
    per_tensor = any(coded.axis is None for coded in _products(blame.graph, assigned))
    return replace(row, text=_PER_CHANNEL if per_tensor else _WEIGHTS)


def _products(graph: Graph, assigned: Assigned) -> Iterator[CodedConstant]:
    """Weights that could have a scale per channel."""
    for tensor, coded in assigned.constants.items():
        kinds = {graph.op_types[node] for node in graph.consumers[tensor].tolist()}
        if kinds & PRODUCTS.keys():
            yield coded


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
