"""Data classes that cost little until they are used: of those that a start loads, most never are.

The standard library writes up to six methods of each class as text and compiles them, which took a fifth of the time
until the window was there. Here it finds the fields, and each method is written when it is first called. `fields`,
`replace`, `asdict` and `match` take these classes as they take any data class, and they go to other processes.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING as MISSING
from dataclasses import Field as Field
from dataclasses import FrozenInstanceError
from dataclasses import asdict as asdict
from dataclasses import field as field
from dataclasses import fields as fields
from dataclasses import is_dataclass as is_dataclass
from dataclasses import replace as replace
from functools import partial
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(given=None, /, *, frozen=False, eq=True, slots=False, kw_only=False):
        """Makes a data class, as the decorator of that name in the standard library does."""
        make = partial(_made, frozen=frozen, eq=eq, slots=slots, kw_only=kw_only)
        return make if given is None else make(given)


Class = type[Any]
# Given in place of what a factory makes.
_LACKS = object()


def _made(given: Class, *, frozen: bool, eq: bool, slots: bool, kw_only: bool) -> Class:
    own = {name for name, method in vars(given).items() if name != "__hash__" or method is not None}
    made: Class = dataclasses.dataclass(given, init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)
    methods: dict[str, Any] = {"__init__": _late(made, partial(_init, frozen)), "__repr__": _late(made, _repr)}
    if eq:
        methods |= {"__eq__": _late(made, _eq), "__hash__": _late(made, _hash) if frozen else None}
    if frozen:
        methods |= {name: _refusing(made, name) for name in ("__setattr__", "__delattr__")}
    if frozen and slots:
        methods |= {"__getstate__": _getstate, "__setstate__": _setstate}
    for name in methods.keys() - own:
        setattr(made, name, methods[name])
    return made


def _late(owner: Class, write: Callable[[Class, dict[str, Any]], str]) -> Callable[..., Any]:
    """Stands in for a method until it is called, and puts it in its own place then."""

    def first(self: Any, *arguments: Any, **named: Any) -> Any:
        space: dict[str, Any] = {}
        exec(write(owner, space), space)
        [method] = (space[name] for name in _WRITTEN if name in space)
        method.__qualname__ = f"{owner.__qualname__}.{method.__name__}"  # errors tell it
        setattr(owner, method.__name__, method)
        return method(self, *arguments, **named)

    return first


_WRITTEN = "__init__", "__repr__", "__eq__", "__hash__"


def _init(frozen: bool, owner: Class, space: dict[str, Any]) -> str:
    space |= {"_lacks": _LACKS, "_set": object.__setattr__}
    plain, named, lines = ["self"], list[str](), list[str]()
    for each in fields(owner):
        name, default, value = each.name, "", each.name
        if each.default is not MISSING:
            space[f"_d_{name}"], default = each.default, f"=_d_{name}"
        elif each.default_factory is not MISSING:
            space[f"_d_{name}"], default = each.default_factory, "=_lacks"
            value = f"_d_{name}() if {name} is _lacks else {name}"
        if each.init:
            (named if each.kw_only else plain).append(f"{name}{default}")
        elif default:
            lines.append(f"{name}{default}")
        if each.init or default:
            lines.append(f"_set(self, '{name}', {value})" if frozen else f"self.{name} = {value}")
    if hasattr(owner, "__post_init__"):
        lines.append("self.__post_init__()")
    return _text("__init__", [*plain, *(["*", *named] if named else [])], lines if lines else ["pass"])


def _repr(owner: Class, space: dict[str, Any]) -> str:
    space["_once"] = recursive_repr()
    shown = ", ".join(f"{each.name}={{self.{each.name}!r}}" for each in fields(owner) if each.repr)
    told = _text("__repr__", ["self"], [f'return f"{{self.__class__.__qualname__}}({shown})"'])
    return f"@_once\n{told}"


def _eq(owner: Class, _: dict[str, Any]) -> str:
    names = [each.name for each in fields(owner) if each.compare]
    is_same = f"{_values('self', names)} == {_values('other', names)}"
    line = f"return {is_same} if other.__class__ is self.__class__ else NotImplemented"
    return _text("__eq__", ["self", "other"], [line])


def _hash(owner: Class, _: dict[str, Any]) -> str:
    names = [each.name for each in fields(owner) if (each.compare if each.hash is None else each.hash)]
    return _text("__hash__", ["self"], [f"return hash({_values('self', names)})"])


def _values(owner: str, names: list[str]) -> str:
    return f"({''.join(f'{owner}.{name}, ' for name in names)})"


def _text(name: str, arguments: list[str], lines: list[str]) -> str:
    return f"def {name}({', '.join(arguments)}):\n " + "\n ".join(lines)


def _refusing(owner: Class, method: str) -> Callable[..., None]:
    verb = "assign to" if method == "__setattr__" else "delete"

    def refuse(self: Any, name: str, *value: Any) -> None:
        if type(self) is owner or name in {each.name for each in fields(owner)}:
            raise FrozenInstanceError(f"cannot {verb} field {name!r}")
        getattr(super(owner, self), method)(name, *value)

    return refuse


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in fields(self)]


def _setstate(self: Any, state: list[Any]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)


def word_list(text: str) -> tuple[str, ...]:
    """Parts a text at its blanks: names that would take a line each."""
    return tuple(text.split())


def word_pairs(text: str) -> dict[str, str]:
    """Parts it into names and what they stand for, as in `one:two three:four`."""
    return dict(each.split(":") for each in word_list(text))
