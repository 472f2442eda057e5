"""What a simulation knows beside two runs, in its verdict and advice: where no number begins, and what is switched."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from errorflow.base.language import joined, say
from errorflow.explain.blame.advice import advice_for
from errorflow.explain.blame.model import Advice, Blame
from errorflow.graph.model import Graph
from errorflow.quant.assign import Assigned, Coded
from errorflow.quant.operators import PRODUCTS
from errorflow.quant.plan import FLOAT
from errorflow.quant.precision import Precision
from errorflow.run.engine.table import Broken, Table
from errorflow.study.simulate.clipping import Clipped
from errorflow.study.simulate.sides import Sides

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
class Known:
    """What further runs told of the error."""

    # By the name of the output.
    sides: Mapping[str, Sides] = field(default_factory=dict)
    # By node.
    clipped: Mapping[int, Clipped] = field(default_factory=dict)


UNKNOWN = Known()


def advised(blame: Blame, assigned: Assigned, table: Table, known: Known = UNKNOWN) -> Blame:
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
        rows = tuple(_named(row, blame.graph.title(born)) for row in rows)
    sides = _judged(blame, known)
    text = text if sides is None else say("{} {}", text, sides.text)
    found = replace(blame, model=replace(model, text=text, advice=(*before, *rows)))
    return _with_notes(found, known.clipped)


def _judged(blame: Blame, known: Known) -> Sides | None:
    """Of the worst output, whose verdict is that of the model."""
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


def _of_samples(graph: Graph, broken: Sequence[Broken]) -> Iterator[Advice]:
    """What is wrong before anything is quantized."""
    makers = {_maker(graph, each) for each in broken if each.side == "reference"}
    if -1 in makers:
        yield from advice_for({"broken samples"})
    if makers - {-1}:
        yield from advice_for({"broken model"})


def _nothing(graph: Graph, broken: Sequence[Broken], samples: int, otherwise: str) -> str:
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


def _maker(graph: Graph, each: Broken) -> int:
    """-1: an input of the model."""
    number = graph.tensor_index(each.tensor)
    return -1 if number is None else int(graph.producers[number])


def _born(graph: Graph, broken: Sequence[Broken]) -> int:
    """The node that makes the first value that is no number only when it is quantized; -1: none does."""
    return next((_maker(graph, each) for each in broken if each.side == "candidate"), -1)


def _named(row: Advice, node: str) -> Advice:
    text = say("Keep {} and what feeds it in float; then simulate again.", node)
    return replace(row, text=text) if row.key == "overflow" else row


def _switched(row: Advice, blame: Blame, assigned: Assigned, known: Known) -> Advice:
    """What has the advised bits already is not advised again, nor what would not help."""
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


def _of_side(row: Advice, blame: Blame, assigned: Assigned, known: Known) -> Advice:
    """Where one side brings most of it, what helps the other one is not advised."""
    sides = _judged(blame, known)
    if sides is None or sides.most is None:
        return row
    if sides.most == "activations":
        return replace(row, text=_ACTIVATIONS)
    per_tensor = any(coded.axis is None for coded in _products(blame.graph, assigned))
    return replace(row, text=_PER_CHANNEL if per_tensor else _WEIGHTS)


def _products(graph: Graph, assigned: Assigned) -> Iterator[Coded]:
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
    """Who makes what it reads, and who reads what it makes."""
    start, end, _ = graph.edges
    return tuple(dict.fromkeys([*start[end == node].tolist(), *end[start == node].tolist()]))


def _some(names: Sequence[str]) -> str:
    more = say(" and {} more", f"{len(names) - _MOST:,}") if len(names) > _MOST else ""
    return say("{}{}", joined(", ", names[:_MOST]), more)
