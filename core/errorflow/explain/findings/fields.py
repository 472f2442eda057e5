"""Fields that a query may name. To add one: a row here, and a line in docs/how-to/search.md."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass
from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.metrics.metric import Scale
from errorflow.compare.metrics.states import State
from errorflow.explain.findings.query import QueryError
from errorflow.explain.findings.texts import Bools, Texts

if TYPE_CHECKING:
    from errorflow.explain.blame.model import Blame
    from errorflow.explain.findings.model import Findings

Floats = NDArray[np.float64]
Kind = Literal["text", "switch", "choice", "number"]
YES_NO = ("yes", "no")
_LETTERS = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, eq=False)
class Computed:
    """Precisions of a simulation's nodes: what each computes in, "" where that can be nothing else, and its `Kept`."""

    texts: Sequence[str]
    kept: NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class NodeKnowledge:
    """Facts that a search may use about the nodes of one graph."""

    texts: Texts
    findings: "Findings | None" = None
    # What the user wrote on nodes, by their names.
    notes: Mapping[str, str] | None = None
    # Whether a plain word is also looked for in tensors.
    tensors: bool = True
    # None: nothing is simulated.
    computed: Computed | None = None

    def simulated(self, field: str) -> Computed:
        computed = self.computed
        # Where nothing computes it is known at most what was switched.
        if computed is None or (field == "precision" and not any(computed.texts)):
            raise QueryError(f"{field} can be searched for in a simulation.", "Simulate the model first.")
        return computed

    def found(self, field: str) -> "Findings":
        if self.findings is None:
            raise QueryError(f"{field} can be searched for once two runs are compared.", "Compare two runs first.")
        return self.findings

    def blame(self, field: str) -> "Blame":
        blame = self.found(field).blame
        if blame is None:
            raise QueryError(f"{field} can be searched for once verdicts are worked out.", "They need two runs.")
        return blame


@dataclass(frozen=True, slots=True)
class Field:
    """A field that a query may name; the function that goes with its kind answers for every node."""

    name: str
    kind: Kind
    # What it is about, and how one asks; for the list under the search field.
    what: str
    example: str
    words: tuple[str, ...] = ()
    # Further names for it.
    others: tuple[str, ...] = ()
    # Whether two runs must have been compared.
    of_findings: bool = True
    texts: Callable[[NodeKnowledge, str, bool], Bools] | None = None
    switch: Callable[[NodeKnowledge], Bools] | None = None
    choices: Callable[[NodeKnowledge, int], Bools] | None = None
    numbers: Callable[[NodeKnowledge], Floats] | None = None


def _type(known: NodeKnowledge, text: str, exact: bool) -> Bools:
    return known.texts.types(text, exact)


def _name(known: NodeKnowledge, text: str, _: bool) -> Bools:
    return known.texts.names.containing(text)


def _tensor(known: NodeKnowledge, text: str, _: bool) -> Bools:
    return known.texts.reads_or_makes(text)


def _attribute(known: NodeKnowledge, text: str, _: bool) -> Bools:
    return known.texts.in_attributes(text)


def _dtype(known: NodeKnowledge, text: str, exact: bool) -> Bools:
    found = known.texts.makes_type(text, exact)
    return found if known.findings is None else found | known.findings.of_type(text, exact)


def _note(known: NodeKnowledge, text: str, _: bool) -> Bools:
    graph, wanted = known.texts.graph, text.lower()
    found = np.zeros(len(graph), bool)
    for name, note in ({} if known.notes is None else known.notes).items():
        node = graph.node_index(name)
        if node is not None and wanted in note.lower():
            found[node] = True
    return found


def _noted(known: NodeKnowledge) -> Bools:
    return _note(known, "", False)


def _rule(known: NodeKnowledge, text: str, _: bool) -> Bools:
    return known.found("rule").matched_by(text)


def _verdict(known: NodeKnowledge, place: int) -> Bools:
    from errorflow.explain.blame.model import Verdict

    wanted = next(verdict for verdict in Verdict if verdict.word == VERDICTS[place])
    return np.asarray(known.blame("verdict").verdicts == wanted)


def _quantized(known: NodeKnowledge) -> Bools:
    return known.found("quantized").quantized


def _measured(known: NodeKnowledge) -> Bools:
    return known.found("measured").is_measured


def _unmatched(known: NodeKnowledge) -> Bools:
    return known.found("unmatched").unmatched


def _depth(known: NodeKnowledge) -> Floats:
    from errorflow.explain.findings.model import depths_of

    return depths_of(known.texts.graph).astype(np.float64)


def _precision(known: NodeKnowledge, text: str, exact: bool) -> Bools:
    wanted = text.lower()
    texts = known.simulated("precision").texts
    fits = {each: bool(each) and (each == wanted if exact else wanted in each) for each in set(texts)}
    return np.array([fits[each] for each in texts], bool)


def _switched(known: NodeKnowledge, place: int) -> Bools:
    kept = known.simulated("switched").kept
    if place < len(YES_NO):
        return np.asarray((kept > 0) == (place == 0))
    return np.asarray(kept == place - len(YES_NO) + 1)


def _change(known: NodeKnowledge) -> Floats:
    from errorflow.explain.findings.change import sqnr_changes

    findings = known.found("change")
    if findings.against is None:
        raise QueryError("change can be searched for while two runs are compared.", "Compare two runs of the list.")
    return sqnr_changes(findings)


