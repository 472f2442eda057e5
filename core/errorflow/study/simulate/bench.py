"""A model with samples, ranges and an engine: ready to simulate plans."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from errorflow.base.errors import ErrorflowError, UsageError
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, field, replace
from errorflow.graph.model import Model
from errorflow.quant.channels import per_channel, with_channels
from errorflow.quant.plan import Plan
from errorflow.quant.precision import Precision
from errorflow.quant.presets import preset
from errorflow.quant.ranges import Calibration
from errorflow.quant.selecting import unheard
from errorflow.quant.steps import remaking
from errorflow.run.engine.closing import Closing
from errorflow.run.engine.engine import Budget, Engine
from errorflow.run.model import ModelInput, wanted_of
from errorflow.run.samples.fitting import Fitted, SampleSlice
from errorflow.run.samples.opening import MADE_UP, open_samples
from errorflow.study.rewrites.model import Remade
from errorflow.study.rewrites.remake import remake
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.dividing import divided
from errorflow.study.simulate.fed import Feeding
from errorflow.study.simulate.floated import Floated
from errorflow.study.simulate.ranging import has_all_ranges, meant_for, ranges_for

PRESET = "onnxruntime"


@dataclass(frozen=True, eq=False)
class Bench(Closing):
    """Use it as a context manager. Engine and samples belong to `floated.model`, which stays open as long."""

    floated: Floated
    basis: Basis
    # The one that it was opened with, which is where a user begins.
    plan: Plan
    calibration: Calibration
    # Those that errors are measured on; the numbers of the engine's samples are theirs.
    evaluated: SampleSlice
    engine: Engine
    # A sentence on which samples calibrate and which are evaluated.
    text: str
    # Which values are evaluated, whatever files they came from.
    data: str
    # Those that calibrate; none where ranges were given.
    calibrated: SampleSlice
    # What was odd about samples, ranges, the model and the plan.
    notes: tuple[str, ...] = ()
    # What the steps of the plan made of the float model; None: it has none of that kind.
    remade: Remade | None = None
    _place: "TemporaryDirectory[str] | None" = field(default=None, repr=False)

    @classmethod
    def open(
        cls,
        floated: Floated,
        basis: Basis,
        plan: Plan | None = None,
        budget: Budget | None = None,
        progress: Progress = SILENT,
    ) -> Self:
        """Calibrates and runs the model once in float. Without a plan it is the model's own, or the first preset's."""
        if not len(floated.model.graph):
            raise UsageError(f"{floated.path.name} has no nodes that could be quantized.", "Choose another model.")
        plan = first_plan(floated, basis) if plan is None else plan
        calibrated, evaluated, text = _samples(floated, basis, plan, progress)
        with ExitStack() as undo:  # whatever goes wrong, nobody gets to close what was never open
            place, remade = _remade(floated, basis, plan, calibrated, progress)
            undo.callback(_clean, place)
            model = floated.model if remade is None else remade.model
            calibration, notes = ranges_for(floated, basis, plan, calibrated, remade, progress)
            calibration = with_channels(calibration, plan, model.graph)
            samples = Feeding(evaluated)
            engine = Engine(model.path, samples, calibration, budget, progress, None if remade is None else model.graph)
            undo.callback(engine.close)
            said = (
                *(() if floated.back is None else floated.back.notes),
                *samples.odd(calibration),
                *evaluated.notes,
                *notes,
                *unheard(plan, floated.model.graph),
            )
            unique = tuple(dict.fromkeys(said))
            found = cls(
                floated,
                basis,
                plan,
                calibration,
                evaluated,
                engine,
                text,
                samples.identity,
                calibrated,
                unique,
                remade,
                place,
            )
            undo.pop_all()
        return found

    def close(self) -> None:
        """Ends the engine's process; a model that steps made is gone."""
        self.engine.close()
        _clean(self._place)

    def suits(self, basis: Basis, plan: Plan) -> bool:
        """Whether it would be no other one, but for its plan, if it were opened for these."""
        if basis == self.basis and _without_float(plan) == _without_float(self.plan):
            return True
        graph = self.floated.model.graph
        if basis != self.basis or per_channel(plan, graph) != per_channel(self.plan, graph):
            return False
        if remaking(plan.steps) != remaking(self.plan.steps):
            return False
        has_ranges = has_all_ranges(self.floated, basis, plan)
        return has_ranges or meant_for(plan, basis) == meant_for(self.plan, basis)

    @property
    def model(self) -> Model:
        """The one to look at: the user's, or the one with the nodes that steps put in."""
        return self.simulated if self.has_more_nodes else self.floated.model

    @property
    def has_more_nodes(self) -> bool:
        """Whether steps put some in; else numbers of nodes and tensors are those of the user's float model."""
        return self.remade is not None and len(self.remade.model.graph) > len(self.floated.model.graph)

    @property
    def is_users(self) -> bool:
        """Whether the model to look at is the file that the user has."""
        return self.floated.back is None and not self.has_more_nodes

    @property
    def simulated(self) -> Model:
        """The float model that runs: as the user has it, or as steps made it."""
        return self.floated.model if self.remade is None else self.remade.model

    @property
    def made_up(self) -> bool:
        """Whether the samples were made up: what comes of them says nothing about the model in use."""
        return self.evaluated.made_up

    @property
    def other_notes(self) -> tuple[str, ...]:
        """Notes but the one that samples are made up."""
        return tuple(note for note in self.notes if not note.startswith(MADE_UP))

    @property
    def facts(self) -> Mapping[str, str]:
        """Facts for a report: what ran and on what."""
        found = {**self.calibration.facts, **self.engine.facts, **({"made up": "yes"} if self.made_up else {})}
        own = {"samples": self.text, "evaluated data": self.data, "calibration": self.calibration.method}
        return {**found, **own, **({} if self.remade is None else self.remade.facts)}

    def meant(self, plan: Plan) -> str:
        """Says as what the model is simulated."""
        if plan.coded is not None:
            return "it is quantized"
        return plan.preset if plan.preset else "planned"


