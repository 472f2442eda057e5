"""The pages of the manual, by their paths below its folder: titles, texts, and what is found in them."""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path

from errorflow.base.language import ENGLISH, current, translated
from errorflow.base.values import dataclass, field

# The page that one begins with, which is made of the others.
CONTENTS = "contents.md"
_FOLDERS = (("How to", "how-to"), ("Reference pages", ""), ("File formats", "formats"))
# What is about the making of the app, and not about its use.
_LEFT_OUT = frozenset(("architecture.md", "adding.md", "benchmarks.md", "features.md"))
_TITLE = re.compile(r"^# +(.+)$", re.MULTILINE)
_MARKS = re.compile(r"!\[[^\]]*\]\([^)]*\)|\]\([^)]*\)|[*`\[|]|^#+ ", re.MULTILINE)
_SLUG = re.compile(r"[^\w\- ]")
# Letters of a found passage, before and after the word.
_BEFORE, _AFTER = 12, 90


@dataclass(frozen=True)
class ManualPage:
    """`path` as in `how-to/export.md`."""

    path: str
    title: str
    text: str

    @cached_property
    def plain(self) -> str:
        """Text without marks, on one line."""
        return " ".join(_MARKS.sub("", self.text).split())


@dataclass(frozen=True)
class FoundPassage:
    """A page that holds all words, and the passage around the first."""

    page: ManualPage
    passage: str


@dataclass(frozen=True)
class Manual:
    """`sections`: their titles, each with its pages."""

    folder: Path
    sections: Sequence[tuple[str, Sequence[ManualPage]]]
    # Pages that are made when they are asked for, in place of those that are there.
    made: Mapping[str, Callable[[], str]] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path | None = None, made: Mapping[str, Callable[[], str]] | None = None) -> "Manual":
        folder = manual_folder() if folder is None else folder
        sections = [(title, list(_pages(folder, inner))) for title, inner in _FOLDERS]
        return cls(folder, sections, {} if made is None else made)

    @cached_property
    def pages(self) -> dict[str, ManualPage]:
        return {page.path: page for _, pages in self.sections for page in pages}

    def text(self, path: str) -> str:
        """Reads a page, in the language of the window where it is there; of the contents, a list of all."""
        if path in self.made:
            return in_words(self.made[path]())
        if path in self.pages:
            return text_of(self.folder, path, self.pages[path].text)
        parts = ["# Manual", "Press `F1` anywhere in the window for the page on what you are looking at."]
        parts = [in_words(part) for part in parts]
        for title, pages in self.sections:
            links = (f"- [{translated(page.title, label=True)}]({page.path})" for page in pages)
            parts += [f"## {translated(title, label=True)}", "\n".join(links)]
        return "\n\n".join(parts)

    def target(self, page: str, link: str) -> tuple[str, str]:
        """Finds what a link on a page leads to, from where the text lies that is read: a path, and a heading there."""
        path, heading = resolved(place_of(self.folder, page), link)
        return path.removeprefix(f"{current().key}/"), heading

    def picture(self, page: str, name: str) -> Path | None:
        """A picture that a page names, in its language where it is there; None: it is not of the manual."""
        path, _ = resolved(place_of(self.folder, page), name)
        for each in (path, self.target(page, name)[0]):
            file = self.folder / each
            if file.is_file() and file.resolve().is_relative_to(self.folder.resolve()):
                return file
        return None

    def heading(self, path: str, heading: str) -> str:
        """Finds what a heading of the English page is called on the one that is read."""
        if path not in self.pages:
            return heading
        both = (self.pages[path].text, self.text(path))
        return heading_of(heading, *([slug(each) for each in headings(text)] for text in both))

    def title(self, path: str) -> str:
        return self.pages[path].title if path in self.pages else "Manual"

    def search(self, text: str) -> list[FoundPassage]:
        """Pages with all words of the text, those first that have them in their title, then by how often."""
        words = text.lower().split()
        if not words:
            return []
        ranked: list[tuple[int, int, ManualPage]] = []
        for page in self.pages.values():
            title = f"{page.title} {translated(page.title, label=True)}".lower()
            inside = f"{title} {page.plain} {self._spoken(page)}".lower()
            if all(word in inside for word in words):
                named = sum(word in title for word in words)
                ranked.append((-named, -sum(inside.count(word) for word in words), page))
        ranked.sort(key=lambda row: (*row[:2], row[2].title))
        return [FoundPassage(page, self._passage(page, words[0])) for _, _, page in ranked]

    def _spoken(self, page: ManualPage) -> str:
        """Finds its text in the language of the window, on one line; "": there is none."""
        is_there = place_of(self.folder, page.path) != page.path
        return " ".join(_MARKS.sub("", self.text(page.path)).split()) if is_there else ""

    def _passage(self, page: ManualPage, word: str) -> str:
        said = self._spoken(page)
        return _passage(said if word in said.lower() else page.plain, word)


def manual_folder() -> Path:
    """Finds where an installed app has it, and a checkout."""
    shipped = Path(str(files("errorflow_resources"))) / "help"
    return shipped if shipped.is_dir() else Path(str(files("errorflow_resources"))).parents[1] / "docs"


def resolved(page: str, link: str) -> tuple[str, str]:
    """Finds what a link on a page leads to: a path, and a heading there."""
    target, _, heading = link.partition("#")
    if not target:
        return page, heading
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), target)), heading


