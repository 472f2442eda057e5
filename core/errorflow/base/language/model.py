"""The languages that there are, and sentences of the interface that know how they were put together.

`say("{} brings {}", node, share)` is English, as any other text; another language finds it by its key, never by what it
says. What fills a hole is said in that language where it is such a text itself; all else is a name or a number, which
no language changes.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from errorflow.base.values import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """A language: its key as Qt has it, its name in itself, and its name for a reader of another one."""

    key: str
    name: str
    in_english: str
    # What stands between and behind parts of a text; keys are the marks in English.
    marks: tuple[tuple[str, str], ...] = ()
    # Some of its characters that fonts made for other languages lack.
    signs: str = ""

    @property
    def file(self) -> Path:
        """Path of the language's texts; English has none."""
        from importlib.resources import files

        return Path(str(files("errorflow_resources"))) / "language" / f"errorflow_{self.key}.ts"


ENGLISH = Language("en", "English", "English")
CHINESE = Language(
    "zh_CN",
    "简体中文",
    "Chinese",
    (
        (". ", "。"),
        ("; ", "；"),
        (": ", "："),
        (", ", "，"),
        (".", "。"),
        (":", "："),
        (";", "；"),
        (" of ", " / "),
        (" (", "（"),
        (")", "）"),
    ),
    "错误图说这",
)
LANGUAGES: tuple[Language, ...] = (ENGLISH, CHINESE)

HOLE = re.compile(r"\{(\w*)\}")
# Letters of nobody's, from here on, stand for what fills the holes while a sentence is translated.
FIRST = 0x100000
FILLED = r"\U00100000-\U0010fffd"
LETTER = re.compile(f"([{FILLED}])")
_KEPT = 10_000


class Verbatim(str):
    """A text that is shown as it is: a name of the user's, or one that is in its language already."""

    __slots__ = ()


class LanguageText(str):
    """Text that `say` makes."""

    __slots__ = ("key", "values")
    key: str
    values: tuple[str, ...]

    def __add__(self, other: str) -> "LanguageText":
        return say("{}{}", self, other)

    def __radd__(self, other: str) -> "LanguageText":
        return say("{}{}", other, self)

    def __reduce__(self) -> tuple[object, ...]:
        return say, (self.key, *self.values)

    def opened(self, leaves: list[str]) -> str:
        """Opens a text: the words of the texts within, and a letter for each name and number, which are added to
        `leaves`.
        """
        return self.around([opened(value, leaves) for value in self.values])

    def around(self, values: Sequence[str]) -> str:
        """Puts these into the holes."""
        return filled(self.key, values)


def opened(text: str, leaves: list[str]) -> str:
    """A letter in place of a name; marks alone are none."""
    if isinstance(text, LanguageText):
        return text.opened(leaves)
    if not any(map(str.isalnum, text)):
        return text
    return letter(text, leaves)


def letter(leaf: str, leaves: list[str]) -> str:
    leaves.append(leaf)
    return chr(FIRST + len(leaves) - 1)


def filled_in(said: str, leaves: Sequence[str]) -> str:
    """Puts these in place of the letters."""
    return LETTER.sub(lambda found: leaves[ord(found[0]) - FIRST], said)


def say(key: str, *values: object) -> LanguageText:
    """The values in the order in which the names of the holes come first; each `{}` is one of its own."""
    texts = tuple(value if isinstance(value, str) else str(value) for value in values)
    made = LanguageText(filled(key, texts) if texts else key)
    made.key, made.values = key, texts
    return made


def said(text: str) -> "LanguageText":
    """A text of the interface, whose words are its key where it has no other."""
    return text if isinstance(text, LanguageText) else say(text)


def joined(mark: str, parts: Iterable[str]) -> LanguageText:
    """Joins as `mark.join` does; its parts stay what they are."""
    texts = tuple(parts)
    return say(mark.join(["{}"] * len(texts)), *texts)


def mapped(change: Callable[[str], str], text: str) -> str:
    """The text with its words changed; its names stay."""
    if not isinstance(text, LanguageText):
        return text
    return say(change(text.key), *(mapped(change, value) for value in text.values))


def halves(text: str, mark: str) -> tuple[str, str]:
    """Divides its words before a mark and behind it; all of it is before, where they have none."""
    if not isinstance(text, LanguageText):
        return text, ""
    before, found, after = text.key.partition(mark)
    if found:
        count = len(HOLE.findall(before))
        return say(before, *text.values[:count]), say(after, *text.values[count:])
    if text.key.startswith("{}"):
        first, rest = halves(text.values[0], mark)
        return (first, say(text.key, rest, *text.values[1:])) if rest else (text, "")
    return text, ""


def capital(text: str) -> str:
    """A sentence of its own, unless it begins with a name."""
    if not isinstance(text, LanguageText):
        return text
    if text.key.startswith("{}"):
        return say(text.key, capital(text.values[0]), *text.values[1:])
    return say(text.key[:1].upper() + text.key[1:], *text.values)


def filled(key: str, values: Sequence[str]) -> str:
    """The key with its holes filled."""
    parts = _parts(key)
    return "".join([values[part] if isinstance(part, int) else part for part in parts])


@lru_cache(maxsize=_KEPT)
def _parts(key: str) -> tuple[str | int, ...]:
    """Divides a key into what stands between holes, and for each hole which value it takes."""
    literals, names = HOLE.split(key)[::2], HOLE.findall(key)
    places: dict[str, int] = {}
    parts: list[str | int] = [literals[0]]
    for number, (name, after) in enumerate(zip(names, literals[1:], strict=True)):
        parts += [places.setdefault(name or f" {number}", len(places)), after]
    return tuple(parts)
