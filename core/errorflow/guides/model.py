"""The rows that say what a guide is: a flow of steps, what each needs and how it is judged, and where it leads."""

from collections.abc import Callable, Mapping
from typing import ClassVar, Literal, get_args

from errorflow.base.values import dataclass, field
from errorflow.case.scenarios.scenario import Need
from errorflow.guides.facts import Facts

# How a step can end. Those between `failed` and `inputs differ` are failures whose kind is known; `doubt`: all numbers
# are good, and the results are not; `exhausted`: what the step would do next is done already; `undecided`: what was
# measured is good, and what counts was not measured.
Outcome = Literal[
    "passed", "undecided", "close", "failed", "node error", "accumulated error", "inputs differ", "doubt", "exhausted"
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
# Kinds of verdicts on a model that are outcomes of their own.
ACCUSING: tuple[Outcome, ...] = ("node error", "accumulated error", "inputs differ")
OUTCOME_LABELS: Mapping[str, str] = {
    "passed": "passed",
    "undecided": "not decided yet, as the accuracy was not measured",
    "close": "look closer",
    "failed": "failed",
    "node error": "failed: node error",
    "accumulated error": "failed: accumulated error",
    "inputs differ": "the inputs differ",
    "doubt": "passed, and the results are still wrong",
    "exhausted": "failed, and the remedy is in use already",
}
# The same before a step is done.
OUTCOME_WHEN: Mapping[str, str] = {
    "passed": "If it passes",
    "undecided": "If you go on without the accuracy",
    "close": "If it is only just missed",
    "failed": "If it fails",
    "node error": "If few nodes bring the error",
    "accumulated error": "If many nodes bring the error",
    "inputs differ": "If the inputs differ",
    "doubt": "If it passes, and the results are still wrong",
    "exhausted": "If it fails, and the remedy is in use already",
}
# What becomes of an outcome that a step has no way for.
INSTEAD: Mapping[str, Outcome] = {
    "undecided": "passed",
    "close": "failed",
    "node error": "failed",
    "accumulated error": "failed",
    "inputs differ": "failed",
    "exhausted": "failed",
}
State = Literal["passed", "close", "failed", "not measured"]
Form = Literal["command", "file", "script"]


@dataclass(frozen=True, slots=True)
class How:
    """One way to obtain something: a command to copy, or a file to save."""

    title: str
    form: Form
    text: Callable[[Facts], str]
    # What the file is called; "": it is a command, which is not saved.
    file: Callable[[Facts], str] | None = None
    # What is to be known about it, in a sentence.
    note: str = ""


@dataclass(frozen=True, slots=True)
class StepNeed:
    """A thing that a step takes."""

    need: Need
    how: tuple[How, ...] = ()
    # A step and a need of it: what was given there is taken here too.
    carried: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """One number held against one threshold."""

    state: State
    # What was found, in a sentence.
    text: str


@dataclass(frozen=True, slots=True)
class SeenResult:
    """Result of a finished step: numbers and what they are about, by name."""

    numbers: Mapping[str, float] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Check:
    """A threshold of a guide."""

    rank: ClassVar[int] = 0

    key: str
    label: str
    # When it is passed, in words.
    rule: str
    # Whose guide says so.
    source: str
    look: Callable[[SeenResult], Checked]
    # What the user may write down where nothing here can measure it: the names of numbers, each with its label.
    asked: tuple[tuple[str, str], ...] = ()
    # It says nothing about whether the step is passed.
    aside: bool = False
    # What is good without it is not decided yet, where the step has a way for that.
    counts: bool = False


@dataclass(frozen=True, slots=True)
class Way:
    """Way from a step that ends so."""

    outcome: Outcome
    # The key of a step, or of a step of another flow: `flow/step`.
    to: str
    why: str


@dataclass(frozen=True, slots=True)
class Do:
    """Task in the app, and the same on the command line."""

    # On the button.
    label: str
    # A command of the window by its key; "": the comparison of the step is started.
    action: str = ""
    # Where it is found in the menus.
    where: str = ""
    call: Callable[[Facts], str] | None = None
    # What to do where the window cannot do it yet.
    instead: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One station of a flow."""

    key: str
    title: str
    why: str
    # In the order of trying; the first is the main one.
    do: tuple[Do, ...]
    ways: tuple[Way, ...]
    # The key of a comparison of `errorflow.case.scenarios`; "": it is none.
    scenario: str = ""
    wanted: tuple[StepNeed, ...] = ()
    checks: tuple[Check, ...] = ()
    # What else is to be done or looked at, each in a sentence.
    advice: tuple[str, ...] = ()
    # How to get what is not a need, such as a script that quantizes.
    how: tuple[How, ...] = ()
    optional: bool = False
    # Only the user can say how it ended.
    by_hand: bool = False

    def way(self, outcome: str) -> Way | None:
        """Finds where an outcome leads; None: it is the end."""
        found = next((way for way in self.ways if way.outcome == outcome), None)
        return found if found is not None or outcome not in INSTEAD else self.way(INSTEAD[outcome])

    @property
    def is_end(self) -> bool:
        return not self.ways


@dataclass(frozen=True, slots=True)
class Flow:
    """A vendor's method, step by step."""

    # As the vendors stand.
    rank: ClassVar[int] = 0

    key: str
    title: str
    # Who takes it: what they have and what they see.
    story: str
    vendor: str
    steps: tuple[Step, ...]
    # The answers that lead to it, by question.
    answers: Mapping[str, str]
    # What the original model is in; "": whatever it is.
    framework: str = ""
    # The guide that it follows.
    source: str = ""
    # What the model is called that its tool quantized before; "": it is not asked for.
    quantized: str = ""
    # Whether its commands name the chip.
    names_chip: bool = False

    def step(self, key: str) -> Step | None:
        return next((step for step in self.steps if step.key == key), None)


@dataclass(frozen=True, slots=True)
class GuideAnswer:
    rank: ClassVar[int] = 0
    key: str
    title: str
    story: str


@dataclass(frozen=True, slots=True)
class GuideQuestion:
    """Asked where the answers before leave more than one flow."""

    # As the vendors stand.
    rank: ClassVar[int] = 0

    key: str
    title: str
    answers: tuple[GuideAnswer, ...]
