"""Homes of a session whose files lie elsewhere: in a bundle, or at an unknown place."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from errorflow.base.values import fields, is_dataclass, replace
from errorflow.quant.plan import Plan
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.evaluate.asked import LabelledSet
from errorflow.study.simulate.basis import Basis

T = TypeVar("T")
# Texts that name files.
_PATHS = {(SampleSpec, "paths"), (Basis, "others"), (LabelledSet, "data")}


def rehomed(value: T, now: Callable[[Path], Path]) -> T:
    """The same frozen value with every file in it where `now` says."""
    found: T = _mapped(value, now)
    return found


def _mapped(value: Any, now: Callable[[Path], Path]) -> Any:
    if isinstance(value, Path):
        return now(value)
    if isinstance(value, Plan) or value is None or isinstance(value, str | int | float):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        found = {each.name: _field(value, each.name, now) for each in fields(value) if each.init}
        changed = {name: each for name, each in found.items() if each is not getattr(value, name)}
        return replace(value, **changed) if changed else value
    if isinstance(value, tuple):
        return _same(value, tuple(_mapped(each, now) for each in value))
    if isinstance(value, Mapping):
        found = {key: _mapped(each, now) for key, each in value.items()}
        return value if all(found[key] is value[key] for key in value) else found
    return value


def _field(owner: Any, name: str, now: Callable[[Path], Path]) -> Any:
    value = getattr(owner, name)
    if (type(owner), name) in _PATHS:
        return tuple(str(now(Path(text))) for text in value)
    return _mapped(value, now)


def _same(before: tuple[Any, ...], after: tuple[Any, ...]) -> tuple[Any, ...]:
    return before if all(one is other for one, other in zip(before, after, strict=True)) else after
