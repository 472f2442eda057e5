"""Dataclasses as plain values and back: what is odd is an error, or is left out and noted, and loses nothing else."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.base.codec import (
    MOST_ENTRIES,
    MOST_LETTERS,
    MOST_NOTES,
    Between,
    Codec,
    Each,
    FileName,
    Finite,
    Form,
    Most,
    OddError,
    parsed,
)
from errorflow.base.errors import FormatError


@dataclass(frozen=True, slots=True)
class Colour:
    """A value with a form of its own."""

    red: int


@dataclass(frozen=True, slots=True)
class Inner:
    """Plain fields only."""

    name: str
    values: tuple[float, ...] = ()
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Chain:
    """Holds others of its kind."""

    name: str
    links: tuple["Chain", ...] = ()


@dataclass(frozen=True, slots=True)
class Outer:
    """One field of each kind."""

    text: str = "first"
    flag: bool = False
    count: Annotated[int, Between(0)] = 3
    share: Finite = 0.5
    way: Literal["up", "down", 16] = "up"
    colour: Colour = Colour(7)
    file: Path | None = None
    files: tuple[FileName, ...] = ()
    inner: Inner | None = None
    inners: Each[tuple[Inner, ...]] = ()
    limits: Each[Mapping[str, tuple[Finite, Finite]]] = field(default_factory=dict)
    few: Annotated[tuple[str, ...], Most(2)] = ()
    numbers: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    maybe: Annotated[int, Between(1)] | None = None


def file_of(value: Any, _: str) -> Path:
    if not isinstance(value, str) or value.startswith("//"):
        raise FormatError("It lies elsewhere.", "Open it there.")
    return Path("/here", value)


CODEC = Codec(
    {
        Colour: Form(lambda colour: colour.red, lambda red, _: Colour(Codec().read(int, red))),
        Path: Form(lambda path: str(path.relative_to("/here")), file_of),
    }
)
NAMES = st.text(max_size=8)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
INNERS = st.builds(
    Inner, NAMES, st.lists(st.floats(allow_nan=False), max_size=3).map(tuple), st.none() | st.integers(-9, 9)
)
FILES = st.sampled_from([Path("/here/a"), Path("/here/b/c")])
OUTERS = st.builds(
    Outer,
    text=NAMES,
    flag=st.booleans(),
    count=st.integers(0, 99),
    share=NUMBERS,
    way=st.sampled_from(["up", "down", 16]),
    colour=st.builds(Colour, st.integers(0, 255)),
    file=st.none() | FILES,
    files=st.lists(FILES.map(str), max_size=2).map(tuple),
    inner=st.none() | INNERS,
    inners=st.lists(INNERS, max_size=3).map(tuple),
    limits=st.dictionaries(NAMES, st.tuples(NUMBERS, NUMBERS), max_size=2),
    few=st.lists(NAMES, max_size=2).map(tuple),
    numbers=st.dictionaries(NAMES, st.dictionaries(NAMES, st.floats(allow_nan=False), max_size=2), max_size=2),
    maybe=st.none() | st.integers(1, 9),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just(10**400) | NUMBERS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
NAMED = [each.name for each in fields(Outer)]


def again(rows: Any, notes: list[str] | None = None, codec: Codec = CODEC) -> Outer:
    found: Outer = codec.read(Outer, json.loads(json.dumps(rows, allow_nan=False)), notes=notes)
    return found


@given(OUTERS, st.booleans())
def test_what_is_written_is_read_again(outer: Outer, is_brief: bool) -> None:
    codec, notes = replace(CODEC, is_brief=is_brief), list[str]()
    rows = codec.plain(outer)
    assert again(rows, notes, codec) == again(rows, None, codec) == outer
    assert notes == []


@given(OUTERS, st.sampled_from(NAMED), JSON)
def test_a_spoiled_field_loses_nothing_else(outer: Outer, name: str, value: object) -> None:
    rows, notes = CODEC.plain(outer), list[str]()
    found = again({**rows, name: value}, notes)
    assert all(getattr(found, other) == getattr(outer, other) for other in NAMED if other != name)
    assert all(note.startswith(name) for note in notes)


@given(OUTERS, st.sampled_from(NAMED), JSON)
def test_strictly_read_it_is_an_error_or_the_same(outer: Outer, name: str, value: object) -> None:
    rows, notes = {**CODEC.plain(outer), name: value}, list[str]()
    lenient = again(rows, notes)
    if notes:
        with pytest.raises(OddError, match=name):
            again(rows)
    else:
        assert again(rows) == lenient


@pytest.mark.parametrize(
    ("rows", "note"),
    [
        ({"text": 3}, "text is left out: it should be a text."),
        ({"text": "x" * (MOST_LETTERS + 1)}, "text is left out: a text in it is too long."),
        ({"flag": 1}, "flag is left out: it should be true or false."),
        ({"count": True}, "count is left out: it should be a whole number."),
        ({"count": -1}, "count is left out: a number in it should be from 0 to 2,147,483,647."),
        ({"share": {"number": "nan"}}, "share is left out: it should be a number."),
        ({"share": 10**400}, "share is left out: it should be a number."),
        ({"way": True}, "way is left out: it should be one of 'up', 'down', 16."),
        ({"file": "//elsewhere"}, "file is left out: It lies elsewhere. Open it there."),
        ({"files": ["a", "//x"]}, "files is left out: It lies elsewhere. Open it there."),
        ({"inner": {}}, "inner is left out: nothing can be made of its name."),
        ({"inner": [1]}, "inner is left out: it should be an object."),
        ({"inners": [{"name": "a"}, 3]}, "inners[1] is left out: it should be an object."),
        ({"limits": {"a": [1, 2], "b": [1]}}, "limits.b is left out: it should be a list of 2."),
        ({"few": ["a", "b", "c"]}, "few is left out: it should have 2 entries at most."),
        ({"maybe": 0}, "maybe is left out: a number in it should be from 1 to 2,147,483,647."),
    ],
)
def test_a_note_says_what_is_odd_and_where(rows: Mapping[str, Any], note: str) -> None:
    notes: list[str] = []
    again(rows, notes)
    assert notes == [note]


def test_odd_entries_go_one_by_one_only_where_that_is_meant() -> None:
    notes: list[str] = []
    found = again({"inners": [{"name": "a"}, 3, {"name": "b"}], "files": ["a", 3]}, notes)
    assert found == Outer(inners=(Inner("a"), Inner("b")))
    assert len(notes) == 2


def test_what_is_not_there_or_null_is_as_at_first() -> None:
    notes: list[str] = []
    assert again({"text": None, "later": 5}, notes) == Outer()
    assert notes == []


@pytest.mark.parametrize("notes", [None, []])
def test_a_value_may_hold_others_of_its_kind(notes: list[str] | None) -> None:
    chain = Chain("a", (Chain("b", (Chain("c"),)), Chain("d")))
    assert Codec().read(Chain, Codec(is_brief=True).plain(chain), notes=notes) == chain


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_numbers_that_json_has_none_for_survive(number: float) -> None:
    (found,) = again(CODEC.plain(Outer(inner=Inner("a", (number,))))).inner.values  # type: ignore[union-attr]  # it is there
    assert found == number or (math.isnan(found) and math.isnan(number))


def test_a_brief_file_holds_only_what_differs() -> None:
    rows = replace(CODEC, is_brief=True).plain(Outer(text="other", limits={"a": (0.0, 1.0)}))
    assert rows == {"text": "other", "limits": {"a": [0.0, 1.0]}}


def test_notes_come_to_an_end() -> None:
    notes: list[str] = []
    again({"inners": list(range(10 * MOST_NOTES))}, notes)
    assert len(notes) == MOST_NOTES


def deep(count: int) -> str:
    return "[" * count + "]" * count


def test_what_is_nested_too_deeply_is_refused() -> None:
    value: Any = 1
    for _ in range(100_000):
        value = {"a": value}
    for kind in (Inner, Mapping[str, float], tuple[float, ...], float):
        with pytest.raises(OddError):
            Codec().read(kind, value)


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", deep(100_000).encode()])
def test_what_is_no_json_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parsed(data)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ({"name": "a", "vlaues": []}, "'vlaues'"),
        ({"name": "a", "values": None}, "list|array"),
        ({"name": "a", "links": [{"name": "b", "at": 1}]}, "'at'"),
    ],
)
def test_a_closed_codec_takes_nothing_that_it_does_not_know(rows: Mapping[str, Any], said: str) -> None:
    kind = Chain if "links" in rows else Inner
    with pytest.raises(OddError, match=said):
        Codec(is_closed=True).read(kind, rows)


def test_a_mark_may_allow_more_entries_than_usual() -> None:
    many = {str(number): "x" for number in range(MOST_ENTRIES + 1)}
    assert Codec().read(Annotated[Mapping[str, str], Most(MOST_ENTRIES + 1)], many) == many
