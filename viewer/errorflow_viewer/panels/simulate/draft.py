"""Draft of what the form says, as a value: it becomes a simulation when the button is pressed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from errorflow.base.values import dataclass, field, fields, replace
from errorflow.case.session.model import Simulation
from errorflow.quant.plan import Plan
from errorflow.quant.presets import PRESETS
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SimulationDraft:
    """`plan` None: the model's own, which is read when it is simulated."""

    basis: Basis = field(default_factory=Basis)
    plan: Plan | None = None
    # Where the plan was read from; None: it is a preset, or was switched by hand.
    file: Path | None = None

    @property
    def asked(self) -> SampleSpec:
        return self.basis.asked

    @property
    def has_samples(self) -> bool:
        return bool(self.asked.paths) or self.asked.seed is not None

    def given(self, **changed: Any) -> "SimulationDraft":
        """Copies the draft with other fields of what the samples are."""
        return replace(self, basis=replace(self.basis, asked=replace(self.asked, **changed)))

    def based(self, **changed: Any) -> "SimulationDraft":
        """Copies the draft with other fields of the basis."""
        return replace(self, basis=replace(self.basis, **changed))

    def is_of(self, simulation: Simulation) -> bool:
        """Whether that is just what it says."""
        return self.basis == simulation.basis and self.plan in (None, simulation.plan)

    def merged(self, before: Simulation | None, now: Simulation) -> "SimulationDraft":
        """Merges what was decided elsewhere since `before`, and what was changed here."""
        if before is None:
            return SimulationDraft(now.basis, now.plan)
        plan = now.plan if self.plan in (None, before.plan) else self.plan
        return SimulationDraft(
            _merged(self.basis, before.basis, now.basis), plan, self.file if plan == self.plan else None
        )


def first(is_quantized: bool) -> SimulationDraft:
    """Makes the draft for a model of which nothing is known."""
    return SimulationDraft(Basis(own=is_quantized), None if is_quantized else PRESETS[0].plan)


def _merged(mine: T, before: T, now: T) -> T:
    """Field by field: what is mine if I changed it."""
    names = [each.name for each in fields(mine)]  # type: ignore[arg-type]  # a dataclass, as the names say
    changed = {name: getattr(mine, name) for name in names if getattr(mine, name) != getattr(before, name)}
    return replace(now, **changed)  # type: ignore[type-var]  # the same


def sizes_left(asks: tuple[str, ...], dims: Mapping[str, int]) -> tuple[str, ...]:
    """Lists open sizes that were not stated."""
    return tuple(name for name in asks if name not in dims)
