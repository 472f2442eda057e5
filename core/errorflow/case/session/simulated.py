"""What a session keeps of a simulation, as values that JSON knows, and back.

Whatever fields these dataclasses have are kept: a new one needs nothing here.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from errorflow.base.errors import FormatError
from errorflow.case.session.fields import MOST_ENTRIES, Fields, is_text, is_whole
from errorflow.case.session.model import Simulation
from errorflow.case.session.places import found, written
from errorflow.quant.plan import Plan
from errorflow.quant.plan_file import plain_plan, plan_of
from errorflow.run.samples.asked import LARGEST, Asked
from errorflow.study.evaluate.asked import LabelledSet
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.trial import Trial

T = TypeVar("T")
MOST_TRIALS = 1000
# The only key of an object that stands for a number that JSON has no form for.
NUMBER = "number"
_NUMBERS = ("nan", "inf", "-inf")
_DEEPEST = 6
# Texts that name files.
_PATHS = {(Asked, "paths"), (Basis, "others"), (LabelledSet, "data")}
# No less is meant by these.
_LEAST = {
    (Basis, "samples"): 1,
    (Basis, "calibrate_on"): 1,
    (Asked, "count"): 1,
    (Asked, "seed"): 0,
    (Simulation, "sample"): -1,
}


def simulation_rows(simulation: Simulation | None, folder: Path) -> Any:
    return None if simulation is None else plain(simulation, folder)


def trial_rows(trials: Iterable[Trial], folder: Path) -> list[Any]:
    return [plain(trial, folder) for trial in trials]


def simulation_of(rows: Fields, folder: Path) -> Simulation | None:
    """None: there is none, or its plan or samples cannot be read, without which it would be another one."""
    if rows.rows.get("simulation") is None:
        return None
    return Reader(folder, rows.problems).read(Simulation, rows.rows["simulation"], "simulation")


def trials_of(rows: Fields, folder: Path) -> tuple[Trial, ...]:
    """Those that can be read, each name once."""
    listed = rows.rows.get("trials")
    reader = Reader(folder, rows.problems)
    if listed is not None and not (isinstance(listed, list) and len(listed) <= MOST_TRIALS):
        reader.note(f"trials is left out: it should be a list of {MOST_TRIALS:,} at most.")
        return ()
    entries = listed if isinstance(listed, list) else []
    read = (reader.read(Trial, entry, f"trials[{at}]") for at, entry in enumerate(entries))
    named: dict[str, Trial] = {}
    for trial in read:
        if trial is not None and trial.name not in named:
            named[trial.name] = trial
    return tuple(named.values())


def labelled_rows(labelled: LabelledSet, folder: Path) -> Any:
    return plain(labelled, folder)


def labelled_of(rows: Fields, folder: Path) -> LabelledSet:
    """The first one that is offered where there is none, or one that cannot be read."""
    given = rows.rows.get("labelled")
    reader = Reader(folder, rows.problems)
    read = None if given is None else reader.read(LabelledSet, given, "labelled")
    if read is None:
        return LabelledSet()
    if 1 <= read.seconds <= LARGEST:
        return read
    reader.note(f"labelled.seconds is left out: it should be from 1 to {LARGEST:,}.")
    return replace(read, seconds=LabelledSet().seconds)


def plain(value: Any, folder: Path) -> Any:
    if isinstance(value, Plan):
        return plain_plan(value)
    if isinstance(value, Path):
        return written(value, folder)
    if is_dataclass(value):
        return {each.name: _plain_field(value, each.name, folder) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(entry, folder) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry, folder) for entry in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {NUMBER: str(float(value))}
    return value


def _plain_field(owner: Any, name: str, folder: Path) -> Any:
    value = getattr(owner, name)
    if (type(owner), name) in _PATHS:
        return [written(Path(text), folder) for text in value]
    return plain(value, folder)


class Reader:
    """Reads dataclasses field by field: what is odd is left out and noted."""

    def __init__(self, folder: Path, problems: list[str]) -> None:
        self._folder = folder
        self._problems = problems

    def note(self, text: str) -> None:
        if text not in self._problems:
            self._problems.append(text)

    def read(self, kind: type[T], rows: Any, where: str) -> T | None:
        """None: it cannot be had without what is odd."""
        if not isinstance(rows, dict):
            self.note(f"{where} is left out: it should be an object.")
            return None
        hints, given = get_type_hints(kind), {}
        for each in fields(kind):  # type: ignore[arg-type]  # it is a dataclass
            value = self._field(kind, each, hints[each.name], rows, f"{where}.{each.name}")
            if value is not MISSING:
                given[each.name] = value
            elif _is_needed(each):
                self.note(f"{where} is left out: nothing can be made of its {each.name}.")
                return None
        return kind(**given)

    def _field(self, kind: type, each: "Field[Any]", hint: Any, rows: Mapping[str, Any], where: str) -> Any:
        """What it is; MISSING: it is not there, or is odd."""
        value = rows.get(each.name, MISSING)
        if value is MISSING:
            return MISSING
        try:
            return self._value(kind, each.name, hint, value, where)
        except (FormatError, _OddError) as error:
            self.note(f"{where} is left out: {error}")
            return MISSING

    def _value(self, kind: type, name: str, hint: Any, value: Any, where: str) -> Any:
        if hint is Plan:
            return plan_of(_object(value), where)
        if hint in (Path, Path | None):
            return None if value is None and hint is not Path else found(_text(value), self._folder)
        if is_dataclass(hint):
            inner = self.read(hint, value, where)  # type: ignore[arg-type]  # a class, as hints are
            return MISSING if inner is None else inner
        read = _converted(value, hint)
        if (kind, name) in _PATHS:
            return tuple(str(found(text, self._folder)) for text in read)
        if (kind, name) in _LEAST and read is not None:
            _check_number(read, _LEAST[kind, name])
        if (kind, name) == (Asked, "dims"):
            for size in read.values():
                _check_number(size, 1)
        return read


class _OddError(Exception):
    """A value that is not what it should be."""


def _check_number(value: Any, least: int) -> None:
    if not (is_whole(value) and least <= value <= LARGEST):
        raise _OddError(f"a number in it should be from {least} to {LARGEST:,}.")


def _is_needed(each: "Field[Any]") -> bool:
    return each.default is MISSING and each.default_factory is MISSING


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _OddError("it should be an object.")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _OddError("it should be a file's name.")
    return value


def _converted(value: Any, hint: Any) -> Any:
    import msgspec

    try:
        return msgspec.convert(_numbers(value), hint)
    except (msgspec.ValidationError, OverflowError, UnicodeEncodeError) as error:
        raise _OddError(f"{error}.") from error


def _numbers(value: Any, depth: int = 0) -> Any:
    """With numbers for what stands for them; what is too much of anything is odd."""
    if isinstance(value, str) and not is_text(value):
        raise _OddError("a text in it is too long.")
    if isinstance(value, list | dict) and (depth > _DEEPEST or len(value) > MOST_ENTRIES):
        raise _OddError("there is too much in it.")
    if isinstance(value, dict):
        if set(value) == {NUMBER} and value[NUMBER] in _NUMBERS:
            return float(value[NUMBER])
        return {key: _numbers(entry, depth + 1) for key, entry in value.items()}
    if isinstance(value, list):
        return [_numbers(entry, depth + 1) for entry in value]
    return value
