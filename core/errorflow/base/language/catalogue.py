"""Texts of a language file: whole ones, and templates with holes, found by their words."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from errorflow.base.language.model import FIRST, LETTER
from errorflow.base.values import dataclass, word_list

HOLE = re.compile(r"\{(\w+)\}")
# The mark of a menu key: `&` in English, `(&N)` where letters have no keys.
_KEY = re.compile(r"\s*\(&\w\)|&(?=\w)")
# The key of a command behind its tip.
_BEHIND = re.compile(r" ?[(（](?:(?:Ctrl|Alt|Shift|Meta)\+[^\s()（）]+|[A-Z]|F\d+|Esc)[)）]$")
_WORD = re.compile(r"(?<![\w\0])[A-Za-z]{2,}(?![\w\0])")
# Holes that numbers fill, and those that names fill, which are never words of the interface.
_NUMBERS = frozenset(("count", "number", "total"))
_NAMES = frozenset(word_list("name names path file folder stem tensor node operator op type key model output"))
# Where one sentence ends and the next one begins, which may be a name.
SENTENCE_END = re.compile(
    r"(?<=[^\s.][.?!…]) (?=[A-Z“•0-9\u4e00-\u9fff\U00100000-\U0010fffd]|exact\b|estimated\b|…$|[a-z]+$)"
)
_SAID_END = re.compile(r"(?<=[。？！])(?=.)|(?<=[…]) ?(?=[^\s。？！）])")
# A hole takes what is within one sentence: no line and no sentence begins inside.
_ANY = r"(?:(?!\. (?:[A-Z“•0-9]|exact\b|estimated\b|…))[^\n])*?"
_NUMBER = r"(?:(?=\S*\d)\S*?|[Nn]o|[Aa]ll|[Oo]ne|[^\w\s]*)(?: ?(?:%|dB|[kMG]B|ms|s))?(?: of [\d,]+)?(?<![.,:;])"
_TAG = re.compile(r"<[^<>]*>")
# As many different templates are tried on one text.
_TRIES = 12
# Templates under one word: each its source and its translation.
Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Template:
    """A text with holes, and what it is in the other language."""

    source: str
    translation: str

    @cached_property
    def holes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(HOLE.findall(self.source)))

    @cached_property
    def words(self) -> frozenset[str]:
        """Whole words that a text must have to be one of these."""
        return frozenset(word.lower() for word in _WORD.findall(HOLE.sub("\0", self.source)))

    @cached_property
    def letters(self) -> int:
        """Number of letters that are in no hole."""
        return sum(map(str.isalpha, HOLE.sub("", self.source)))

    def may_fit(self, text: str) -> bool:
        """Whether its literal parts stand in the text, one after the other: few that are tried come further, and a
        pattern takes long to compile. The first letter may be a small one; nothing may fill a last hole.
        """
        (first, *middle, last), spaced = self._literals, f"{text} "
        place = len(first)
        if spaced[1:place] != first[1:] or not (text.endswith(last) or spaced.endswith(last)):
            return False
        for literal in middle:
            found = spaced.find(literal, place)
            if found < 0:
                return False
            place = found + len(literal)
        return True

    @cached_property
    def _literals(self) -> list[str]:
        return HOLE.split(self.source)[::2]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        parts = HOLE.split(self.source)
        known: dict[str, int] = {}
        made = [_literal(parts[0], first=True)]
        for hole, after in zip(parts[1::2], parts[2::2], strict=True):
            if hole in known:
                made.append(f"(?P=h{known[hole]})")
            else:
                known[hole] = len(known)
                made.append(f"(?P<h{known[hole]}>{_NUMBER if kind(hole) in _NUMBERS else _ANY})")
            made.append(_literal(after))
            if after.endswith("."):
                made.append(r"(?!\w)")  # the point of a number ends no sentence
        return re.compile("".join(made))

    def fits(self, text: str) -> dict[str, str] | None:
        """Finds what fills the holes in a text that the template makes."""
        if not self.may_fit(text):
            return None
        found = self.pattern.fullmatch(text)
        if found is None and self.source.endswith(" {" + self.holes[-1] + "}"):
            found = self.pattern.fullmatch(f"{text} ")  # nothing fills the last one
        if found is None or any(value.count("(") != value.count(")") for value in found.groups()):
            return None
        last = _TAG.sub("", found[found.re.groups])
        if last.endswith(".") and " " not in last and found.end(found.re.groups) == len(text):
            return None  # the full stop of a sentence is no part of a name
        return {hole: found[f"h{number}"] for number, hole in enumerate(self.holes)}


def kind(hole: str) -> str:
    """The name of a hole without the number that tells it from others."""
    return hole.rstrip("0123456789")


def is_name(hole: str) -> bool:
    return kind(hole) in _NAMES


def _literal(text: str, first: bool = False) -> str:
    """Makes the pattern of the text between holes; a sentence may begin with a small letter where it is part of
    another.
    """
    if first and text[:1].isalpha():
        return f"[{re.escape(text[0].lower())}{re.escape(text[0].upper())}]{re.escape(text[1:])}"
    return re.escape(text)


class Catalogue:
    """Texts of one language."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._exact: dict[str, str] = {}
        templates: list[Template] = []
        for source, translation in [*texts.items(), *_derived(texts)]:
            if names := dict.fromkeys(HOLE.findall(source)):
                templates.append(Template(source, translation))
                for number, name in enumerate(names):
                    letter = chr(FIRST + number)
                    source, translation = (text.replace(f"{{{name}}}", letter) for text in (source, translation))
            small = folded(source)
            is_other = texts.get(small, translation) != translation
            self._exact.setdefault(source if is_other else small, translation)
        self._by_word = _indexed(templates)
        self._rows: Mapping[str, Rows] = {
            word: [(each.source, each.translation) for each in found] for word, found in self._by_word.items()
        }

    @classmethod
    def of_table(cls, exact: dict[str, str], rows: Mapping[str, Rows]) -> "Catalogue":
        """Makes a catalogue from a table that was put in order before: templates are made when a text has their
        word.
        """
        made = cls({})
        made._exact, made._rows = exact, rows
        return made

    def as_table(self) -> tuple[Mapping[str, str], Mapping[str, Rows]]:
        """Makes the table that `of_table` takes."""
        return self._exact, self._rows

    def __len__(self) -> int:
        return len(self._exact)

    def _with(self, word: str) -> list[Template]:
        found = self._by_word.get(word)
        if found is None:
            found = self._by_word[word] = [Template(*row) for row in self._rows[word]]
        return found

    def exact(self, text: str) -> str | None:
        """A button that says `Part` is another text than a mark that says `part`, where both are there."""
        names = dict.fromkeys(LETTER.findall(text))
        if names:  # the first that comes is the first here, whichever it is in the whole sentence
            text = text.translate({ord(name): FIRST + number for number, name in enumerate(names)})
        found = self._exact.get(text)
        if found is None:
            found = self._exact.get(folded(text))
        if found is None or not names:
            return found
        return found.translate({FIRST + number: name for number, name in enumerate(names)})

    def fitting(self, text: str) -> Iterator[tuple[Template, dict[str, str]]]:
        """Templates that make this text, the most literal first, with what fills their holes."""
        words = frozenset(word.lower() for word in _WORD.findall(text))
        likely = [each for word in words & self._rows.keys() for each in self._with(word) if each.words <= words]
        likely.sort(key=lambda each: each.letters, reverse=True)
        for each in likely[: _TRIES * 4]:
            filled = each.fits(text)
            if filled is not None:
                yield each, filled


