"""Entries of a legend beside its scale: only what is there to be seen."""

from typing import Literal

from errorflow.base.values import dataclass
from errorflow.explain.blame.model import Verdict
from errorflow.explain.findings.change import Turn
from errorflow.explain.findings.states import State
from errorflow.quant.kept import Kept
from errorflow.report.paint import Paint

Sort = Literal["bar", "verdict", "state", "front", "edges", "turn", "kept"]

# What is told of the plan before stands behind this.
OLDER = "Plan before: "


@dataclass(frozen=True, slots=True)
class Entry:
    """One swatch and its words; `sign` says which verdict or state it is."""

    sort: Sort
    text: str
    sign: Verdict | State | Turn | Kept | None = None
    # What finds what became better or worse.
    asked: str = ""

    @property
    def query(self) -> str:
        """Query that finds the nodes that have it; "": none does."""
        if isinstance(self.sign, Turn):
            return self.asked
        if isinstance(self.sign, Kept):
            return f"switched:{self.sign.word}"
        if isinstance(self.sign, Verdict):
            return f"verdict:{self.sign.word}"
        return "" if self.sign is None else _QUERIES[self.sign]


_QUERIES = {
    State.MISSING: "measured:no",
    State.INCOMPARABLE: "incomparable:yes",
    State.NAN: "nan:yes",
    State.INF: "inf:yes",
    State.OVERFLOW: "overflow:yes",
    State.FLIPPED: "flipped:yes",
    State.ZERO: "zero:yes",
    State.CONSTANT: "constant:yes",
    State.SATURATED: "saturated:yes",
}
UNKNOWN = Entry("state", "not measured", State.MISSING)
# The order in which states are explained.
_STATES = (
    *(State.INCOMPARABLE, State.NAN, State.INF, State.OVERFLOW),
    *(State.FLIPPED, State.ZERO, State.CONSTANT, State.SATURATED),
)


def entries(paint: Paint) -> tuple[Entry, ...]:
    """First what is not measured, which is always told."""
    signs = paint.signs
    bar = [Entry("bar", f"bar: {paint.bar}")] if paint.bar else []
    if signs is None:
        broken = [Entry("state", State.NAN.words, State.NAN)] if paint.errors.broken.any() else []
        return (*bar, UNKNOWN, *broken)
    states = State(int(signs.known_states))
    if paint.errors.broken.any():
        states |= State.NAN
    return (
        *bar,
        *_turns(paint),
        *(Entry("kept", kept.text, kept) for kept in signs.known_kept),
        UNKNOWN,
        *(Entry("verdict", verdict.word, verdict) for verdict in signs.known_verdicts),
        *([Entry("front", "what the first fault explains")] if signs.front.any() else []),
        *(Entry("state", state.words, state) for state in _STATES if state in states),
    )


def _turns(paint: Paint) -> tuple[Entry, ...]:
    """Lists what became better or worse, and from what on that is told."""
    turns = () if paint.signs is None else paint.signs.known_turns
    words = {turn: f"{turn.word} by {paint.told_from} or more" for turn in turns}
    return tuple(Entry("turn", words[turn], turn, paint.queries.get(turn, "")) for turn in turns)
