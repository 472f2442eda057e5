"""Verdict on a model: good, an error of few nodes, or one of many; of each output, and of the worst of them.

The number of contributors is (Σ c)² / Σ c² over what nodes and inputs bring to the power of an output's error: 1 if one
brings it all, n if n bring the same. What each brings is measured where nodes were run, else it is followed back
from the output (`errorflow.explain.blame.flow`).
"""

import re
from collections.abc import Iterable, Mapping, Sequence, Set

import numpy as np
from numpy.typing import NDArray

from errorflow.base.language import joined, mapped, say
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, replace
from errorflow.compare.summary import ANOTHER_MODEL
from errorflow.explain.blame.advice import advice_for
from errorflow.explain.blame.flow import BlameFlow, contributions, effective, largest
from errorflow.explain.blame.limits import (
    CLEAN,
    CLEARLY,
    FEW,
    FEW_ESTIMATED,
    LARGE,
    MOST,
    NAMED,
    NEARLY_ALL,
    NOTICEABLE,
    PRUNED,
)
from errorflow.explain.blame.model import (
    ESTIMATED,
    Advice,
    Blame,
    Contribution,
    Evidence,
    Floats,
    Kind,
    ModelVerdict,
    Remedy,
    Switched,
    Verdict,
)
from errorflow.graph.build import counted
from errorflow.graph.model import Graph
from errorflow.graph.unit import per_unit, unit, unit_title

# Bad outputs that are followed back; a model with more has the others listed in no verdict of their own.
JUDGED = 16
# Nodes that the sentence names where nothing was seen to work.
BEGINS = 3
_OF_DUMPS = "Found with the original and the dumps; the device was not run."
# Outputs that are named where all are good.
GOOD_NAMED = 3


@dataclass(frozen=True, eq=False)
class JudgedModel:
    """The verdict, and what each node brings to the worst of all outputs that it reaches."""

    model: ModelVerdict
    brings: Floats
    # … and where that was measured.
    measured: Floats
    # `Blame.blamed`.
    shares: Floats | None = None


def judge(
    blame: Blame, evidence: Evidence, known: Mapping[int, Switched] | None = None, progress: Progress = SILENT
) -> JudgedModel:
    """The verdict on the model; `known` by output is what was gone when nodes were put right."""
    graph = blame.graph
    nothing = np.zeros(len(graph))
    if not evidence.ends:
        why = say(f" {ANOTHER_MODEL}") if "another model" in evidence.seen else ""
        text = say("Nothing of {} was measured.{}", graph.name if graph.name else say("the model"), why)
        return JudgedModel(
            ModelVerdict("nothing", text, advice=advice_for({"nothing"}, evidence.vendor)), nothing, nothing
        )
    ranked = sorted(evidence.ends, key=lambda end: -end[1])
    fine = [(tensor, error) for tensor, error in ranked if error <= CLEAN or _is_kept(evidence, tensor)]
    bad = [(tensor, error) for tensor, error in ranked if error > CLEAN and not _is_kept(evidence, tensor)][:JUDGED]
    shares = np.where(evidence.proven, evidence.traced, _by_powers(blame))
    shares[list(_spared(graph, evidence))] = 0.0
    flow = contributions(graph, [tensor for tensor, _ in bad], shares, evidence.slots, progress)
    found = [_of_end(blame, evidence, end, flow, at, known) for at, end in enumerate(bad)]
    outputs = [(tensor, verdict) for (tensor, _), (verdict, _) in zip(bad, found, strict=True)]
    outputs += [(tensor, _good(graph, tensor, error, evidence)) for tensor, error in fine]
    parts = [parts for _, parts in found]
    known_ones = [part for (tensor, _), part in zip(bad, parts, strict=True) if known is not None and tensor in known]
    brings, measured = (np.max([nothing, *each], axis=0) for each in (parts, known_ones))
    worst = found[0][0] if found else _all_good(blame, evidence)
    order = {tensor: at for at, (tensor, _) in enumerate(evidence.ends)}
    outputs.sort(key=lambda output: order[output[0]])
    seen = set(evidence.seen) | _seen(blame, evidence, worst, bad)
    if not any(np.isfinite(evidence.traced[each.node]) for each in worst.top):  # a run may have found others
        seen.discard("loud channel")
    if worst.advice:  # an input, not the node that is named first
        seen -= {"node error", "leading node"}
        seen |= {row.key for row in worst.advice}
    text = say("{}{}", worst.text, _others(len(bad), len(ranked)))
    advice = advice_for(seen if evidence.may_be_quantized else _in_float(seen), evidence.vendor)
    advice = tuple(_naming(graph, evidence, row, worst) for row in advice)
    told = _known_shares(blame, worst, per_unit(graph, parts[0])) if parts else None
    return JudgedModel(replace(worst, text=text, advice=advice, outputs=tuple(outputs)), brings, measured, told)


