"""Searching many names at once."""

from hypothesis import given
from hypothesis import strategies as st

from errorflow.explain.findings.text_index import TextIndex

TEXTS = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=12), max_size=20)


@given(TEXTS, st.text(st.characters(codec="utf-8", exclude_characters="\n"), min_size=1, max_size=4))
def test_it_finds_what_python_finds(texts: list[str], needle: str) -> None:
    expected = [needle.lower() in text.lower() for text in texts]
    assert TextIndex(texts).containing(needle).tolist() == expected


def test_no_text_is_in_every_text() -> None:
    assert TextIndex(["a", ""]).containing("").tolist() == [True, True]


def test_a_line_break_in_a_name_does_not_shift_the_others() -> None:
    assert TextIndex(["a\nb", "c"]).containing("c").tolist() == [False, True]


def test_a_search_does_not_run_over_the_end_of_a_name() -> None:
    assert TextIndex(["ab", "cd"]).containing("bc").tolist() == [False, False]


def test_names_from_broken_files_can_be_searched() -> None:
    assert TextIndex(["\ud800x", "y"]).containing("y").tolist() == [False, True]


def test_nothing_is_found_in_nothing() -> None:
    assert TextIndex([]).containing("a").tolist() == []
