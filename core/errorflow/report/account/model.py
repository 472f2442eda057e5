"""The chapters as plain values; nothing here says how they are shown."""

import math
from collections.abc import Mapping
from typing import Literal

from errorflow.base.values import dataclass, field
from errorflow.explain.blame.model import Advice, Kind, blame_text

# The chapters in their order, by what stands above them.
COMPARED = "What was compared"
VERDICT = "Verdict"
NODES = "The nodes that matter"
OUTPUTS = "Outputs"
CHANGED = "Changed by hand"
TRIED = "What was tried"
RECOMMENDED = "What is recommended"
UNMEASURED = "What could not be measured"
NOTED = "Notes"
TICKETED = "From the ticket"
# What a node adds to its own error, which is not what it brings of the error at the output.
INTRODUCED_SHARE = "Introduced, share of the node's error"
SHARE_NOTE = (
    "Introduced, share of the node's error: what of its own error a node adds itself. It is not its share of the error "
    "at the output: a clean node may add all of the little it has. Below 0 or above 100 %, what it adds and what "
    "arrives cancel each other."
)
NOTHING = "Nothing was compared: this is the model as it was read."


@dataclass(frozen=True, slots=True)
class AccountFact:
    """A value under its name; `tip` says in one line what is measured."""

    label: str
    text: str
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """A node that matters. A picture is an SVG on white; "": there is none. `told` says why, or what is to be seen."""

    node: int
    title: str
    op_type: str
    # Its verdict, and "exact" or "estimated".
    word: str
    how: str
    # Of the error at the output, 0…1; NaN: nobody knows.
    share: float
    numbers: tuple[AccountFact, ...]
    why: str
    picture: str = ""
    told: str = ""

    @property
    def share_text(self) -> str:
        return "" if math.isnan(self.share) else f"{blame_text(self.share)} of the error at the output"


@dataclass(frozen=True, slots=True)
class JudgedOutput:
    """One output of the model and the verdict on it."""

    tensor: int
    name: str
    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class AccountTable:
    """Texts in columns; `right` are those of numbers."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Lack:
    """A reason why something could not be measured, and what that is."""

    title: str
    count: int
    names: tuple[str, ...]
    hint: str = ""

    @property
    def named(self) -> str:
        more = self.count - len(self.names)
        return f"{'; '.join(self.names)} and {more:,} more" if more > 0 else "; ".join(self.names)

    @property
    def text(self) -> str:
        hint = f" {self.hint}" if self.hint else ""
        return f"{self.title} ({self.count:,}): {self.named}.{hint}"


# How loud a verdict is, the same wherever it is read: red belongs to what is wrong with one node or with the inputs.
Tone = Literal["calm", "warning", "loud"]
_TONES: Mapping[Kind, Tone] = {
    "accumulated error": "warning",
    "beyond limits": "warning",
    "good": "calm",
    "nothing": "calm",
}


@dataclass(frozen=True, slots=True)
class Account:
    """Account of a case. A chapter that is empty has nothing to tell."""

    title: str
    nodes: int
    compared: tuple[AccountFact, ...] = ()
    # What is to be known before anything else is believed.
    warnings: tuple[str, ...] = ()
    # None: nothing was compared.
    kind: Kind | None = None
    # "Node error", and the sentence behind it.
    head: str = ""
    sentence: str = ""
    surety: str = ""
    # What was counted on labelled samples.
    real: str = ""
    # Of three runs, which step is at fault.
    stages: tuple[str, ...] = ()
    cards: tuple[Card, ...] = ()
    outputs: tuple[JudgedOutput, ...] = ()
    # What somebody wished of the plan that is simulated.
    changed: AccountTable = field(default_factory=lambda: AccountTable((), ()))
    tried: AccountTable = field(default_factory=lambda: AccountTable((), ()))
    advice: tuple[Advice, ...] = ()
    lacks: tuple[Lack, ...] = ()
    # Of the comparison as it was made, in sentences.
    oddities: tuple[str, ...] = ()
    # The user's: on all of it, and by the name of a node.
    note: str = ""
    notes: tuple[tuple[str, str], ...] = ()
    # Answers of the form of the ticket that it came in.
    form: tuple[AccountFact, ...] = ()

    @property
    def tone(self) -> Tone:
        """Tone of the verdict; nothing compared has that of nothing found."""
        return "calm" if self.kind is None else _TONES.get(self.kind, "loud")