def _naming(graph: Graph, evidence: Evidence, row: Advice, worst: ModelVerdict) -> Advice:
    """Names the set that was seen to work."""
    remedy = worst.remedy
    if remedy is None or row.key != "node error":
        return row
    named = joined(", ", map(graph.title, (*remedy.nodes, *remedy.others)))
    where, before, after = _part_of(graph, evidence, worst.output), _size(remedy.before), _size(remedy.after)
    text = say("Leave {} in float: run so, the error at {} falls from {} to {}.", named, where, before, after)
    if remedy.of_dumps:
        text = say("Leave {} in float: made right, it lets the error at {} fall to {}.", named, where, after)
    return replace(row, text=text)


def _spared(graph: Graph, evidence: Evidence) -> set[int]:
    """Finds nodes whose NaN or infinite values no node took: what they add to the other values is not known without a
    run.
    """
    slots = evidence.slots
    taken = np.append(slots.tensors[np.isposinf(slots.errors)], [tensor for tensor, _ in evidence.ends]).astype(int)
    makers = graph.producers[slots.tensors[slots.dropped]]
    return set(makers[makers >= 0].tolist()) - set(graph.producers[taken].tolist())


def _known_shares(blame: Blame, worst: ModelVerdict, parts: Floats) -> Floats | None:
    """Leaves out nodes that nothing was found out about; None: the error goes back to none."""
    if not worst.inputs and not parts.any():
        return None
    return np.where(np.isnan(blame.accumulated) & (parts == 0), np.nan, parts)


def _by_powers(blame: Blame) -> Floats:
    """Finds what each node introduced of its error, by the powers of both parts.

    In a tensor of few values the parts of an exact split have something to do with each other by chance alone, and a
    share beyond 1 would let nothing flow back to who brought the other part. Of an estimate it is the same number.
    A negative share takes away from the error: made right, such a node would leave more of it.
    """
    with np.errstate(all="ignore"):
        own, other = blame.introduced**2, blame.inherited**2
        found = own / (own + other)
        found = np.where(blame.shares < 0, 0.0, found)
    return np.asarray(np.where(np.isnan(found), blame.shares, found))