def folded(text: str) -> str:
    """A sentence may begin with a small letter where it is part of another."""
    return text[:1].lower() + text[1:]


def _derived(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yields texts that follow from others: labels and tips without keys, texts without marks of code, single
    sentences.
    """
    for source, translation in texts.items():
        if "&" in source:
            yield _KEY.sub("", source), _KEY.sub("", translation)
        if "`" in source:
            yield source.replace("`", ""), translation.replace("`", "")
        if source.endswith((")", "）")) and _BEHIND.search(source):
            yield _BEHIND.sub("", source), _BEHIND.sub("", translation)
        sentences, said = SENTENCE_END.split(source), _SAID_END.split(translation)
        if len(sentences) == len(said) > 1:
            yield from zip(sentences, said, strict=True)


def _indexed(templates: Iterable[Template]) -> dict[str, list[Template]]:
    """Each template under the rarest of its words."""
    templates = [each for each in templates if each.words]
    often = Counter(word for each in templates for word in each.words)
    found: dict[str, list[Template]] = {}
    for each in templates:
        found.setdefault(min(each.words, key=lambda word: (often[word], word)), []).append(each)
    return found


def read(path: Path) -> Catalogue:
    """Reads a file of Qt Linguist; what is not translated yet stays out."""
    import xml.etree.ElementTree as ET

    messages = ET.parse(path).getroot().iter("message")
    texts = {each.findtext("source", ""): each.find("translation") for each in messages}
    done = {source: said.text for source, said in texts.items() if said is not None and "type" not in said.attrib}
    return Catalogue({source: translation for source, translation in done.items() if source and translation})