def _state(state: State) -> Callable[[NodeKnowledge], Bools]:
    return lambda known: known.found(state.words).node_states & state != 0


def _measure(scale: Scale) -> Callable[[NodeKnowledge], Floats]:
    """NaN where nothing was measured; a measured NaN is worse than any number."""
    worst = -np.inf if scale.higher_is_better else np.inf

    def numbers(known: NodeKnowledge) -> Floats:
        tensors, values = known.found(scale.label).worst(scale)
        return np.where((tensors >= 0) & np.isnan(values), worst, values)

    return numbers


def _metric(scale: Scale) -> Field:
    name = scale.short if scale.short else scale.key
    sign = "<" if scale.higher_is_better else ">"
    label = _LETTERS.sub("_", scale.label.lower())
    others = tuple(other for other in dict.fromkeys((scale.key, label)) if other != name)
    return Field(name, "number", scale.label, f"{name}{sign}{scale.bad:g}", others=others, numbers=_measure(scale))


# The words of `Verdict`, in the order in which they are worth looking at; a search field loads no arithmetic of blame.
VERDICTS = ("origin", "amplifier", "healer", "carrier", "clean", "not measured")

# Behind yes and no the words of `Kept`, in its order; a search field loads nothing of quantization either.
SWITCHED = (*YES_NO, "float", "16", "8", "4", "part")

FIELDS: tuple[Field, ...] = (
    Field("type", "text", "The operator's type; in quotes exactly that", 'type:"Conv"', texts=_type, of_findings=False),
    Field("name", "text", "In the node's name", "name:layer3", texts=_name, of_findings=False),
    Field("tensor", "text", "In what it reads or makes", "tensor:mask", texts=_tensor, of_findings=False),
    Field("attr", "text", "In its attributes", "attr:pads", texts=_attribute, of_findings=False),
    *map(_metric, MEASURES),
    Field(
        "introduced",
        "number",
        "The error that the node adds itself",
        "introduced>0.1",
        numbers=lambda known: known.blame("introduced").introduced,
    ),
    Field(
        "inherited",
        "number",
        "The error that comes in with its inputs",
        "inherited>0.1",
        numbers=lambda known: known.blame("inherited").inherited,
    ),
    Field(
        "share",
        "number",
        "Its share of blame: the part of the error at the output that goes back to it",
        "share>10%",
        numbers=lambda known: known.blame("share").blame_shares,
    ),
    Field(
        "introduced_share",
        "number",
        "The part of its own error that it adds itself",
        "introduced_share>50%",
        others=("own",),
        numbers=lambda known: known.blame("introduced_share").shares,
    ),
    Field(
        "gain", "number", "Its error over that of its inputs", "gain>2", numbers=lambda known: known.blame("gain").gains
    ),
    Field(
        "change", "number", "Its SQNR less that in the run that is compared with, in dB", "change<-3", numbers=_change
    ),
    Field(
        "verdict",
        "choice",
        "Where error is born and what becomes of it",
        "verdict:origin,amplifier",
        words=VERDICTS,
        choices=_verdict,
    ),
    *(
        Field(name, "switch", f"Its output is {what}", f"{name}:yes", YES_NO, switch=_state(state))
        for name, state, what in (
            ("nan", State.NAN, "NaN where the reference is not"),
            ("inf", State.INF, "infinite where the reference is not"),
            ("overflow", State.OVERFLOW, "beyond what its type can hold"),
            ("saturated", State.SATURATED, "at the end of its range while the reference goes on"),
            ("zero", State.ZERO, "all zero, the reference's is not"),
            ("constant", State.CONSTANT, "the same everywhere, the reference's is not"),
            ("flipped", State.FLIPPED, "turned against the reference"),
            ("missing", State.MISSING, "not in one of the runs"),
            ("incomparable", State.INCOMPARABLE, "in both runs, and cannot be compared"),
        )
    ),
    Field(
        "quantized",
        "switch",
        "Computes on codes or on values made of codes",
        "quantized:yes",
        YES_NO,
        switch=_quantized,
    ),
    Field(
        "precision",
        "text",
        "What it computes in, in a simulation; in quotes exactly that",
        'precision:"float"',
        texts=_precision,
    ),
    Field(
        "switched",
        "choice",
        "Somebody put it to float or to other bits than planned",
        "switched:yes",
        words=SWITCHED,
        choices=_switched,
    ),
    Field("measured", "switch", "Something that it makes was measured", "measured:no", YES_NO, switch=_measured),
    Field(
        "unmatched", "switch", "No rule found a partner for what it makes", "unmatched:yes", YES_NO, switch=_unmatched
    ),
    Field(
        "depth",
        "number",
        "Its place in the order of running, from 0",
        "depth:120..180",
        numbers=_depth,
        of_findings=False,
    ),
    Field("dtype", "text", "The type of what it makes", "dtype:float16", texts=_dtype, of_findings=False),
    Field("rule", "text", "By which rule it found its partner", "rule:fusion", texts=_rule),
    Field("note", "text", "In what you wrote on it", "note:check", texts=_note, of_findings=False),
    Field("noted", "switch", "You wrote a note on it", "noted:yes", YES_NO, of_findings=False, switch=_noted),
)

# Those that are measured, by the names of their fields.
MEASURED: Mapping[str, Scale] = {_metric(scale).name: scale for scale in MEASURES}

FIELD_OF: Mapping[str, Field] = {name: field for field in FIELDS for name in (field.name, *field.others)}