def _of_end(
    blame: Blame,
    evidence: Evidence,
    end: tuple[int, float],
    flow: BlameFlow,
    at: int,
    known: Mapping[int, Switched] | None,
) -> tuple[ModelVerdict, Floats]:
    """The verdict on one bad output, and which share of it each node brings."""
    tensor, error = end
    measured = None if known is None or _coarse(evidence, flow, at) >= MOST else known.get(tensor)
    parts = flow.nodes[:, at] if measured is None else _in_order(measured.shares, len(blame.graph))
    remedy = None if measured is None else measured.remedy
    by_inputs = {} if measured is not None else {leaf: float(part[at]) for leaf, part in flow.leaves.items()}
    # Parts of one layer are one contributor.
    layers = per_unit(blame.graph, parts) if measured is None else parts
    count = effective(np.append(layers, list(by_inputs.values())))
    # What was gained by each alone is no part of a whole: errors cancel and saturate.
    total = float(parts.sum()) + sum(by_inputs.values()) if measured is None else 1.0
    top = _top(layers, total)
    if remedy is not None:  # what the sentence names comes first
        top = tuple(sorted(top, key=lambda each: each.node not in remedy.nodes))
    is_known = measured is not None and not measured.of_dumps
    gaps = {} if is_known else gaps_of(blame, evidence, [each.node for each in top])
    is_exact = measured is not None or bool(top and blame.exact[parts >= NOTICEABLE * total].all())
    where = _part_of(blame.graph, evidence, tensor)
    own = sum(part for leaf, part in by_inputs.items() if leaf in evidence.rounded)
    named = suspects(blame, top[0].node, gaps) if top else ""
    if own >= MOST:
        kind, text, named = _said_of_rounding(blame.graph, where, by_inputs, evidence)
    else:
        fed = {leaf: part for leaf, part in by_inputs.items() if leaf not in evidence.rounded}
        others = int((layers >= NOTICEABLE * total).sum()) - 1
        if remedy is not None:
            kind, text = _said_of_set(blame, evidence, where, top, remedy, gaps)
        elif measured is None:
            kind, text = _said(blame, where, top, _is_few(count, top, is_exact), fed, others, gaps)
        else:
            kind, text = _said_of_gains(blame, where, top, gaps)
        text += _beside(blame.graph, evidence) + (
            _unsure(blame.graph, top[0].node) if top and top[0].node in gaps else ""
        )
    if tensor in evidence.chosen:
        text += say(" {}.", evidence.chosen[tensor].text)
    differing = [(leaf, size) for leaf, size in evidence.inputs if size > CLEAN]
    if differing:
        kind, text = "inputs differ", say("{}; {}", _inputs(blame.graph, differing), text)
    how = "" if is_exact else say(ESTIMATED)
    head = say({"node error": "Node error", "accumulated error": "Accumulated error"}.get(kind, "The inputs differ"))
    advice = advice_for({"coded input"}) if own >= MOST and evidence.coded else ()
    text = mapped(_broken, text) if np.isposinf(error) and remedy is None else text
    told = say("{}{}: {}", head, how, text)
    parts, open_inputs = spread(parts, gaps)
    if measured is None or gaps:
        top = _top(per_unit(blame.graph, parts), total) or top
    by_inputs = {leaf: by_inputs.get(leaf, 0.0) + open_inputs.get(leaf, 0.0) for leaf in by_inputs | open_inputs}
    entered = tuple((leaf, part / total) for leaf, part in by_inputs.items() if part)
    found = ModelVerdict(kind, told, count, top, advice, output=tensor, inputs=entered, named=named, remedy=remedy)
    found = replace(found, is_gain=measured is not None, ranges={} if measured is None else measured.ranges)
    return found, parts / total if total else parts


def _broken(words: str) -> str:
    return words.replace("the error", "NaN or infinite values").replace(" begins", " begin")


def _in_order(shares: Mapping[int, float], count: int) -> Floats:
    found: Floats = np.zeros(count)
    found[list(shares)] = list(shares.values())
    return found


def _part_of(graph: Graph, evidence: Evidence, tensor: int) -> str:
    """Names what the error is of: a part of an output, its quiet channels, or all of it."""
    maker, name = int(graph.producers[tensor]), graph.tensor_names[tensor]
    if tensor in evidence.sliced:
        return evidence.sliced[tensor]
    return say("the quiet channels of {}", name) if maker >= 0 and np.isfinite(evidence.traced[maker]) else name


def _top(layers: Floats, total: float) -> tuple[Contribution, ...]:
    return tuple(
        Contribution(node, float(layers[node]) / total)
        for node in largest(layers, NAMED).tolist()
        if layers[node] >= NOTICEABLE * total
    )


