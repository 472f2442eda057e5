"""A session as plain, frozen values. A change makes a new one, which is one step of undo."""

import math
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from errorflow.base.codec import EACH, Between, Each, Finite, Most
from errorflow.base.values import dataclass, field, replace
from errorflow.case.scenarios.setup import Setup
from errorflow.quant.plan import Plan
from errorflow.study.evaluate.asked import LabelledSet
from errorflow.study.rank.asked import Measure, Question
from errorflow.study.search.asked import Sought
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.trial import Trial

if TYPE_CHECKING:
    from errorflow.study.rank.model import Ranking
    from errorflow.study.search.model import Search


# Progress through a guide as plain values, which sessions keep and the start of the app loads.

# No flow has more steps.
MOST_STEPS = 100


@dataclass(frozen=True, slots=True)
class GivenFiles:
    """Files of the user as far as they are known, for commands that can be run as they are."""

    # The original model, and its weights where they are a file of their own.
    model: Path | None = None
    weights: Path | None = None
    # The calibrated or quantized model, where a step takes one.
    quantized: Path | None = None
    # Of the NPU, such as `Ascend310P3`; "": not known.
    soc_version: str = ""


@dataclass(frozen=True, slots=True)
class StepProgress:
    """Result of one step."""

    # Of `OUTCOMES`; "": it is not finished.
    outcome: str = ""
    # By the key of the need.
    files: Each[Mapping[str, Path]] = field(default_factory=dict)
    # What was found, by name, such as the cosine of the output; and what that is about.
    numbers: Each[Mapping[str, Finite]] = field(default_factory=dict)
    texts: Each[Mapping[str, str]] = field(default_factory=dict)
    # When it was finished, as `2026-01-31 17:05`.
    when: str = ""


NOTHING = StepProgress()


@dataclass(frozen=True, slots=True)
class GuideProgress:
    """One way through one flow."""

    # The key of the flow; "": none is chosen yet.
    flow: str = ""
    # By the key of the question that of the answer.
    answers: Each[Mapping[str, str]] = field(default_factory=dict)
    # The step that one is at; "": the first.
    at: str = ""
    steps: Annotated[Mapping[str, StepProgress], EACH, Most(MOST_STEPS)] = field(default_factory=dict)
    given: GivenFiles = field(default_factory=GivenFiles)

    def step(self, key: str) -> StepProgress:
        return self.steps.get(key, NOTHING)

    def with_step(self, key: str, **changed: object) -> "GuideProgress":
        step = replace(self.step(key), **changed)  # type: ignore[arg-type]  # the dataclass checks the names
        return replace(self, steps={**self.steps, key: step})

    @property
    def files(self) -> frozenset[Path]:
        """Files of the user that the progress names."""
        own = (self.given.model, self.given.weights, self.given.quantized)
        given = (path for step in self.steps.values() for path in step.files.values())
        return frozenset((*(path for path in own if path is not None), *given))

    def is_about(self, model: Path | None, others: Collection[Path]) -> bool:
        """Whether what is opened belongs to the same case. `others`: what is compared, which often lies beside it."""
        known = self.files
        if not known:  # it was begun before anything was opened; what was found out was of something else
            return not any(step.numbers or step.outcome for step in self.steps.values())
        if not known.isdisjoint({model, *others}):
            return True
        folders = {path.parent for path in known}
        return any(path.parent in folders for path in others)

    def moved(self, now: Callable[[Path], Path]) -> "GuideProgress":
        """Copies the progress with its files where they lie by now."""
        given = replace(
            self.given,
            model=None if self.given.model is None else now(self.given.model),
            weights=None if self.given.weights is None else now(self.given.weights),
            quantized=None if self.given.quantized is None else now(self.given.quantized),
        )
        steps = {
            key: replace(step, files={need: now(path) for need, path in step.files.items()})
            for key, step in self.steps.items()
        }
        return replace(self, given=given, steps=steps)


# Of files of sessions.
SUFFIX = ".errorflow"
Palette = Literal["ember", "blue-orange", "single"]
PALETTES: tuple[Palette, ...] = ("ember", "blue-orange", "single")
Pairing = Literal["side", "stacked", ""]
# Of a file.
MOST_TRIALS, MOST_RANKINGS, MOST_SEARCHES = 1000, 12, 8
Size = Annotated[int, Between(0)]


