"""The chapters as plain values; nothing here says how they are shown."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from errorflow.base.language import translated
from errorflow.base.values import dataclass, field
from errorflow.compare.metrics import METRICS
from errorflow.explain.blame.model import Advice, Kind
from errorflow.graph.build import counted
from errorflow.quant.changes import beginning, brief, changes
from errorflow.quant.plan import Plan
from errorflow.report.runs_text import before_of
from errorflow.study.simulate.text import changed
from errorflow.study.simulate.trial import Accuracy, Trial

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
    # What it brings of the error at the output, 0…1 (NaN: nobody knows), and in words, or how likely it is to do so.
    share: float
    share_text: str
    numbers: tuple[AccountFact, ...]
    why: str
    picture: str = ""
    told: str = ""


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


# The account as plain text, to paste into a ticket or a mail.

# From here on letters are as wide as two.
_WIDE = "\u2e80"


def account_text(account: Account) -> str:
    return "\n".join((account.title, "=" * len(account.title), *_chapters(account))) + "\n"


def _chapters(account: Account) -> Iterator[str]:
    if account.note:
        yield from ("", *account.note.splitlines())
    yield from _chapter(COMPARED, [_pair(fact.label, fact.text) for fact in account.compared] + list(account.warnings))
    yield from _chapter(TICKETED, [_pair(fact.label, fact.text) for fact in account.form], is_noted=True)
    yield from _chapter(VERDICT, list(_verdict(account)))
    yield from _chapter(NODES, [line for number, card in enumerate(account.cards) for line in _card(card, number + 1)])
    yield from _chapter(OUTPUTS, [f"{each.name}: {each.text}" for each in account.outputs])
    yield from _chapter(CHANGED, [_pair(*row) for row in account.changed.rows])
    yield from _chapter(TRIED, list(_table(account.tried)))
    yield from _chapter(RECOMMENDED, [line for each in account.advice for line in (each.text, f"  {each.source}")])
    yield from _chapter(UNMEASURED, [*(each.text for each in account.lacks), *account.oddities])
    noted = [f"{name}: {text}" for name, text in account.notes]
    yield from _chapter(NOTED, noted, is_noted=True)


def _chapter(title: str, lines: list[str], *, is_noted: bool = False) -> Iterator[str]:
    """Yields a chapter in the language in use, but for what the user wrote."""
    if lines:
        said = translated(title, label=True)
        rule = "-" * sum(1 + (letter > _WIDE) for letter in said)
        yield from ("", said, rule, *(lines if is_noted else map(translated, lines)))


def _verdict(account: Account) -> Iterator[str]:
    if account.kind is None:
        yield NOTHING
        return
    yield _pair(account.head, account.sentence)
    yield from filter(None, (account.surety, *account.stages))
    if account.real:
        yield f"Measured for real: {account.real}"


def _card(card: Card, number: int) -> Iterator[str]:
    yield f"{number}. {card.title} ({card.op_type}): {card.word}{f', {card.how}' if card.how else ''}"
    yield from (f"   {text}" for text in (card.share_text, card.why, card.told) if text)
    if card.numbers:
        yield "   " + ", ".join(f"{fact.label} {fact.text}" for fact in card.numbers)


def _table(table: AccountTable) -> Iterator[str]:
    for row in table.rows:
        named = zip(table.heads[1:], row[1:], strict=True)
        yield f"{row[0]}: {', '.join(f'{head} {cell}' for head, cell in named if cell)}"


def _pair(label: str, text: str) -> str:
    return f"{label}: {text}" if label else text


# Wishes for the plan; what was tried, with its results.

_SHOWN = ("relative_l2", "sqnr", "cosine")
_METRICS = tuple(metric for metric in METRICS if metric.key in _SHOWN)
# Of what was changed by hand, so much is told one by one.
_MOST = 60


def changes_table(plan: Plan | None) -> AccountTable:
    """A row per wish, against what the plan began as; empty: there is none."""
    found = () if plan is None else changes(beginning(plan), plan)
    if not found:
        return AccountTable((), ())
    rows = [(each.who if each.who else "The whole plan", each.what) for each in found[:_MOST]]
    if len(found) > _MOST:
        rows.append((f"… and {len(found) - _MOST:,} more", ""))
    return AccountTable(("What", "Wished instead"), tuple(rows))


def trials_table(trials: Sequence[Trial], shown: str) -> AccountTable:
    """A row per run with its worst output; empty: nothing was tried."""
    if not trials:
        return AccountTable((), ())
    is_counted = any(trial.accuracy is not None for trial in trials)
    labels = (f"{metric.label} of the worst output" for metric in _METRICS)
    heads = ("Run", "What changed", *(("Measured for real",) if is_counted else ()), *labels, "Verdict", "Samples")
    rows = tuple(tuple(_cells(before, trial, shown, is_counted)) for before, trial in before_of(trials))
    first = 3 if is_counted else 2
    return AccountTable(heads, rows, frozenset(range(first, first + len(_METRICS))))


def _cells(before: Trial | None, trial: Trial, shown: str, is_counted: bool) -> Iterator[str]:
    yield f"{trial.name} (on view)" if trial.name == shown else trial.name
    yield brief(changed(before, trial))
    if is_counted:
        yield accuracy_text(trial.accuracy)
    for metric in _METRICS:
        value = _worst(trial, metric.key, metric.higher_is_better)
        yield "" if math.isnan(value) else metric.text(value)
    yield trial.verdict
    yield f"{trial.samples} (made up)" if trial.made_up else trial.samples


def accuracy_text(found: Accuracy | None) -> str:
    """Writes what was counted, the float model beside it; "": nothing was."""
    if found is None:
        return ""
    count = max(found.samples, 1)
    told = [
        f"{key} {right / count:.2%} (float {found.original_right.get(key, 0) / count:.2%})"
        for key, right in found.right.items()
    ]
    if found.measure:
        told.append(f"{found.measure} {found.value:.6g} (float {found.original_value:.6g})")
    return f"{', '.join(told)}, of {counted(found.samples, 'sample', 'samples')}"


def _worst(trial: Trial, key: str, higher_is_better: bool) -> float:
    values = [numbers[key] for numbers in trial.outputs.values() if key in numbers]
    if not values or any(math.isnan(value) for value in values):
        return math.nan
    return min(values) if higher_is_better else max(values)
