"""Data classes whose methods wait until they are called."""

import dataclasses
import types
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, dataclass
from typing import Any

import pytest

from errorflow.base import late_methods

MAKER = "_create_fn"
pytestmark = pytest.mark.skipif(not hasattr(dataclasses, MAKER), reason="This Python compiles a class in one go")


@pytest.fixture(autouse=True)
def late(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Which methods were compiled."""
    compiled: list[str] = []
    given = vars(dataclasses)[MAKER]
    make = given if given.__module__ == dataclasses.__name__ else given.__closure__[0].cell_contents

    def counted(name: str, arguments: list[str], body: list[str], **known: Any) -> Any:
        compiled.append(name)
        return make(name, arguments, body, **known)

    counted.__module__ = dataclasses.__name__
    monkeypatch.setattr(dataclasses, MAKER, counted)
    late_methods.install()
    late_methods.install()
    yield compiled


def made(module: str = "errorflow.some") -> Any:
    """A class of that module."""

    def fill(space: dict[str, Any]) -> None:
        space.update(__module__=module, __annotations__={"name": str, "size": int}, __doc__="A thing.", size=2)

    return dataclass(frozen=True, slots=True)(types.new_class("Thing", (), {}, fill))


@pytest.fixture(autouse=True)
def modules(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in ("errorflow.some", "others.some"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))


def test_a_class_is_defined_without_compiling(late: list[str]) -> None:
    made()
    assert late == []


def test_what_is_called_is_compiled_once(late: list[str]) -> None:
    thing = made()
    assert [thing("a"), thing("b", 3)] and late == ["__init__"]


def test_it_is_the_class_that_it_would_have_been(late: list[str]) -> None:
    thing = made()
    one, same, other = thing("a"), thing("a", 2), thing("a", size=3)
    assert one == same and hash(one) == hash(same) and one != other
    assert repr(other) == "Thing(name='a', size=3)"
    assert dataclasses.replace(one, size=3) == other
    assert {"__init__", "__eq__", "__hash__", "__repr__"} == set(late)
    with pytest.raises((FrozenInstanceError, TypeError)):
        one.size = 4


def test_a_wrong_call_names_the_class() -> None:
    with pytest.raises(TypeError, match=r"Thing\.__init__\(\) missing 1 required positional argument: 'name'"):
        made()()


def test_classes_of_others_are_as_ever(late: list[str]) -> None:
    made("others.some")
    assert "__init__" in late
