"""Brackets of a JSON text, found without decoding it and in pieces of any size."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errorflow.base.errors import FormatError
from errorflow.vendors.ascend.formats.structure import MAX_DEPTH, REPORTED_DEPTH, Structure, TextBracket


def expected(text: bytes) -> list[TextBracket]:
    """The same, one byte after the other."""
    found, depth, number = list[TextBracket](), 0, 0
    in_string = escaped = False
    for at, byte in enumerate(text):
        if in_string:
            if escaped:
                escaped = False
            elif byte == ord("\\"):
                escaped = True
            elif byte == ord('"'):
                in_string = False
        elif byte == ord('"'):
            in_string = True
        elif byte in b"{}[]":
            opens = byte in b"{["
            level = depth + opens
            depth += 1 if opens else -1
            if level <= REPORTED_DEPTH:
                found.append(TextBracket(at, opens, level, number))
            number += 1
    return found


def in_pieces(text: bytes, size: int) -> list[TextBracket]:
    structure = Structure("x.json")
    found = []
    for start in range(0, len(text), size):
        piece = text[start : start + size]
        found += [TextBracket(start + b.at, b.opens, b.level, b.number) for b in structure.brackets(piece)]
    assert not structure.depth
    assert not structure.in_string
    return found


strings = st.text(st.sampled_from('\\"{}[]ab中'), max_size=8)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.integers() | strings, lambda inner: st.lists(inner) | st.dictionaries(strings, inner), max_leaves=25
)


@settings(max_examples=200, deadline=None)
@given(value=values, size=st.integers(1, 40), indent=st.sampled_from([None, 2]), ascii_only=st.booleans())
def test_brackets_are_found_in_pieces_of_any_size(value: Any, size: int, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps([value], indent=indent, ensure_ascii=ascii_only).encode()

    assert in_pieces(text, size) == expected(text)


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_backslashes_escape_in_turn(size: int) -> None:
    text = rb'["\\", "\\\"[", "\\\\", {"a\"": ["}"]}]'

    assert in_pieces(text, size) == expected(text)


@pytest.mark.parametrize("text", [b"]", b"[]]", b'{"a": "]"}}'])
def test_more_closed_than_opened_is_a_sentence(text: bytes) -> None:
    with pytest.raises(FormatError, match="closes more brackets than it opens"):
        Structure("x.json").brackets(text)


def test_deep_nesting_is_a_sentence() -> None:
    assert Structure("x.json").brackets(b"[" * MAX_DEPTH)
    with pytest.raises(FormatError, match="nested deeper than"):
        Structure("x.json").brackets(b"[" * (MAX_DEPTH + 1))


@pytest.mark.parametrize("text", [b"", b"  ", b'"[{"', b"1"])
def test_text_without_brackets_has_none(text: bytes) -> None:
    assert Structure("x.json").brackets(text) == []
