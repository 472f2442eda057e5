import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.draw.text import clean, fitted, line, width


@given(st.text(), st.floats(0, 500))
def test_what_fits_is_never_wider_than_its_room(text: str, room: float) -> None:
    assert width(fitted(text, 11, room), 11) <= max(room, width("…", 11))


@given(st.text())
def test_with_room_enough_nothing_is_cut(text: str) -> None:
    assert fitted(text, 11, width(text, 11)) == text


def test_what_is_cut_keeps_its_beginning() -> None:
    assert fitted("convolution", 11, 40).startswith("con")
    assert fitted("convolution", 11, 40).endswith("…")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x00b", "a\ufffdb"),
        ("\x1b[31m", "\ufffd[31m"),
        ("\ud800", "\ufffd"),
        ("\uffff", "\ufffd"),
        ("a\nb", "a\nb"),
        ("名", "名"),
    ],
)
def test_what_no_xml_may_hold_is_replaced(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_a_label_is_one_line() -> None:
    assert line("a\r\n\tb\u2028c") == "a b c"


def test_letters_of_east_asia_are_square() -> None:
    assert width("畳", 11) == 11