def _unsure(graph: Graph, node: int) -> str:
    return say(" Not sure which: not all that {} reads was compared.", graph.title(node))


def _coarse(evidence: Evidence, flow: BlameFlow, at: int) -> float:
    """Sums what inputs bring that are clipped or coded too coarsely: noise is told of nodes alone, not of inputs."""
    return sum(float(flow.leaves[leaf][at]) for leaf, how in evidence.coded.items() if how and leaf in flow.leaves)


def _beside(graph: Graph, evidence: Evidence) -> str:
    """Inputs that are clipped or coded too coarsely, though they bring less than half."""
    return joined(
        "", (say(" Input {} {}.", graph.tensor_names[leaf], how) for leaf, how in evidence.coded.items() if how)
    )


def _is_few(count: float, top: tuple[Contribution, ...], is_exact: bool) -> bool:
    """Whether so many contributors are an error of nodes: more than two only if nothing worth naming is left."""
    if count <= FEW_ESTIMATED:
        return True
    named = sum(each.share for each in top[: int(FEW)])
    return is_exact and count <= FEW and named >= NEARLY_ALL


# Where nobody measured what a node reads: the node, or what stands before it, brings what is seen behind it.

# Of what stands before a node: so much is looked at, and so many are named one by one.
GAPS_MOST, GAPS_NAMED = 64, 3
# In the notes of nodes that were run once more, see `errorflow.explain.blame.exact`.
_TOGETHER = re.compile(r"\bjudged together with\b")
# Nodes that were not measured, and inputs of the model that were not, between a node and what was measured before it.
Gap = tuple[list[int], list[int]]


def gaps_of(blame: Blame, evidence: Evidence, nodes: Iterable[int]) -> dict[int, Gap]:
    """Finds the gaps of those nodes that are not the only suspects."""
    found = ((node, _before(blame, evidence, node)) for node in nodes)
    return {node: gap for node, gap in found if any(gap)}


def _before(blame: Blame, evidence: Evidence, node: int) -> Gap:
    graph, slots = blame.graph, evidence.slots
    nodes: dict[str, int] = {}
    inputs: dict[int, None] = {}
    if blame.exact[node] and not _TOGETHER.search(blame.notes.get(node, "")):
        return [], []
    fed = frozenset(graph.inputs.tolist()) - evidence.rounded
    waiting, seen = [node], {node}
    while waiting and len(seen) < GAPS_MOST:
        reader = waiting.pop()
        here = range(*np.searchsorted(slots.readers, [reader, reader + 1]).tolist())
        for tensor in (int(slots.tensors[slot]) for slot in here if slots.open[slot] and not slots.constant[slot]):
            maker = int(graph.producers[tensor])
            if maker < 0 and tensor in fed:
                inputs[tensor] = None
            if maker >= 0 and maker not in seen:
                seen.add(maker)
                waiting.append(maker)
                if maker not in evidence.passive and unit(graph, maker) != unit(graph, node):
                    nodes.setdefault(unit(graph, maker) or graph.title(maker), maker)
    return sorted(nodes.values()), list(inputs)


def spread(parts: Floats, gaps: Mapping[int, Gap]) -> tuple[Floats, dict[int, float]]:
    """The parts of nodes, and of inputs, with all suspects of a gap alike: none of them was measured alone."""
    found, inputs = parts.copy(), dict[int, float]()
    for node, (nodes, tensors) in gaps.items():
        each = parts[node] / (1 + len(nodes) + len(tensors))
        found[node] += each - parts[node]
        found[nodes] += each
        inputs |= {tensor: inputs.get(tensor, 0.0) + each for tensor in tensors}
    return found, inputs


