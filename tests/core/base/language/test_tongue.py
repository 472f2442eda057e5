"""Which language is spoken; in English texts are what the code says."""

from collections.abc import Iterator

import pytest
from onnx import defs

from errorflow.base.language import ENGLISH, LANGUAGES, current, keep, translated, use
from errorflow.base.language.catalogue import Catalogue
from errorflow.base.language.model import CHINESE
from errorflow.base.language.speaking import OPERATORS
from errorflow.base.language.table import load
from errorflow.base.language.tongue import speak


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    yield
    use(ENGLISH.key)


def test_english_is_what_the_code_says() -> None:
    assert translated("Copy &name") == "Copy &name"


def test_a_language_is_spoken_until_another_one_is() -> None:
    speak(CHINESE, Catalogue({"Open": "打开"}))
    assert (translated("Open"), current()) == ("打开", CHINESE)
    assert use(ENGLISH.key) is ENGLISH
    assert translated("Open") == "Open"


def test_what_is_the_users_own_stays_through_a_change_of_the_language() -> None:
    keep(["Open it", "Open"])
    speak(CHINESE, Catalogue({"Open": "打开", "Open it": "打开它"}))
    # One word stands for that of the interface far more often.
    assert (translated("Open it"), translated("Open")) == ("Open it", "打开")
    keep([])
    assert translated("Open it") == "打开它"


def test_a_language_that_there_is_not_is_english() -> None:
    assert use("tlh") is ENGLISH


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each is not ENGLISH], ids=lambda each: each.key)
def test_each_language_has_its_texts(language: object) -> None:
    assert use(language.key) is language  # type: ignore[attr-defined]  # a Language
    assert translated("Copy &name") != "Copy &name"


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each is not ENGLISH], ids=lambda each: each.key)
def test_words_that_are_operators_too_are_known_to_be(language: object) -> None:
    texts = load(language.file)  # type: ignore[attr-defined]  # a Language
    types = {schema.name for schema in defs.get_all_schemas()}
    assert {name for name in types if texts.exact(name) not in (None, name)} <= OPERATORS
