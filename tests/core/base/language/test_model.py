"""Sentences that know their key, and names that no language changes."""

import pickle
from collections.abc import Iterator

import pytest

from errorflow.base.language import ENGLISH, Verbatim, capital, halves, joined, mapped, parts, say, translated
from errorflow.base.language.catalogue import Catalogue
from errorflow.base.language.model import CHINESE
from errorflow.base.language.tongue import speak

TEXTS = {
    "{node} brings {share} of the error": "{share} 的误差来自 {node}",
    "{count} nodes": "{count} 个节点",
    "{count} node differs": "{count} 个节点不同",
    "Verdict": "结论",
    "Open": "打开",
    "exact": "精确",
    "from {name}": "来自 {name}",
}


@pytest.fixture(autouse=True)
def chinese() -> Iterator[None]:
    speak(CHINESE, Catalogue(TEXTS))
    yield
    speak(ENGLISH, None)


def test_it_is_the_english_sentence() -> None:
    text = say("{} brings {} of the error", "Open", "3 %")
    assert text == "Open brings 3 % of the error" and isinstance(text, str)
    assert say("{0} and {0}, not {1}", "a", "b") == "a and a, not b"


def test_what_fills_its_holes_may_change_places_and_is_never_read() -> None:
    assert translated(say("{} brings {} of the error", "Open", "exact")) == "exact 的误差来自 Open"


def test_a_text_within_is_said_in_the_language() -> None:
    assert translated(say("{}: {}", say("Verdict"), say("exact"))) == "结论：精确"
    assert translated(say("{}: {}", say("Verdict"), "exact")) == "结论：exact"


def test_a_sentence_is_taken_as_a_whole_where_the_language_has_it() -> None:
    assert translated(say("{} differs", say("{} node", 1))) == "1 个节点不同"


def test_marks_between_texts_are_those_of_the_language_and_those_in_names_are_not() -> None:
    both = joined("; ", [say("{} nodes", "3; 4"), say("exact")])
    assert both == "3; 4 nodes; exact" and translated(both) == "3; 4 个节点；精确"


def test_texts_are_added_and_stay_what_they_are() -> None:
    assert translated("x: " + say("Open")) == "x: 打开"
    assert translated(say("Open") + " x") == "打开 x"


def test_a_name_alone_is_shown_as_it_is() -> None:
    assert translated("Open") == "打开" and translated(Verbatim("Open")) == "Open"


def test_an_element_of_rich_text_that_says_so_is_shown_as_it_is() -> None:
    page = "<p>from <span translate='no'>Open</span></p><p>Open</p>"
    assert translated(page) == "<p>来自 <span translate='no'>Open</span></p><p>打开</p>"


def test_its_parts_tell_names_from_words() -> None:
    text = say("{} brings {} of the error", "a", "3 %")
    assert parts(text) == ["", "3 %", " 的误差来自 ", "a", ""]
    speak(ENGLISH, None)
    assert parts(text) == ["", "a", " brings ", "3 %", " of the error"]


def test_it_is_taken_apart_at_its_own_marks_only() -> None:
    text = say("{}{}", say("Node error: {} brings it", "a: b"), " again")
    assert halves(text, ": ") == ("Node error", "a: b brings it again")
    assert halves(say("{} is good", "a: b"), ": ") == ("a: b is good", "")


def test_a_sentence_of_its_own_begins_large_and_a_name_as_it_is() -> None:
    assert capital(say("the {} is good", "a")) == "The a is good"
    assert capital(say("{} is good", "a")) == "a is good"
    assert capital(say("{}.", say("exact"))) == "Exact."


def test_words_are_changed_and_names_are_not() -> None:
    assert mapped(str.upper, say("{} in {}", "a", say("b"))) == "a IN B"


def test_it_comes_through_a_pickle() -> None:
    text = pickle.loads(pickle.dumps(say("{} brings {} of the error", "Open", "3 %")))
    assert translated(text) == "3 % 的误差来自 Open"
