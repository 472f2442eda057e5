"""Qt Linguist's files: a message per text of the code, under the module that says it first.

Lines are left out, so that a diff shows texts only.
"""

import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from make_language.templates import HOLE, shape
from make_language.walk import Found


@dataclass(frozen=True, slots=True)
class Message:
    """A text and what it is in the other language; "": not translated yet."""

    module: str
    source: str
    translation: str = ""
    # No code says it now: kept, as it may come back or have been changed a little.
    vanished: bool = False


def read(path: Path) -> list[Message]:
    """Reads all messages, those that vanished too; none if there is no file yet."""
    if not path.exists():
        return []
    return [
        _message(context.findtext("name", ""), message)
        for context in ET.parse(path).getroot().iter("context")
        for message in context.iter("message")
    ]


def _message(module: str, message: ET.Element) -> Message:
    said = message.find("translation")
    vanished = said is not None and said.get("type") in ("vanished", "obsolete")
    return Message(module, message.findtext("source", ""), message.findtext("translation", ""), vanished)


def merged(found: Iterable[Found], known: Iterable[Message]) -> list[Message]:
    """The texts of today with the translations that are there already, also where a hole has another name now.

    The form for one of something takes the translation of that for many, unless it has its own.
    """
    kept = {shape(each.source): each for each in known if each.translation}
    found = list(found)
    made = {each.text: _carried(each.text, kept) for each in found}
    shapes = {shape(text) for text in made}
    return [
        *(Message(each.module, each.text, made[each.text] or made.get(each.many, "")) for each in found),
        *(replace(each, vanished=True) for each in kept.values() if shape(each.source) not in shapes),
    ]


def _carried(text: str, kept: dict[str, Message]) -> str:
    """The translation of a text, its holes named as they are today."""
    old = kept.get(shape(text))
    if old is None:
        return ""
    names = dict(zip(HOLE.findall(old.source), HOLE.findall(text), strict=True))
    return HOLE.sub(lambda hole: f"{{{names.get(hole[1], hole[1])}}}", old.translation)


def written(messages: Iterable[Message], language: str) -> str:
    """The file's text. Modules keep the order of the messages, by name within the same importance."""
    contexts: dict[str, list[Message]] = {}
    for each in messages:
        contexts.setdefault(each.module, []).append(each)
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        "<!DOCTYPE TS>",
        f'<TS version="2.1" language="{language}" sourcelanguage="en">',
    ]
    for module in sorted(contexts):
        lines += ["<context>", f"    <name>{module}</name>"]
        lines += [line for each in sorted(contexts[module], key=lambda each: each.source) for line in _lines(each)]
        lines.append("</context>")
    return "\n".join([*lines, "</TS>", ""])


def _lines(each: Message) -> list[str]:
    done = ' type="vanished"' if each.vanished else "" if each.translation else ' type="unfinished"'
    return [
        "    <message>",
        f"        <source>{_escaped(each.source)}</source>",
        f"        <translation{done}>{_escaped(each.translation)}</translation>",
        "    </message>",
    ]


def _escaped(text: str) -> str:
    """Escapes as Linguist does, quotes too, so that its own saving changes nothing."""
    for sign, written_as in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&apos;")):
        text = text.replace(sign, written_as)
    return text


def wrong_holes(source: str, translation: str) -> str:
    """Says what is wrong with the holes of a translation; "": nothing. Each must be filled, and none made up."""
    wanted, given = set(HOLE.findall(source)), set(HOLE.findall(translation))
    if lost := sorted(wanted - given):
        return f"{', '.join(f'{{{name}}}' for name in lost)} is missing"
    if extra := sorted(given - wanted):
        return f"{', '.join(f'{{{name}}}' for name in extra)} is not in the source"
    return ""
