"""Methods of data classes, compiled when they are first called: of what a start loads, most never are.

For each class, Python writes up to six functions as text and compiles them, which took a seventh of the time until the
window was there. Only for classes of this project, and only where Python works this way (until 3.12; later ones
compile a class in one go).
"""

import dataclasses
from collections.abc import Callable
from typing import Any

Method = Callable[..., Any]

OURS = ("errorflow", "errorflow_viewer")
_MAKER = "_create_fn"


def install() -> None:
    """Changes how all classes from now on are defined; a second call changes nothing."""
    make: Method | None = getattr(dataclasses, _MAKER, None)
    if make is not None and make.__module__ == dataclasses.__name__:
        setattr(dataclasses, _MAKER, _late(make))


def _late(make: Method) -> Method:
    def make_late(name: str, arguments: list[str], body: list[str], **known: Any) -> Method:
        module = (known.get("globals") or {}).get("__name__", "")
        if module.partition(".")[0] not in OURS:
            return make(name, arguments, body, **known)  # type: ignore[no-any-return]  # a private function has no types
        return _first_call(name, lambda: make(name, arguments, body, **known))

    return make_late


def _first_call(name: str, make: Callable[[], Method]) -> Method:
    """Stands in for a method until it is called, and puts it in its own place then."""
    made: Method | None = None

    def method(*arguments: Any, **named: Any) -> Any:
        nonlocal made
        if made is None:
            made = make()
            made.__qualname__ = method.__qualname__  # errors tell it
            for owner in type(arguments[0]).__mro__:
                if vars(owner).get(name) is method:
                    setattr(owner, name, made)
        return made(*arguments, **named)

    method.__name__ = name
    return method