def slug(heading: str) -> str:
    """Makes what links call a heading."""
    return _SLUG.sub("", heading.strip().lower()).replace(" ", "-")


def _pages(folder: Path, inner: str) -> Iterator[ManualPage]:
    found = []
    for path in (folder / inner).glob("*.md"):
        if path.name not in _LEFT_OUT:
            text = path.read_text(encoding="utf-8")
            title = _TITLE.search(text)
            name = posixpath.join(inner, path.name)
            found.append(ManualPage(name, path.stem if title is None else title[1].replace("`", ""), text))
    return iter(sorted(found, key=lambda page: page.title.lower()))


def _passage(text: str, word: str) -> str:
    at = max(text.lower().find(word), 0)
    begin, end = max(at - _BEFORE, 0), at + _AFTER
    return f"{'… ' if begin else ''}{text[begin:end].strip()}{' …' if end < len(text) else ''}"


# The manual in the language of the window, as far as it is there: pages below a folder named by the language.
#
# A page there has the headings of the English one in the same order: what leads to one of them finds it in both.

HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
# What a page takes from the English one, which is made of tables of the code; `tables` is its name.
_TABLES = re.compile(r"<!-- (?P<tables>\w+) -->.*?<!-- /(?P=tables) -->", re.DOTALL)
# Before and behind them; behind a table, Qt takes it for a row.
_MARK = re.compile(r"^<!-- /?\w+ -->\n", re.MULTILINE)
# Of the first table.
_HEAD = re.compile(r"^\|.*\n\|[|\s:-]+\n", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
# A sentence, and the command that does it.
_BEHIND = re.compile(r"(?P<text>.*[.!?]) (?P<code>`[^`]+`)")
_TAG = "\\<"
# Between cells, and in one.
_BAR = re.compile(r"(?<!\\)\|")
_INNER_BAR = "\\|"
_RULE = re.compile(r"[|\s:-]+")
_SPOKEN_TITLE = re.compile(r"\A# .*\n")
ENGLISH_ONLY = "This page is there in English only."


def place_of(folder: Path, path: str) -> str:
    """Finds where a page lies: in the language of the window, or else in English."""
    spoken = f"{current().key}/{path}"
    return spoken if current() is not ENGLISH and (folder / spoken).is_file() else path


def text_of(folder: Path, path: str, english: str) -> str:
    """A page to be read; one that is not translated says so."""
    return _MARK.sub("", _text_of(folder, path, english))


def _text_of(folder: Path, path: str, english: str) -> str:
    if current() is ENGLISH:
        return english
    place = place_of(folder, path)
    if place == path:
        return _SPOKEN_TITLE.sub(lambda found: f"{found[0]}\n*{translated(ENGLISH_ONLY)}*\n", english, count=1)
    tables = {found["tables"]: found[0] for found in _TABLES.finditer(english)}
    text = (folder / place).read_text(encoding="utf-8")
    return _TABLES.sub(lambda found: _headed(in_words(tables.get(found["tables"], found[0])), found[0]), text)


def _headed(table: str, own: str) -> str:
    """Adds the head that the page gives a table, if any: what a word such as "steps" means is known there only."""
    head = _HEAD.search(own)
    return table if head is None else _HEAD.sub(lambda _: head[0], table, count=1)


def in_words(page: str) -> str:
    """A page that is made of texts of the interface: cells of tables, headings and sentences."""
    if current() is ENGLISH:
        return page
    return "\n".join(_line(line) for line in page.split("\n"))


def _line(line: str) -> str:
    if line.startswith("|"):
        return line if _RULE.fullmatch(line) else "|".join(_cell(cell) for cell in _BAR.split(line))
    mark, _, text = line.partition(" ")
    return f"{mark} {translated(text, label=True)}" if mark.startswith("#") else translated(line)


def _cell(cell: str) -> str:
    """Reads a cell. Its text may begin a tag, or hold a bar, with a mark before it, of which the interface knows
    nothing.
    """
    text = cell.strip()
    said = _said(text.replace(_TAG, "<").replace(_INNER_BAR, "|")).replace("|", _INNER_BAR) if text else ""
    return f" {said.replace('<', _TAG) if _TAG in text else said} " if text else cell


def _said(text: str) -> str:
    behind = _BEHIND.fullmatch(text)
    if behind is not None:
        return f"{translated(behind['text'])} {behind['code']}"
    if "(`" in text or ", if there is one" in text:
        text = text.replace(", if there is one", f" ({translated('if there is one')})")
        return ", ".join(_named(part) for part in text.split(", "))
    return translated(text, label=True)


def _named(part: str) -> str:
    """Translates a thing, and in brackets the option that takes it."""
    name, bracket, rest = part.partition(" (`")
    return f"{translated(name, label=True)}{bracket}{rest}"


def heading_of(heading: str, english: list[str], spoken: list[str]) -> str:
    """The one of the page that is read that stands for an English one."""
    return spoken[english.index(heading)] if heading in english and len(english) == len(spoken) else heading


def headings(text: str) -> list[str]:
    """Lists headings as they are written, without marks of code."""
    return [found.replace("`", "") for found in HEADING.findall(_FENCE.sub("", text))]
