"""Difference of a run from another one of the list, in words."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from errorflow.quant.changes import Changed, beginning, beginning_text, changes
from errorflow.study.simulate.trial import Trial


def changed(before: Trial | None, after: Trial) -> tuple[Changed, ...]:
    """Since the run before; of the first one, since its preset."""
    if before is None:
        return (Changed("", beginning_text(after.plan)), *changes(beginning(after.plan), after.plan))
    return (*changes(before.plan, after.plan), *_of_basis(before, after))


def _of_basis(before: Trial, after: Trial) -> Iterator[Changed]:
    old, new = before.basis, after.basis
    if new.calibration != old.calibration:
        yield Changed("", "ranges found anew" if new.calibration is None else f"ranges of {new.calibration.name}")
    if _method(after) != _method(before) and _method(after):
        yield Changed("", f"method {_method(after)}")
    if new.reference != old.reference:
        yield Changed("", "weights as they are coded" if new.reference is None else f"weights of {new.reference.name}")
    if new.own != old.own:
        yield Changed("", "the model's own scales" if new.own else "scales found anew")
    yield from _of_methods(dict(old.methods), dict(new.methods))
    if new.asked != old.asked:
        yield Changed("", f"samples {_samples(after)}")
    elif new.others != old.others:
        yield Changed("", f"evaluated on {_names(new.others) if new.others else 'what calibration leaves'}")
    elif (new.samples, new.calibrate_on) != (old.samples, old.calibrate_on):
        yield Changed("", "samples divided otherwise")
    elif before.data and after.data and before.data != after.data:
        yield Changed("", "evaluated on other values")


def _of_methods(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Changed]:
    """Yields changes of single tensors' methods."""
    yield from (Changed(tensor, f"method {key}") for tensor, key in new.items() if key != old.get(tensor))
    yield from (Changed(tensor, "method as all others") for tensor in old if tensor not in new)


def _method(trial: Trial) -> str:
    return trial.basis.method if trial.basis.method else trial.method


def _samples(trial: Trial) -> str:
    asked = trial.basis.asked
    if trial.made_up or not asked.paths:
        return "made up"
    return _names(asked.paths)


def _names(paths: Iterable[str]) -> str:
    return ", ".join(Path(path).name for path in paths)