def suspects(blame: Blame, node: int, gaps: Mapping[int, Gap], *, short: bool = False) -> str:
    """Names the suspects in words."""
    graph = blame.graph
    if node not in gaps:
        return (short and unit(graph, node)) or unit_title(graph, node)
    nodes, tensors = gaps[node]
    last = unit_title(graph, node)
    inputs = [say("the input {}", graph.tensor_names[tensor]) for tensor in tensors[:GAPS_NAMED]]
    if len(nodes) >= GAPS_NAMED:
        return joined(" or ", [*inputs, say("a node between {} and {}", unit_title(graph, nodes[0]), last)])
    return say("{} or {}", joined(", ", [*inputs, *(unit_title(graph, each) for each in nodes)]), last)


def _said(
    blame: Blame,
    where: str,
    top: tuple[Contribution, ...],
    is_few: bool,
    by_inputs: Mapping[int, float],
    others: int,
    gaps: Mapping[int, Gap],
) -> tuple[Kind, str]:
    """Says where the error begins as far as it was followed back: how much each node brings was not seen.

    `others`: how many nodes beside the first bring a part that is worth a word.
    """
    if sum(by_inputs.values()) >= MOST:
        return "inputs differ", say("most of the error at {} comes with the model's inputs.", where)
    if not top:
        return "accumulated error", say("no node that was measured explains the error at {}.", where)
    names = [suspects(blame, each.node, gaps, short=len(top) > 1) for each in top[:BEGINS] if each.share >= LARGE]
    if is_few:
        if len(names) > 1:
            return "node error", say("{} are where the error at {} begins.", joined(" and ", names), where)
        return "node error", say("{} is where the error at {} begins.", suspects(blame, top[0].node, gaps), where)
    if top[0].share > MOST and others:
        more = say("{} to it", counted(others, "other node adds", "other nodes add"))
        first = suspects(blame, top[0].node, gaps)
        return "accumulated error", say("{} is where most of the error at {} begins; {}.", first, where, more)
    first = joined(", ", (suspects(blame, each.node, gaps, short=True) for each in top[:BEGINS]))
    return "accumulated error", say("several nodes bring the error at {}; first of all {}.", where, first)


def _said_of_gains(
    blame: Blame, where: str, top: tuple[Contribution, ...], gaps: Mapping[int, Gap]
) -> tuple[Kind, str]:
    """Says what nodes gain alone where no set was seen to bring the output back."""
    if not top:
        return "accumulated error", say("no node alone takes anything of the error at {} away.", where)
    if top[0].share >= NEARLY_ALL:
        named = suspects(blame, top[0].node, gaps)
        return "node error", say("{} brings {} of the error at {}.", named, _percent(top[0].share), where)
    names = ((suspects(blame, each.node, gaps, short=True), _percent(each.share)) for each in top[:BEGINS])
    listed = joined(", ", (say("{} {}", name, share) for name, share in names))
    return "accumulated error", say("several nodes bring the error at {}; the largest: {}.", where, listed)


def _said_of_set(
    blame: Blame, evidence: Evidence, where: str, top: tuple[Contribution, ...], remedy: Remedy, gaps: Mapping[int, Gap]
) -> tuple[Kind, str]:
    """Says what was seen to work, and how much of it each of the first gains alone."""
    graph = blame.graph
    shares = {each.node: each.share for each in top}
    nodes = sorted(remedy.nodes, key=lambda node: -shares.get(node, 0.0))
    falls = say("the error falls from {} to {}", _size(remedy.before), _size(remedy.after))
    how = say("in float") if evidence.may_be_quantized and not remedy.of_dumps else say("made right")
    if len(nodes) == 1:
        first = say("{} brings {} of the error at {}", suspects(blame, nodes[0], gaps), _percent(remedy.gain), where)
        together = say(" with {}", joined(", ", map(graph.title, remedy.others))) if remedy.others else ""
        text = say("{}: {}{}, {}.", first, how, together, falls)
        return "node error" if remedy.is_small else "accumulated error", _with_origin(text, remedy)
    named = joined(", ", (_with_share(suspects(blame, node, gaps), node, shares) for node in nodes[:NAMED]))
    more = say(" and {} more", f"{len(nodes) - NAMED:,}") if len(nodes) > NAMED else ""
    count = say("{} of {} groups bring {}", f"{len(nodes):,}", f"{remedy.of:,}", _percent(remedy.gain))
    text = say("{} of the error at {}: {}, {}. They are {}{}.", count, where, how, falls, named, more)
    if remedy.interact:
        is_loss = len(nodes) <= PRUNED
        both = "each share is what a node gains alone or in the set, whichever is more"
        part = both if is_loss else "each share is that of one alone"
        text = say("{} They interact: {}.", text, say(part))
    return "node error" if remedy.is_small else "accumulated error", _with_origin(text, remedy)


