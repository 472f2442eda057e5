"""Search: what is wanted, what was tried and what was found, as plain values, also while it goes on."""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from errorflow.base.values import dataclass, field
from errorflow.quant.plan import Plan
from errorflow.quant.switching import Switch
from errorflow.study.rank.model import Kind, Part

# What a part can be raised to. On a ladder it goes over 16 bits to float.
Raised = Literal["float", 16]


@dataclass(frozen=True, slots=True)
class Choice:
    """Choice of parts that are raised, by their number, and to what; all others are as planned. Equal choices are
    equal.
    """

    raised: tuple[tuple[int, Switch], ...] = ()

    @classmethod
    def of(cls, parts: Iterable[int] | Mapping[int, Switch], to: Switch = "float") -> "Choice":
        found = parts if isinstance(parts, Mapping) else dict.fromkeys(parts, to)
        return cls(tuple(sorted((part, switch) for part, switch in found.items() if switch != "plan")))

    @property
    def parts(self) -> tuple[int, ...]:
        return tuple(part for part, _ in self.raised)

    @property
    def as_dict(self) -> dict[int, Switch]:
        return dict(self.raised)

    @property
    def floats(self) -> int:
        return sum(switch == "float" for _, switch in self.raised)

    @property
    def wide(self) -> int:
        return sum(switch == 16 for _, switch in self.raised)

    def __len__(self) -> int:
        return len(self.raised)

    @property
    def cost(self) -> tuple[int, int]:
        """Fewer floats are better, whatever else; then fewer parts of 16 bits."""
        return self.floats, self.wide


NOTHING = Choice()


@dataclass(frozen=True, slots=True)
class Tried:
    """One choice that was evaluated."""

    # In the order of the search, from 0 on: the plan as it is comes first.
    number: int
    choice: Choice
    value: float
    # In simulation and, where it was run so, as deployed.
    good: bool
    loss: float
    # What it took to evaluate; of what an earlier search knew, what it took then.
    seconds: float = 0.0
    # What was done, in words, such as `the 4 worst in float`.
    why: str = ""
    # What the evaluator said instead of a number.
    note: str = ""
    # It was known from an earlier search that was interrupted.
    known: bool = False
    # Nothing is quantized any more: it is the original, and was not evaluated again.
    is_original: bool = False
    # The same with all that ONNX Runtime optimises; NaN: it was not run so.
    deployed: float = math.nan


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """Wish for a search."""

    # Key of STRATEGIES, or the file with the user's own one.
    strategy: str = "noise"
    kind: Kind = "unit"
    to: Raised = "float"
    # Of evaluations, without those of the original and of the plan as it is; None: as many as it takes.
    most: int | None = None
    # Where evaluations can go on side by side, so many do.
    workers: int = 1
    # A ranking that was made before; None: one is made.
    ranking: Path | None = None
    # By which parts are ranked: `noise`, what each brings to the outputs, or `amct`, the cosine of each on its own.
    by: Literal["noise", "amct"] = "noise"


@dataclass(frozen=True, eq=False)
class Search:
    """Search as far as it is known."""

    wish: SearchRequest
    plan: Plan
    # What is measured and when it is good enough, in words.
    measure: str
    rule: str
    higher_is_better: bool
    # In the order of the ranking, the worst first, with the number that each is ranked by.
    parts: tuple[Part, ...] = ()
    scores: tuple[float, ...] = ()
    # What that number is.
    scored_by: str = ""
    original: float = math.nan
    tried: tuple[Tried, ...] = ()
    # The numbers of those in the order in which the strategy asked for them; it may ask for one again.
    asked: tuple[int, ...] = ()
    # Plans that the engine simulated to measure noise, which is no evaluation.
    simulated: int = 0
    # So many of those on all samples, where noise is what the evaluator measures: each is as good as an evaluation.
    exact: int = 0
    # What is being done.
    stage: str = ""
    complete: bool = False
    # Why it ended before its end, in words; "": it did not.
    stopped: str = ""
    notes: tuple[str, ...] = field(default=())

    @property
    def whole(self) -> Tried | None:
        """The plan as it is."""
        return next((each for each in self.tried if not len(each.choice)), None)

    @property
    def met(self) -> bool:
        return any(each.good for each in self.tried)

    @property
    def best(self) -> Tried | None:
        """The smallest choice that is good enough; if none is, the one that comes closest. None: none was tried."""
        good = [each for each in self.tried if each.good]
        if good:
            return min(good, key=lambda each: (each.choice.cost, each.loss))
        known = [each for each in self.tried if not math.isnan(each.loss)]
        return min(known, key=lambda each: (each.loss, each.choice.cost), default=None)

    @property
    def evaluations(self) -> int:
        """Number of evaluations, but for the original."""
        return len(self.tried)

    def chosen(self, tried: Tried) -> tuple[tuple[Part, Switch], ...]:
        return tuple((self.parts[part], switch) for part, switch in tried.choice.raised)
