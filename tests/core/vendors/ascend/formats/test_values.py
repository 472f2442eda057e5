"""Attribute values, from the printed coding to plain ones."""

import json
import struct
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.formats.compiled import whole
from errorflow.vendors.ascend.formats.values import attributes, escaped, plain, real, text_or_escaped, unescaped


@pytest.mark.parametrize(
    ("coded", "value"),
    [
        ({"s": "text"}, "text"),
        ({"s": ""}, ""),
        ({"s": '{\\"a\\": 1}'}, '{"a": 1}'),
        ({"i": -3}, -3),
        ({"i": "12345678901234567890"}, 12345678901234567890),
        ({"i": "x"}, 0),
        ({"b": False}, False),
        ({"f": "0.5"}, 0.5),
        ({"f": 0.05000000074505806}, 0.05),
        ({"f": "inf"}, float("inf")),
        ({"f": "1.17549e-"}, "1.17549e-"),
        ({"f": "1e300"}, float("inf")),
        ({"f": None}, None),
        ({"bt": "\\001a"}, "\\001a"),
        ({"dt": 3}, "int8"),
        ({"list": {"s": ["a", "b"], "val_type": "VT_LIST_STRING"}}, ("a", "b")),
        ({"list": {"i": [1], "val_type": 2}}, (1,)),
        ({"list": {"b": [True, False], "val_type": 4}}, (True, False)),
        ({"list": {"f": [0.30000001192092896], "val_type": 3}}, (0.3,)),
        ({"list": {"dt": [1, 2]}}, ("float32", "float16")),
        ({"list": {"val_type": "VT_LIST_INT"}}, ()),
        ({"list": {"s": []}}, ()),
        ({"list": {}}, ()),
        ({"list": None}, ()),
        ({"list": 3}, ()),
        ({"list_list_int": {"list_list_i": [{"list_i": [1, 2]}, None, {}, {"list_i": [3]}]}}, ((1, 2), (), (), (3,))),
        ({"list_list_int": {}}, ()),
        ({"list_list_int": None}, ()),
        ({"list_list_float": {"list_list_f": [{"list_f": [0.1]}]}}, ((0.1,),)),
        ({"td": {"dtype": "DT_INT8", "shape": {"dim": [2]}}}, {"dtype": "int8", "shape": (2,)}),
        ({"td": None}, {}),
        ({"t": {"desc": {"dtype": "DT_INT8"}}}, {"dtype": "int8", "shape": ()}),
        ({"t": None}, {}),
        ({"func": {"name": "f", "attr": [{"key": "a", "value": {"i": 1}}]}}, {"name": "f", "attr": {"a": 1}}),
        ({"func": None}, {}),
        ({"list": {"na": [{"name": "f"}]}}, ({"name": "f", "attr": {}},)),
        ({"g": {"name": "sub", "op": [{}, {}]}}, {"name": "sub", "nodes": 2}),
        ({"g": None}, {}),
        ({"newest": 1}, {"newest": 1}),
        ({}, None),
        (None, None),
        ("text", None),
        ([], None),
    ],
    ids=lambda value: json.dumps(value, default=str)[:50],
)
def test_values(coded: Any, value: object) -> None:
    assert plain(coded) == value


@pytest.mark.parametrize("entries", [None, {}, "text", [None, 3, {}, {"key": None}, {"key": 3, "value": {"i": 1}}]])
def test_attributes_that_are_no_map_are_empty(entries: object) -> None:
    assert attributes(entries) == {}


def test_attributes_are_sorted_and_the_last_of_a_name_counts() -> None:
    entries = [{"key": "b", "value": {"i": 1}}, {"key": "a"}, {"key": "b", "value": {"i": 2}}]

    assert list(attributes(entries).items()) == [("a", None), ("b", 2)]


@given(st.floats(width=32, allow_nan=False))
def test_a_float_is_the_shortest_that_means_the_same(value: float) -> None:
    found = real(value)

    assert isinstance(found, float)
    assert struct.pack("f", found) == struct.pack("f", value)
    assert digits(found) <= digits(value)


def digits(value: float) -> int:
    """Those that say something: noughts before the point are as many as the number is large."""
    return len(Decimal(repr(value)).normalize().as_tuple().digits)


@given(st.text())
def test_text_comes_back_from_its_escapes(text: str) -> None:
    assert unescaped(escaped(text.encode())) == text


@given(st.binary())
def test_bytes_look_the_same_from_both_forms(data: bytes) -> None:
    assert unescaped(escaped(data)) == text_or_escaped(data)
    assert escaped(data).isascii()
    assert escaped(data).isprintable()


@pytest.mark.parametrize(
    ("value", "number"), [(5, 5), ("5", 5), ("-5", -5), (True, 1), ("5.0", 0), ("9" * 30, 0), (None, 0), (1.5, 0)]
)
def test_whole_numbers(value: object, number: int) -> None:
    assert whole(value) == number
