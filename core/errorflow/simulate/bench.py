"""A model with samples, ranges and an engine: ready to simulate plans."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from errorflow.errors import ErrorflowError, UsageError
from errorflow.files import is_file, is_folder
from errorflow.graph.model import Model
from errorflow.progress import SILENT, Progress
from errorflow.quant.calibrate.asked import methods_of
from errorflow.quant.calibrate.saved import load_calibrations
from errorflow.quant.channels import per_channel, with_channels
from errorflow.quant.plan import Plan
from errorflow.quant.precision import Precision
from errorflow.quant.presets import preset
from errorflow.quant.ranges import Calibration
from errorflow.quant.selecting import unheard
from errorflow.rerun.engine import Budget, Engine
from errorflow.run.calibrating import Wish, calibrate
from errorflow.run.model import Wanted, wanted_of
from errorflow.run.samples.fitting import Fitted, Part
from errorflow.run.samples.opening import MADE_UP, open_samples
from errorflow.simulate.basis import Basis
from errorflow.simulate.dividing import divided
from errorflow.simulate.fed import Feeding
from errorflow.simulate.floated import Floated
from errorflow.simulate.mixing import mixed

PRESET = "onnxruntime"
# As `errorflow calibrate` calls it.
SAVED = "calibration.json"


@dataclass(frozen=True, eq=False)
class Bench:
    """Use it as a context manager. Engine and samples belong to `floated.model`, which stays open as long."""

    floated: Floated
    basis: Basis
    # The one that it was opened with, which is where a user begins.
    plan: Plan
    calibration: Calibration
    # Those that errors are measured on; the numbers of the engine's samples are theirs.
    evaluated: Part
    engine: Engine
    # A sentence on which samples calibrate and which are evaluated.
    text: str
    # Which values are evaluated, whatever files they came from.
    data: str
    # What was odd about samples, ranges, the model and the plan.
    notes: tuple[str, ...] = ()

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
        calibrated, evaluated, text = _samples(floated, basis, progress)
        calibration, notes = _calibration(floated, basis, plan, calibrated, progress)
        calibration = with_channels(calibration, plan, floated.model.graph)
        samples = Feeding(evaluated)
        engine = Engine(floated.model.path, samples, calibration, budget, progress)
        said = (
            *(() if floated.back is None else floated.back.notes),
            *samples.odd(calibration),
            *evaluated.notes,
            *notes,
            *unheard(plan, floated.model.graph),
        )
        unique = tuple(dict.fromkeys(said))
        return cls(floated, basis, plan, calibration, evaluated, engine, text, samples.identity, unique)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the engine's process."""
        self.engine.close()

    def suits(self, basis: Basis, plan: Plan) -> bool:
        """Whether it would be no other one, but for its plan, if it were opened for these."""
        graph = self.model.graph
        if basis != self.basis or per_channel(plan, graph) != per_channel(self.plan, graph):
            return False
        has_ranges = basis.calibration is not None or _has_own(self.floated, basis)
        return has_ranges or _meant_for(plan, basis) == _meant_for(self.plan, basis)

    @property
    def model(self) -> Model:
        return self.floated.model

    @property
    def made_up(self) -> bool:
        """Nobody gave the samples: what comes of them says nothing about the model in use."""
        return self.evaluated.made_up

    @property
    def other_notes(self) -> tuple[str, ...]:
        """For whoever says by himself that the samples are made up."""
        return tuple(note for note in self.notes if not note.startswith(MADE_UP))

    @property
    def facts(self) -> Mapping[str, str]:
        """What ran and on what, for a report."""
        found = {**self.calibration.facts, **self.engine.facts, **({"made up": "yes"} if self.made_up else {})}
        own = {"samples": self.text, "evaluated data": self.data, "calibration": self.calibration.method}
        return {**found, **own}

    def meant(self, plan: Plan) -> str:
        """As what the model is simulated, in words."""
        if plan.coded is not None:
            return "it is quantized"
        return plan.preset if plan.preset else "planned"


