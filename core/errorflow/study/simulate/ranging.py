"""Ranges of a simulation: found on samples, saved before, or those that the model has itself."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from errorflow.base.errors import UsageError
from errorflow.base.files import is_file, is_folder
from errorflow.base.progress import Progress
from errorflow.graph.model import Model
from errorflow.quant.calibrate.asked import methods_of
from errorflow.quant.calibrate.saved import load_calibrations
from errorflow.quant.channels import per_channel
from errorflow.quant.plan import Plan
from errorflow.quant.precision import Precision
from errorflow.quant.presets import preset
from errorflow.quant.ranges import Calibration
from errorflow.quant.steps import remaking
from errorflow.run.calibrating import CalibrationRequest, calibrate
from errorflow.run.samples.fitting import SampleSlice
from errorflow.study.rewrites.model import Remade
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.floated import Floated

# As `errorflow calibrate` calls it.
SAVED = "calibration.json"


def has_all_ranges(floated: Floated, basis: Basis, plan: Plan) -> bool:
    """Whether nothing needs to be calibrated; a model that steps changed has other ranges than before."""
    return (basis.calibration is not None or _has_own(floated, basis)) and not remaking(plan.steps)


def method_for(plan: Plan, basis: Basis) -> str:
    """The key of the method of calibration."""
    if basis.method:
        return basis.method
    return preset(plan.preset).method if plan.preset else "minmax"


def meant_for(plan: Plan, basis: Basis) -> tuple[str, Precision | None]:
    """The method of calibration, and the codes that it finds ranges for where that matters."""
    method = methods_of([method_for(plan, basis)])[0]
    return method.key, _precision(plan) if method.spread else None


def _precision(plan: Plan) -> Precision:
    return plan.activations if isinstance(plan.activations, Precision) else Precision()


def _has_own(floated: Floated, basis: Basis) -> bool:
    return basis.own and floated.back is not None


def ranges_for(
    floated: Floated, basis: Basis, plan: Plan, samples: SampleSlice, remade: Remade | None, progress: Progress
) -> tuple[Calibration, tuple[str, ...]]:
    """The calibration, and what was odd about it. Of a remade model only what it did not change keeps given ranges."""
    known = _known(floated, basis)
    if known is not None and remade is None:
        return known, ()
    found, notes = _found(floated.model if remade is None else remade.model, basis, plan, samples, progress)
    if known is None or remade is None:
        return found, notes
    return _renewed(known, found, remade), notes


def _known(floated: Floated, basis: Basis) -> Calibration | None:
    if floated.back is not None and basis.own:
        return floated.back.calibration
    return None if basis.calibration is None else _saved(basis.calibration, basis)


def _renewed(known: Calibration, found: Calibration, remade: Remade) -> Calibration:
    """Tensors that were scaled, and those that are new, have the ranges that were found."""
    gone = remade.rescaled | remade.rewritten
    ranges = dict(found.ranges) | {name: each for name, each in known.ranges.items() if name not in gone}
    channels = dict(found.channels) | {name: each for name, each in known.channels.items() if name not in gone}
    given = {name: each for name, each in known.given.items() if name not in gone}
    return replace(known, ranges=ranges, channels=channels, given=given)


def _found(
    model: Model, basis: Basis, plan: Plan, samples: SampleSlice, progress: Progress
) -> tuple[Calibration, tuple[str, ...]]:
    if len(methods_of([method_for(plan, basis)])) != 1:
        raise UsageError("A simulation needs one method.", "`errorflow calibrate --method all` compares them.")
    for tensor, key in basis.methods:
        if len(methods_of([key])) != 1:
            raise UsageError(f"{tensor} needs one method, and {key} are several.", "Name one, such as mse.")
    methods = methods_of([method_for(plan, basis), *(key for _, key in basis.methods)])
    channels = per_channel(plan, model.graph) is not None
    wish = CalibrationRequest(methods, _precision(plan), samples.count, per_channel=channels)
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


def mixed(calibrations: Sequence[Calibration], picks: Sequence[tuple[str, str]]) -> Calibration:
    """The first of them, and of each tensor that is picked the range by the method of that key."""
    main = calibrations[0]
    if not picks:
        return main
    by_key = {each.method: each for each in calibrations}
    ranges, channels = dict(main.ranges), dict(main.channels)
    for tensor, key in picks:
        other = by_key.get(key)
        if other is None or tensor not in other.ranges:
            raise UsageError(f"No range of {tensor} is known, so {key} cannot be its method.", _HINT)
        ranges[tensor] = other.ranges[tensor]
        channels.pop(tensor, None)
        if tensor in other.channels:
            channels[tensor] = other.channels[tensor]
    said = ", ".join(f"{tensor}: {key}" for tensor, key in picks)
    return replace(main, ranges=ranges, channels=channels, facts={**main.facts, "other methods": said})


_HINT = "Name a tensor that flows, as tensors.csv of `errorflow calibrate` has it."
