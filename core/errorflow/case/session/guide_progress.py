"""Progress through a guide as plain values, which sessions keep and the start of the app loads."""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Annotated

from errorflow.base.codec import EACH, Each, Finite, Most
from errorflow.base.values import dataclass, field, replace

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