def _without_float(plan: Plan) -> Plan:
    """A plan without what it puts to float, on which no range hangs: all else is asked of most plans in vain."""
    rules = tuple(rule for rule in plan.rules if isinstance(rule.activations, Precision))
    return replace(plan, rules=rules, tensors=tuple(row for row in plan.tensors if isinstance(row[1], Precision)))


def first_plan(floated: Floated, basis: Basis) -> Plan:
    return preset(PRESET).plan if floated.back is None or not basis.own else floated.back.plan


def _samples(floated: Floated, basis: Basis, plan: Plan, progress: Progress) -> tuple[SampleSlice, SampleSlice, str]:
    """Chooses samples for calibration, those for evaluation, and a sentence on them."""
    wanted = wanted_of(floated.model.graph)
    has_ranges = has_all_ranges(floated, basis, plan)
    others: Fitted | None = None
    if basis.others:
        others = _to_measure_on(wanted, basis, progress)
    whole = others if others is not None and has_ranges else open_samples(wanted, basis.asked, progress)
    found = divided(basis, whole.count, has_ranges, None if others is None else others.count)
    evaluated = SampleSlice(whole if others is None else others, found.first, found.evaluated)
    return SampleSlice(whole, 0, found.calibrated), evaluated, found.text


def _to_measure_on(wanted: tuple[ModelInput, ...], basis: Basis, progress: Progress) -> Fitted:
    """Opens the samples to measure on; errors say of which samples they speak, as others are given for calibration."""
    try:
        return open_samples(wanted, replace(basis.asked, paths=basis.others), progress)
    except ErrorflowError as error:
        error.message = f"Samples to measure on (--evaluate): {error.message}"
        raise


def _remade(
    floated: Floated, basis: Basis, plan: Plan, samples: SampleSlice, progress: Progress
) -> "tuple[TemporaryDirectory[str] | None, Remade | None]":
    """A file of its own beside nothing of the user's."""
    steps = remaking(plan.steps)
    if not steps:
        return None, None
    place = TemporaryDirectory(prefix="errorflow-")
    try:
        target = Path(place.name) / floated.model.path.name
        return place, remake(floated.model, steps, basis.asked, Feeding(samples), target, progress)
    except BaseException:  # a cancel too
        place.cleanup()
        raise


def _clean(place: "TemporaryDirectory[str] | None") -> None:
    if place is not None:
        place.cleanup()