def first_plan(floated: Floated, basis: Basis) -> Plan:
    return preset(PRESET).plan if floated.back is None or not basis.own else floated.back.plan


def method_for(plan: Plan, basis: Basis) -> str:
    """The key of the method of calibration."""
    if basis.method:
        return basis.method
    return preset(plan.preset).method if plan.preset else "minmax"


def _meant_for(plan: Plan, basis: Basis) -> tuple[str, Precision | None]:
    """The method of calibration, and the codes that it finds ranges for where that matters."""
    method = methods_of([method_for(plan, basis)])[0]
    return method.key, _precision(plan) if method.spread else None


def _precision(plan: Plan) -> Precision:
    return plan.activations if isinstance(plan.activations, Precision) else Precision()


def _samples(floated: Floated, basis: Basis, progress: Progress) -> tuple[Part, Part, str]:
    """Those for calibration, those for evaluation, and a sentence on them."""
    wanted = wanted_of(floated.model.graph)
    has_ranges = basis.calibration is not None or _has_own(floated, basis)
    others: Fitted | None = None
    if basis.others:
        others = _to_measure_on(wanted, basis, progress)
    whole = others if others is not None and has_ranges else open_samples(wanted, basis.asked, progress)
    found = divided(basis, whole.count, has_ranges, None if others is None else others.count)
    evaluated = Part(whole if others is None else others, found.first, found.evaluated)
    return Part(whole, 0, found.calibrated), evaluated, found.text


def _to_measure_on(wanted: tuple[Wanted, ...], basis: Basis, progress: Progress) -> Fitted:
    """What is wrong with them says of which samples it speaks: others are given for calibration."""
    try:
        return open_samples(wanted, replace(basis.asked, paths=basis.others), progress)
    except ErrorflowError as error:
        error.message = f"Samples to measure on (--evaluate): {error.message}"
        raise


def _has_own(floated: Floated, basis: Basis) -> bool:
    return basis.own and floated.back is not None


def _calibration(
    floated: Floated, basis: Basis, plan: Plan, samples: Part, progress: Progress
) -> tuple[Calibration, tuple[str, ...]]:
    if floated.back is not None and basis.own:
        return floated.back.calibration, ()
    if basis.calibration is not None:
        return _saved(basis.calibration, basis), ()
    if len(methods_of([method_for(plan, basis)])) != 1:
        raise UsageError("A simulation needs one method.", "`errorflow calibrate --method all` compares them.")
    for tensor, key in basis.methods:
        if len(methods_of([key])) != 1:
            raise UsageError(f"{tensor} needs one method, and {key} are several.", "Name one, such as mse.")
    methods = methods_of([method_for(plan, basis), *(key for _, key in basis.methods)])
    model = floated.model
    channels = per_channel(plan, model.graph) is not None
    wish = Wish(methods, _precision(plan), samples.count, per_channel=channels)
    found = calibrate(model.path, model.graph, basis.asked, wish, progress)
    return mixed(found.calibrations, basis.methods), found.notes


def _saved(path: Path, basis: Basis) -> Calibration:
    if is_folder(path):
        raise UsageError(f"{path} is a folder, and ranges are in a file.", f"Give the file: {path / SAVED}.")
    above = next((parent for parent in path.parents if is_file(parent)), None)
    if above is not None:
        raise UsageError(
            f"{path} is nothing: {above.name} is a file.", f"Give the {SAVED} file itself, such as {above}."
        )
    known = {each.method: each for each in load_calibrations(path)}
    if not known:
        raise UsageError(f"{path} holds no ranges.", "`errorflow calibrate` writes some.")
    wanted = [basis.method if basis.method else next(iter(known), ""), *(key for _, key in basis.methods)]
    for key in wanted:
        if key not in known:
            raise UsageError(f"{path} has no ranges by {key}.", f"It has {', '.join(known)}.")
    return mixed([known[key] for key in dict.fromkeys(wanted)], basis.methods)
