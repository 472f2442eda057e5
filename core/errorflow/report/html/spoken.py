"""The page in the language in use: its words, tips and tables; names, drawings' names and what users wrote stay."""

import json
import re
from html import escape, unescape
from typing import Any

from errorflow.base.language import ENGLISH, current, translated
from errorflow.report.account.model import INTRODUCED_SHARE

# Parts that are no text to be read: programs, dresses; the data of the page's script are looked through.
_APART = re.compile(r"(<script\b.*?</script>|<style\b.*?</style>)", re.DOTALL)
_DATA = re.compile(r'(<script type="application/json" id="data">)(.*)(</script>)', re.DOTALL)
# Tags that a sentence may go on behind; all others end it.
_BETWEEN = re.compile(r"(<(?!/?(?:a|b|i|em|strong|span|code|small|sub|sup)\b)[^<>]*>)")
_ATTRIBUTE = re.compile(r"\b(title|aria-label|placeholder|alt)=(['\"])(.*?)\2")
# What the page's script says itself, as it stands there.
_OF_SCRIPT = (
    "Name",
    "Type",
    "Depth",
    "Verdict",
    "Accumulated",
    "Share of blame",
    "Introduced",
    "Inherited",
    INTRODUCED_SHARE,
    "States",
    "Tensor",
    "Shape",
    "Note",
    "Relative error of what it makes",
    "What the node itself adds",
    "What arrives and passes through",
    "Of its error, what it adds itself",
    "The part of the error at the output that goes back to the node",
    "It stands in a closed group of the drawing.",
    "Show all ",
    " nodes",
    " node",
    " rows",
)


def spoken(page: str) -> str:
    """The whole file; in English it is what it was."""
    if current() is ENGLISH:
        return page
    parts = _APART.split(page)
    said = "".join(_apart(part) if number % 2 else _body(part) for number, part in enumerate(parts))
    return said.replace("<html lang='en'>", f"<html lang='{current().key.replace('_', '-')}'>", 1)


def _body(text: str) -> str:
    parts = _BETWEEN.split(text)
    said = (
        _tag(part) if number % 2 else _words(part, parts[number - 1] if number else "")
        for number, part in enumerate(parts)
    )
    return "".join(said)


def _words(text: str, tag: str) -> str:
    """What stands between two tags; what has none inside is taken out of its entities first.

    In drawings it may be the type of an operator.
    """
    if not text.strip():
        return text
    if "<" in text:
        return translated(text, label=True)
    bare = unescape(text)
    said = translated(bare, label=not tag.startswith("<text"))
    return text if said == bare else escape(said)


def _tag(tag: str) -> str:
    return _ATTRIBUTE.sub(_attribute, tag)


def _attribute(found: re.Match[str]) -> str:
    name, quote, text = found.groups()
    return f"{name}={quote}{escape(translated(unescape(text), label=True))}{quote}"


def _apart(part: str) -> str:
    data = _DATA.fullmatch(part)
    if data is not None:
        rows = _row(json.loads(data[2]))
        text = json.dumps(rows, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003C")
        return f"{data[1]}{text}{data[3]}"
    if part.startswith("<script"):
        for words in _OF_SCRIPT:
            said = json.dumps(_of_script(words), ensure_ascii=False)
            part = part.replace(f'"{words}"', said)
    return part


def _of_script(words: str) -> str:
    """A word that the script puts behind a number is said as behind one."""
    return translated(f"2{words}")[1:] if words.startswith(" ") else translated(words, label=True)


def _row(value: Any) -> Any:
    """Words in the rows of the tables; names look like none, and types of operators stay."""
    if isinstance(value, str):
        return translated(value)
    if isinstance(value, list):
        return [_row(each) for each in value]
    if isinstance(value, dict):
        return {key: each if key in ("key", "better", "formula") else _row(each) for key, each in value.items()}
    return value