def _with_origin(text: str, remedy: Remedy) -> str:
    return say("{} {}", text, say(_OF_DUMPS)) if remedy.of_dumps else text


def _with_share(title: str, node: int, shares: Mapping[int, float]) -> str:
    return say("{} ({})", title, _percent(shares[node])) if node in shares else title


def _size(error: float) -> str:
    return f"{error:.2g}" if np.isfinite(error) else say("NaN or infinite values")


def _said_of_rounding(
    graph: Graph, where: str, parts: Mapping[int, float], evidence: Evidence
) -> tuple[Kind, str, str]:
    """The candidate itself rounds what it was fed with: last, which input that is."""
    most = max((leaf for leaf in parts if leaf in evidence.rounded), key=lambda leaf: parts[leaf])
    first = graph.tensor_names[most]
    if how := evidence.coded.get(most, ""):
        return "node error", say("input {} {} and is where the error at {} begins.", first, how, where), first
    text = say("the error at {} begins where the candidate quantizes its input {}.", where, first)
    return "node error", text, first


def _inputs(graph: Graph, differing: list[tuple[int, float]]) -> str:
    named = joined(", ", (say("{} by {}", graph.tensor_names[tensor], f"{size:.2g}") for tensor, size in differing[:3]))
    return say("{} (relative error)", named)


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"


def _good(graph: Graph, tensor: int, error: float, evidence: Evidence) -> ModelVerdict:
    if error > CLEAN:
        return ModelVerdict("good", say("Good: {}.", _kept(graph, [(tensor, error)], evidence)))
    return ModelVerdict("good", say("Good: {} has a relative error of {}.", graph.tensor_names[tensor], f"{error:.2g}"))


def _all_good(blame: Blame, evidence: Evidence) -> ModelVerdict:
    if evidence.unclear:
        named = ", ".join(blame.graph.tensor_names[tensor] for tensor in evidence.unclear[:GOOD_NAMED])
        return ModelVerdict(
            "beyond limits", say("Not judged: the reference of {} is all zero, the candidate is not.", named)
        )
    makers = [] if evidence.are_outputs else blame.graph.producers[blame.graph.outputs].tolist()
    if makers and not any(node in evidence.passive and not gaps_of(blame, evidence, [node]) for node in makers):
        good = say("{}.{}", _within(blame, evidence), _bad_text(blame))
        text = say("Not judged: no output of the model was compared; {} Dump up to the output.", good)
        return ModelVerdict("beyond limits", text)
    kept = [(tensor, error) for tensor, error in evidence.ends if error > CLEAN]
    parts = [_within(blame, evidence)] if len(kept) < len(evidence.ends) else []
    parts += [_kept(blame.graph, kept, evidence)] if kept else []
    return ModelVerdict("good", say("Good: {}.{}", joined("; ", parts), _bad_text(blame)))


