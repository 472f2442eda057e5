"""The manual in the language of the window, as far as it is there: pages below a folder named by the language.

A page there has the headings of the English one in the same order: what leads to one of them finds it in both.
"""

import re
from pathlib import Path

from errorflow.base.language import ENGLISH, current, translated

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
_TITLE = re.compile(r"\A# .*\n")
ENGLISH_ONLY = "This page is there in English only."


def place_of(folder: Path, path: str) -> str:
    """Where a page lies: in the language of the window, or else in English."""
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
        return _TITLE.sub(lambda found: f"{found[0]}\n*{translated(ENGLISH_ONLY)}*\n", english, count=1)
    tables = {found["tables"]: found[0] for found in _TABLES.finditer(english)}
    text = (folder / place).read_text(encoding="utf-8")
    return _TABLES.sub(lambda found: _headed(in_words(tables.get(found["tables"], found[0])), found[0]), text)


def _headed(table: str, own: str) -> str:
    """With the head that the page gives it, if any: what a word such as "steps" means is known there only."""
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
    """Its text may begin a tag, or hold a bar, with a mark before it, of which the interface knows nothing."""
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
    """Something, and in brackets the option that takes it."""
    name, bracket, rest = part.partition(" (`")
    return f"{translated(name, label=True)}{bracket}{rest}"


def heading_of(heading: str, english: list[str], spoken: list[str]) -> str:
    """The one of the page that is read that stands for an English one."""
    return spoken[english.index(heading)] if heading in english and len(english) == len(spoken) else heading


def headings(text: str) -> list[str]:
    """As they are written, without marks of code."""
    return [found.replace("`", "") for found in HEADING.findall(_FENCE.sub("", text))]
