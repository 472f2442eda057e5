"""Data classes whose methods wait until they are called."""

import copy
import dataclasses
import math
import pickle
from dataclasses import FrozenInstanceError, asdict, field, fields, replace
from typing import Any

import pytest

from errorflow.base.values import dataclass, word_list, word_pairs


def thing_of(make: Any) -> Any:
    """A class of all kinds of fields, by the given decorator."""

    class Thing:
        """A thing."""

        name: str
        size: int = 2
        parts: list[int] = field(default_factory=list, hash=False)
        note: str = field(default="", compare=False, repr=False, kw_only=True)
        steps: int = field(default=7, init=False)

        def __post_init__(self) -> None:
            if self.size < 0:
                raise ValueError("too small")

    return make(frozen=True, slots=True)(Thing)


@dataclass(frozen=True, slots=True)
class Sent:
    """What goes to another process."""

    name: str
    sizes: tuple[int, ...] = ()


@dataclass(slots=True)
class Open:
    """What may be changed."""

    name: str


@dataclass(frozen=True, eq=False)
class Single:
    """Like nothing but itself."""

    name: str = ""


@dataclass(frozen=True, slots=True)
class Longer(Sent):
    """More of it."""

    more: int = 0


@pytest.fixture
def thing() -> Any:
    return thing_of(dataclass)


@pytest.fixture
def usual() -> Any:
    """The same by the standard library."""
    return thing_of(dataclasses.dataclass)


def test_nothing_is_written_before_it_is_called(thing: Any) -> None:
    waiting = vars(thing)["__init__"]
    thing("a")
    assert vars(thing)["__init__"] is not waiting


def test_what_is_written_is_written_once(thing: Any) -> None:
    thing("a")
    written = vars(thing)["__init__"]
    thing("b")
    assert vars(thing)["__init__"] is written


@pytest.mark.parametrize(
    "given", [(("a",), {}), (("a", 3), {}), (("a", 3, [4]), {"note": "n"}), ((), {"name": "b", "parts": [1]})]
)
def test_an_instance_is_as_the_standard_library_makes_it(given: Any, thing: Any, usual: Any) -> None:
    arguments, named = given
    assert asdict(thing(*arguments, **named)) == asdict(usual(*arguments, **named))
    assert repr(thing(*arguments, **named)) == repr(usual(*arguments, **named))


@pytest.mark.parametrize("given", [((), {}), (("a", 1, [], "n"), {}), (("a",), {"steps": 1})])
def test_a_wrong_call_is_refused_in_the_same_words(given: Any, thing: Any, usual: Any) -> None:
    arguments, named = given
    with pytest.raises(TypeError) as found:
        thing(*arguments, **named)
    with pytest.raises(TypeError) as expected:
        usual(*arguments, **named)
    assert str(found.value) == str(expected.value)


def test_what_is_made_by_a_factory_is_not_shared(thing: Any) -> None:
    assert thing("a").parts is not thing("a").parts


def test_what_follows_the_making_is_called(thing: Any) -> None:
    with pytest.raises(ValueError, match="too small"):
        thing("a", -1)


def test_equal_is_what_has_equal_fields_that_are_compared(thing: Any) -> None:
    assert thing("a", note="n") == thing("a") != thing("a", 3)


def test_instances_of_two_classes_are_not_equal() -> None:
    assert Sent("a") != Longer("a")


def test_a_value_that_is_no_number_equals_itself(thing: Any) -> None:
    assert thing("a", math.nan) == thing("a", math.nan)


def test_equal_ones_have_one_hash(thing: Any, usual: Any) -> None:
    assert hash(thing("a", parts=[1])) == hash(thing("a", parts=[2])) == hash(usual("a"))


def test_what_may_be_changed_has_no_hash() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Open("a"))


def test_what_is_not_compared_is_like_nothing_but_itself() -> None:
    one = Single()
    assert one == one and one != Single() and {one: 1}[one] == 1


def test_what_may_be_changed_is_changed() -> None:
    given = Open("a")
    given.name = "b"
    assert given == Open("b")


@pytest.mark.parametrize("name", ["name", "note"])
def test_a_frozen_one_refuses_another_value(name: str, thing: Any) -> None:
    with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{name}'"):
        setattr(thing("a"), name, "b")


def test_a_frozen_one_refuses_to_lose_a_value(thing: Any) -> None:
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'name'"):
        del thing("a").name


def test_methods_of_its_own_are_kept() -> None:
    @dataclass(frozen=True)
    class Own:
        """Says itself what it is."""

        name: str

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 5

    assert (repr(Own("a")), Own("a") == Own("b"), hash(Own("a"))) == ("own", True, 5)


def test_a_class_that_goes_on_has_the_fields_before_its_own() -> None:
    assert repr(Longer("a", (1,), 2)) == "Longer(name='a', sizes=(1,), more=2)"


def test_one_that_holds_itself_is_told() -> None:
    given: Any = Open("a")
    given.name = given
    assert repr(given) == "Open(name=...)"


def test_the_standard_library_takes_it(thing: Any) -> None:
    assert replace(thing("a"), size=3) == thing("a", 3)
    assert [each.name for each in fields(thing)] == ["name", "size", "parts", "note", "steps"]
    match Sent("a", (1,)):
        case Sent(name, sizes):
            assert (name, sizes) == ("a", (1,))


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_it_goes_to_another_process(protocol: int) -> None:
    assert pickle.loads(pickle.dumps(Longer("a", (1,), 2), protocol)) == Longer("a", (1,), 2)


def test_a_copy_is_equal() -> None:
    assert copy.deepcopy(Sent("a", (1,))) == Sent("a", (1,))


def test_names_are_written_as_a_text() -> None:
    assert word_list("one two") == ("one", "two")
    assert word_pairs("one:1 two:") == {"one": "1", "two": ""}
