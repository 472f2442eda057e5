"""As much YAML as conversion settings have: keys, lists, quotes, JSON-like parts, comments; no anchors, no tags."""

import json
import re
from collections.abc import Mapping

from errorflow.base.errors import FormatError

DEEPEST = 40
_HINT = "Write it as the toolchain's examples are: keys, lists, quotes, { } and [ ]."
# No part of these can be matched in two ways: otherwise a long line would take time by the square of its length.
_KEY = re.compile(
    r"""(?P<key>"(?:[^"\\]|\\.)*"[ ]*|'(?:[^']|'')*'[ ]*|[^\s#'"{}\[\],&*!|>](?:[^#\n:]|:(?!\s|\Z))*):(?=\s|\Z)"""
)
_END_OF_PLAIN = re.compile(r"[,\[\]{}\n]|:(?=\s|\Z)|\s(?=#)")
_BLANK = re.compile(r"(?:\s+|#[^\n]*)*")
_QUOTED = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'""", re.DOTALL)
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}


def quoted(text: str) -> str:
    """A string in double quotes; those of JSON are YAML too."""
    return json.dumps(text, ensure_ascii=False)


def read_yaml(text: str, name: str) -> Mapping[str, object]:
    """The document's mapping; a `FormatError` names the line that is not understood."""
    found = _Reader(text, name).document()
    if not isinstance(found, dict):
        raise FormatError(f"{name} holds no keys.", _HINT)
    return found


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self._text, self._name = text.replace("\r\n", "\n").expandtabs(8), name
        self._at = 0

    def document(self) -> object:
        if self._text.lstrip().startswith("---"):
            self._at = self._text.index("---") + 3
        self._skip_blank()
        found = self._block(self._column(), 0)
        self._skip_blank()
        if self._at < len(self._text):
            raise self._broken()
        return found

    def _block(self, indent: int, depth: int) -> object:
        self._check(depth)
        if self._text.startswith(("- ", "-\n"), self._at):
            return self._list(indent, depth)
        if self._text[self._at : self._at + 1] in ("{", "["):
            return self._ended(self._flow(depth))
        if _KEY.match(self._text, self._at):
            return self._mapping(indent, depth)
        return self._ended(self._scalar())

    def _mapping(self, indent: int, depth: int) -> dict[str, object]:
        found: dict[str, object] = {}
        while self._at < len(self._text) and self._column() == indent:
            match = _KEY.match(self._text, self._at)
            if match is None:
                raise self._broken()
            self._at = match.end()
            found[str(_unquoted(match["key"]))] = self._value(indent, depth)
            self._skip_blank()
        if self._at < len(self._text) and self._column() > indent:
            raise self._broken()
        return found

    def _value(self, indent: int, depth: int) -> object:
        """On the same line, or as a block below that stands further in; a list may stand below its key."""
        below = self._goes_below()
        if self._at >= len(self._text):
            return None
        if not below:
            return self._ended(self._flow(depth) if self._text[self._at] in "{[" else self._scalar())
        column = self._column()
        is_mine = column > indent or (column == indent and self._text.startswith(("- ", "-\n"), self._at))
        return self._block(column, depth + 1) if is_mine else None

    def _list(self, indent: int, depth: int) -> list[object]:
        found: list[object] = []
        while self._at < len(self._text) and self._column() == indent and self._text[self._at] == "-":
            self._at += 1
            if not self._goes_below() or self._column() > indent:
                found.append(self._block(self._column(), depth + 1))
            else:
                found.append(None)
            self._skip_blank()
        return found

    def _flow(self, depth: int) -> object:
        self._check(depth)
        mark = self._text[self._at : self._at + 1]
        if not mark:
            raise self._broken()
        return self._flow_mapping(depth) if mark == "{" else self._flow_list(depth) if mark == "[" else self._scalar()

    def _flow_mapping(self, depth: int) -> dict[str, object]:
        found: dict[str, object] = {}
        self._take("{")
        while not self._ends("}"):
            key = str(self._scalar())
            self._skip_blank()
            self._take(":")
            self._skip_blank()
            found[key] = self._flow(depth + 1)
            self._comma("}")
        return found

    def _flow_list(self, depth: int) -> list[object]:
        found: list[object] = []
        self._take("[")
        while not self._ends("]"):
            found.append(self._flow(depth + 1))
            self._comma("]")
        return found

    def _ends(self, mark: str) -> bool:
        self._skip_blank()
        ends = self._text.startswith(mark, self._at)
        self._at += ends
        return ends

    def _comma(self, end: str) -> None:
        self._skip_blank()
        if not self._text.startswith(end, self._at):
            self._take(",")

    def _scalar(self) -> object:
        if self._text[self._at : self._at + 1] not in ("'", '"'):
            return self._plain()
        match = _QUOTED.match(self._text, self._at)
        if match is None:
            raise self._broken()
        self._at = match.end()
        return _unquoted(match[0])

    def _plain(self) -> object:
        """As far as a mark, without the blanks before it."""
        found = _END_OF_PLAIN.search(self._text, self._at)
        end = len(self._text) if found is None else found.start()
        text = self._text[self._at : end].rstrip()
        is_odd = not text and self._text[self._at : self._at + 1] not in ("", "\n", ",", "}", "]")
        if is_odd or self._text[end : end + 1] in ("{", "["):
            raise self._broken()
        self._at += len(text)
        return _unquoted(text)

    def _ended(self, value: object) -> object:
        """What is a plain text goes on to the end of its line."""
        end = self._text.find("\n", self._at)
        left = self._text[self._at :] if end < 0 else self._text[self._at : end]
        if left.strip() and not left.strip().startswith("#"):
            if not isinstance(value, str):
                raise self._broken()
            value += left.partition(" #")[0].rstrip()
        self._at += len(left)
        return value

    def _goes_below(self) -> bool:
        """Skips what is blank, and says whether a line ended in it."""
        start = self._at
        self._skip_blank()
        return "\n" in self._text[start : self._at]

    def _skip_blank(self) -> None:
        match = _BLANK.match(self._text, self._at)
        self._at = self._at if match is None else match.end()

    def _take(self, mark: str) -> None:
        if not self._text.startswith(mark, self._at):
            raise self._broken()
        self._at += len(mark)

    def _column(self) -> int:
        return self._at - (self._text.rfind("\n", 0, self._at) + 1)

    def _line(self) -> int:
        return self._text.count("\n", 0, self._at)

    def _check(self, depth: int) -> None:
        if depth > DEEPEST:
            raise FormatError(f"{self._name} is nested too deeply.", _HINT)

    def _broken(self) -> FormatError:
        return FormatError(f"Line {self._line() + 1:,} of {self._name} is not understood.", _HINT)


def _unquoted(text: str) -> object:
    text = text.strip()
    if text[:1] == '"':
        try:
            return json.loads(text, strict=False)
        except ValueError:
            return text[1:-1]
    if text[:1] == "'":
        return text[1:-1].replace("''", "'")
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    return float(text) if _NUMBER.match(text) else text