def _within(blame: Blame, evidence: Evidence) -> str:
    """Outputs whose error is within the limit."""
    names = [blame.graph.tensor_names[tensor] for tensor, error in evidence.ends if not error > CLEAN]
    more = say(" and {} more", f"{len(names) - GOOD_NAMED:,}") if len(names) > GOOD_NAMED else ""
    named = say("{}{}", joined(", ", names[:GOOD_NAMED]), more)
    what = say("output") if evidence.are_outputs else say("last tensor that was measured")
    if len(names) == 1:
        subject = say("the {}, {}, is", what, named)
    else:
        every = say("all ") if len(names) == len(evidence.ends) else ""
        plural = say("outputs") if evidence.are_outputs else say("last tensors that were measured")
        subject = say("{}{} {} ({}) are", every, f"{len(names):,}", plural, named)
    return say("{} within the limit (relative error ≤ {})", subject, f"{CLEAN:g}")


def _is_kept(evidence: Evidence, tensor: int) -> bool:
    return tensor in evidence.chosen and bool(evidence.chosen[tensor].kept)


def _kept(graph: Graph, ends: list[tuple[int, float]], evidence: Evidence) -> str:
    """Outputs whose error is beyond the limit, and that are good all the same."""
    named = [
        say(
            "of {} {}, though its relative error is {}",
            graph.tensor_names[tensor],
            evidence.chosen[tensor].kept,
            f"{error:.2g}",
        )
        for tensor, error in ends[:GOOD_NAMED]
    ]
    return joined("; ", named)


def _bad_text(blame: Blame) -> str:
    """Says what a good output does not: so many nodes inside are bad."""
    inside, broken = _bad_inside(blame), int(np.isposinf(blame.accumulated).sum())
    if not inside:
        return ""
    worst = say(", {} of them with NaN or infinite values", f"{broken:,}") if broken else ""
    return say(
        " {} inside {} not{}.", counted(inside, "node", "nodes"), say("is") if inside == 1 else say("are"), worst
    )


def _others(bad: int, count: int) -> str:
    if count <= 1 or not bad:
        return ""
    return say(
        " {} of {} outputs {} bad, this is the worst.", f"{bad:,}", f"{count:,}", say("is") if bad == 1 else say("are")
    )


def _bad_inside(blame: Blame) -> int:
    bad: NDArray[np.bool_] = np.isin(blame.verdicts, (Verdict.ORIGIN, Verdict.AMPLIFIER, Verdict.CARRIER))
    return int(bad.sum())


def _is_calm(blame: Blame) -> bool:
    """Whether there is nothing but noise that wavers around the limit."""
    clear = np.isin(blame.verdicts, (Verdict.ORIGIN, Verdict.AMPLIFIER)) | (
        (blame.verdicts == Verdict.CARRIER) & (blame.accumulated > CLEARLY * CLEAN)
    )
    return not clear.any()


def _in_float(seen: Set[str]) -> set[str]:
    """The same where nothing is quantized that could be quantized in another way."""
    kinds = seen & {"node error", "leading node", "accumulated error"}
    return {*(seen - kinds - {"loud channel", "one code"}), *(f"float {kind}" for kind in kinds)}


def _is_slight(evidence: Evidence, tensor: int, error: float) -> bool:
    return error <= CLEARLY * CLEAN or (tensor in evidence.chosen and evidence.chosen[tensor].mostly)


def _seen(blame: Blame, evidence: Evidence, worst: ModelVerdict, bad: Sequence[tuple[int, float]]) -> set[str]:
    """`bad` outputs, the worst first."""
    found: set[str] = set()
    if worst.kind == "good":
        found.add("healthy" if _is_calm(blame) else "good output")
    else:
        found.add("nothing" if worst.kind == "beyond limits" else worst.kind)
    if worst.kind == "accumulated error" and worst.top and worst.top[0].share > MOST:
        found.add("leading node")
    if worst.kind == "accumulated error" and _is_slight(evidence, *bad[0]):
        found.add("slight error")
    if 0 < len(bad) < len(evidence.ends):
        found.add("other outputs")
    if any(size > CLEAN for _, size in evidence.inputs):
        found.add("inputs differ")
    if any(evidence.coded.values()):
        found.add("coded input")
    return found