@dataclass(frozen=True, slots=True)
class Painting:
    """Choices of how error is painted."""

    # The metric's key.
    metric: str = "relative_l2"
    # Fill and bar have changed places: introduced is the fill.
    swapped: bool = False
    palette: Palette = "ember"
    # By the metric's key: good and bad, where the user moved them.
    limits: Each[Mapping[str, tuple[Finite, Finite]]] = field(default_factory=dict)
    # The preset that the limits are of; "": the user's own, or none.
    preset: str = ""
    # Edges are tinted by what they carry; what the front explains is outlined.
    edges: bool = True
    front: bool = True
    # Nodes are filled by their share of blame, where that is known.
    blamed: bool = False
    # Nodes are filled by how much each matters in that measure, where that is known; "": by error.
    ranked: Measure | Literal[""] = ""


@dataclass(frozen=True, slots=True)
class HandPair:
    """Two tensors that the user brought together, or with "" for one of them, parted."""

    candidate: str
    reference: str


@dataclass(frozen=True, slots=True)
class Sights:
    """Viewpoint: which part of the model was seen, which groups of it were open, and at which place."""

    # How it was laid out; "auto": nobody has chosen.
    view: str = "auto"
    # The way into bodies of control flow, and which function; -1: none.
    bodies: Each[tuple[Annotated[int, Between(-(1 << 31))], ...]] = ()
    function: Annotated[int, Between(-1)] = -1
    # Each group by the labels of all around it and its own; None: those that are open at first.
    open_groups: Each[tuple[str, ...]] | None = None
    # In the drawing's own units; 0: all of it is in sight.
    zoom: Annotated[float, Between(0, math.inf)] = 0.0
    x: Finite = 0.0
    y: Finite = 0.0
    # Of the drawing, in which alone that spot is meant.
    width: Finite = 0.0
    height: Finite = 0.0
    # The room that it was made for: another one is made for the same room; 0: nobody wrote that down, nor what follows.
    room_width: Size = 0
    room_height: Size = 0
    # Whether it was cut into columns or rows; None: as suits it.
    cut: bool | None = None
    # What was drawn, and whether from left to right; None: as it is drawn anyway.
    constants: bool | None = None
    quiet: bool | None = None
    across: bool | None = None
    # The tensors of which all lines were drawn, by name.
    whole: Each[tuple[str, ...]] = ()
    # The name of the selected tensor, or the selected group as above; "": none, or a node is.
    tensor: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class Simulation:
    """Simulation of the model on view, and what of it is looked at."""

    basis: Basis
    plan: Plan
    # The trial whose errors are compared with, by name; "": there is none.
    against: str = ""
    # The sample whose tensors are looked at; -1: the worst one.
    sample: Annotated[int, Between(-1)] = -1


@dataclass(frozen=True, slots=True)
class KeptRanking:
    """Ranking of the parts of the model on those samples, as far as it is known."""

    basis: Basis
    ranking: "Ranking"


@dataclass(frozen=True, slots=True)
class Searched:
    """Search for the fewest parts on those samples, as far as it is known."""

    basis: Basis
    sought: Sought
    search: "Search"


@dataclass(frozen=True, slots=True)
class Session:
    """Everything that a `.errorflow` file holds."""

    # The model on view; None: that of the comparison.
    model: Path | None = None
    setup: Setup | None = None
    painting: Painting = field(default_factory=Painting)
    hand_pairs: Each[tuple[HandPair, ...]] = ()
    # None: two runs are compared, or nothing.
    simulation: Simulation | None = None
    # What was tried so far, oldest first; names are different.
    trials: Annotated[tuple[Trial, ...], EACH, Most(MOST_TRIALS)] = ()
    # What is asked of the parts of the model, and what was found out so far, oldest first.
    question: Question = field(default_factory=Question)
    rankings: Annotated[tuple[KeptRanking, ...], EACH, Most(MOST_RANKINGS)] = ()
    # The same of the search for the fewest parts that must not be quantized.
    sought: Sought = field(default_factory=Sought)
    searches: Annotated[tuple[Searched, ...], EACH, Most(MOST_SEARCHES)] = ()
    # On what runs are evaluated for real.
    labelled: LabelledSet = field(default_factory=LabelledSet)
    # What the user wrote on nodes, by their names.
    notes: Each[Mapping[str, str]] = field(default_factory=dict)
    # And on all of it.
    note: str = ""
    # Another session, whose results are compared with, such as yesterday's; None: none is.
    since: Path | None = None
    # The ticket bundle that all of it came in, whose results are shown; None: it came in none.
    bundle: Path | None = None
    # How far one is on the way through a guide; None: none is followed.
    guide: GuideProgress | None = None
    # The model of the second graph; None: the other one of the comparison.
    second: Path | None = None
    # How the second graph stands beside the first; "": it is not shown.
    pairing: Pairing = ""
    sights: Sights = field(default_factory=Sights)
    # Of the second graph; None: it is not shown, or nobody wrote it down.
    second_sights: Sights | None = None
    search: str = ""
    # The selected node's name.
    node: str = ""
