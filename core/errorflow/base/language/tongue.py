"""Says a text in the language in use: as a whole, as a template with its holes filled, or part by part."""

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from errorflow.base.language.model import ENGLISH, FIRST, LANGUAGES, LETTER, Language, LanguageText, Verbatim, opened

if TYPE_CHECKING:  # English needs neither, nor the time that they take to load
    from errorflow.base.language.catalogue import Catalogue
    from errorflow.base.language.speaking import Speaker

# Texts whose translation is kept: a window shows far fewer at a time.
_KEPT = 20_000

_speaker: "Speaker | None" = None
_own: frozenset[str] = frozenset()
_language = ENGLISH


def use(key: str) -> Language:
    """Speaks this language from now on; one that there is not is English."""
    chosen = next((each for each in LANGUAGES if each.key == key), ENGLISH)
    if chosen is not _language:
        speak(chosen, None if chosen is ENGLISH else _texts(chosen))
    return chosen


def _texts(language: Language) -> "Catalogue":
    from errorflow.base.language.table import load

    return load(language.file)


def speak(language: Language, catalogue: "Catalogue | None") -> None:
    """Speaks a language by these texts; None: as the code says them."""
    global _speaker, _language
    _language = language
    _speaker = None if catalogue is None else _speaker_of(catalogue, language)
    _take_own()


def _speaker_of(catalogue: "Catalogue", language: Language) -> "Speaker":
    from errorflow.base.language.speaking import Speaker

    return Speaker(catalogue, language.marks)


def keep(texts: Iterable[str]) -> None:
    """Keeps what users wrote and named themselves, such as notes, from translation; replaces what was kept before.

    One word that is a word of the interface too is left out: it stands for that far more often.
    """
    global _own
    kept = frozenset(
        line for text in texts for line in (text.strip(), *map(str.strip, text.split("\n"))) if " " in line
    )
    if kept != _own:
        _own = kept
        _take_own()


def _take_own() -> None:
    if _speaker is not None:
        _speaker.keep(_own)
    _said.cache_clear()


def current() -> Language:
    return _language


def translated(text: str, label: bool = False) -> str:
    """The text in the language in use; what is no text of the interface stays.

    Names of operators are words of the interface too (`Shape`, `Log`): they are translated as `label` only.
    """
    if _speaker is None or not text or isinstance(text, Verbatim):
        return text
    return "".join(parts(text)) if isinstance(text, LanguageText) else _said(text, label)


def parts(text: str) -> list[str]:
    """The text in the language in use: words, a name or a number, words, and so on."""
    if not isinstance(text, LanguageText):
        return [translated(text)]
    leaves: list[str] = []
    said = opened(text, leaves) if _speaker is None else _speaker.with_letters(text, leaves)
    return [leaves[ord(part) - FIRST] if place % 2 else part for place, part in enumerate(LETTER.split(said))]


@lru_cache(maxsize=_KEPT)
def _said(text: str, label: bool) -> str:
    assert _speaker is not None, "English is not asked for"
    return _speaker.say(text, label)
