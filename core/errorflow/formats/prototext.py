"""Reads protobuf's text format without a schema, within limits of size and depth."""

import re
import sys
from collections.abc import Iterator

from errorflow.base import SILENT, FormatError, Progress, dataclass, field

# Takes protobuf's text format apart into tokens.

KINDS = frozenset({"name", "number", "string", "mark"})
# Numbers and names stand apart from what follows; a string ends on its line.
_TOKEN = re.compile(
    r"""
    (?P<name> [A-Za-z_]\w* )
    | (?P<number> 0[xX][0-9a-fA-F]+ (?!\w) | (?: \d+ (?:\.\d*)? | \.\d+ ) (?:[eE][+-]?\d+)? [fF]? (?!\w) )
    | (?P<string> " [^"\\\n]* (?: \\. [^"\\\n]* )* " | ' [^'\\\n]* (?: \\. [^'\\\n]* )* ' )
    | (?P<mark> [{}<>\[\]:,;/.-] )
    | (?P<skipped> \s+ | \#[^\n]* )
    """,
    re.VERBOSE | re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text, one of `KINDS`, and the place where it stands."""

    kind: str
    text: str
    at: int


class UnknownToken(Exception):  # noqa: N818 - not an error yet: who looks for a mark only takes it as a no
    """Error of something at `at` that the format does not know."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


def tokens(text: str) -> Iterator[Token]:
    """Yields everything but white space and comments."""
    at = 0
    match = _TOKEN.match
    while at < len(text):
        found = match(text, at)
        if found is None:
            raise UnknownToken(at)
        kind = found.lastgroup
        if kind in KINDS:
            yield Token(kind, found[0], at)
        at = found.end()


MAX_DEPTH = 64
MAX_FIELDS = 1_500_000
MAX_NUMBER_LENGTH = 400
_TOKENS_PER_STEP = 10_000
_HINT = "Check the file at that line, or write it again with the tool that made it."


class Word(str):
    """A bare word: an enumeration's value, such as CONVOLUTION or TRAIN."""

    __slots__ = ()


@dataclass(slots=True)
class TextMessage:
    """Fields in the order in which they stand; a repeated one stands there more than once."""

    fields: list[tuple[str, "Value"]] = field(default_factory=list)

    def all(self, name: str) -> "list[Value]":
        return [value for key, value in self.fields if key == name]

    def last(self, name: str) -> "Value | None":
        found = self.all(name)
        return found[-1] if found else None

    def texts(self, name: str) -> list[str]:
        return [value for value in self.all(name) if isinstance(value, str)]

    def text(self, name: str) -> str:
        found = self.texts(name)
        return found[-1] if found else ""

    def numbers(self, name: str) -> list[int]:
        return [value for value in self.all(name) if isinstance(value, int) and not isinstance(value, bool)]

    def messages(self, name: str) -> "list[TextMessage]":
        return [value for value in self.all(name) if isinstance(value, TextMessage)]

    def message(self, name: str) -> "TextMessage":
        """The last one of that name, or an empty one."""
        found = self.messages(name)
        return found[-1] if found else TextMessage()


Value = str | Word | int | float | bool | TextMessage


def parse(text: str, name: str, progress: Progress = SILENT) -> TextMessage:
    """The message that a file of that name holds; a `FormatError` names the line where it goes wrong."""
    parser = _Parser(text, name, progress)
    try:
        return parser.message("", 0)
    except UnknownToken as error:
        raise parser.broken(error.at, "there is something that the format does not know") from error


class _Parser:
    def __init__(self, text: str, name: str, progress: Progress) -> None:
        self._text = text
        self._name = name
        self._progress = progress
        self._tokens: Iterator[Token] = tokens(text)
        self._next: Token | None = None
        self._read = 0
        self._fields = 0

    def message(self, end: str, depth: int) -> TextMessage:
        """Fields up to the mark `end`, or up to the end of the text."""
        if depth > MAX_DEPTH:
            raise self.broken(self._at(), f"messages are nested deeper than {MAX_DEPTH}")
        made = TextMessage()
        while True:
            token = self._take()
            if token is None:
                if end:
                    raise self.broken(len(self._text), f"the file ends before a '{end}': it was cut off")
                return made
            if token.kind == "mark" and token.text == end:
                return made
            if token.kind == "mark" and token.text in ",;" and made.fields:
                continue
            self._field(made, token, depth)

    def _field(self, made: TextMessage, token: Token, depth: int) -> None:
        name = self._field_name(token)
        colon = self._skip(":")
        opened = self._peek()
        if opened is not None and opened.text == "[" and opened.kind == "mark":
            self._take()
            self._list(made, name, depth)
        elif (opened is not None and opened.kind == "mark" and opened.text in "{<") or colon:
            self._add(made, name, self._value(depth))
        else:
            raise self.broken(token.at, f"'{name}' has no value")

    def _field_name(self, token: Token) -> str:
        if token.kind == "name":
            return sys.intern(token.text)
        if token.text != "[" or token.kind != "mark":
            raise self.broken(token.at, f"a field's name was expected, not {token.text[:40]}")
        parts = []  # an extension or a type: [package.name] or [host/package.name]
        while not self._skip("]"):
            part = self._take()
            if part is None or not (part.kind == "name" or part.text in "./-"):
                raise self.broken(token.at, "the name of an extension is not closed")
            parts.append(part.text)
        return f"[{''.join(parts)}]"

    def _list(self, made: TextMessage, name: str, depth: int) -> None:
        if self._skip("]"):
            return
        while True:
            self._add(made, name, self._value(depth))
            if self._skip("]"):
                return
            if not self._skip(","):
                raise self.broken(self._at(), "a list is not closed")

    def _value(self, depth: int) -> Value:
        token = self._take()
        if token is None:
            raise self.broken(len(self._text), "the file ends before a value: it was cut off")
        if token.kind == "string":
            return self._string(token)
        if token.kind == "mark" and token.text in "{<":
            return self.message("}" if token.text == "{" else ">", depth + 1)
        negative = token.kind == "mark" and token.text == "-"
        bare = self._take() if negative else token
        if bare is not None and bare.kind == "number":
            return self._number(bare, negative)
        if bare is not None and bare.kind == "name":
            return self._word(bare, negative)
        raise self.broken(token.at, f"a value was expected, not {token.text[:40]}")

    def _string(self, token: Token) -> str:
        """Strings that stand side by side are one."""
        parts = [token.text[1:-1]]
        following = self._peek()
        while following is not None and following.kind == "string":
            parts.append(following.text[1:-1])
            self._take()
            following = self._peek()
        return unescaped("".join(parts))

    def _number(self, token: Token, negative: bool) -> int | float:
        text = token.text
        if len(text) > MAX_NUMBER_LENGTH:
            raise self.broken(token.at, "a number has too many digits")
        value: int | float
        if text[:2] in ("0x", "0X"):
            value = int(text, 16)
        elif text.isdecimal():
            octal = text[0] == "0" and not set(text) - set("01234567")
            value = int(text, 8 if octal else 10)
        else:
            value = float(text.rstrip("fF"))
        return -value if negative else value

    def _word(self, token: Token, negative: bool) -> Value:
        text = token.text
        if text.lower() in _FLOATS:
            return -float(_FLOATS[text.lower()]) if negative else float(_FLOATS[text.lower()])
        if negative:
            raise self.broken(token.at, f"a number was expected, not -{text[:40]}")
        return _TRUTH[text] if text in _TRUTH else Word(text)

    def _add(self, made: TextMessage, name: str, value: Value) -> None:
        self._fields += 1
        if self._fields > MAX_FIELDS:
            raise self.broken(self._at(), f"there are more than {MAX_FIELDS:,} fields")
        made.fields.append((name, value))

    def _take(self) -> Token | None:
        token = self._peek()
        self._next = None
        return token

    def _peek(self) -> Token | None:
        if self._next is None:
            self._next = next(self._tokens, None)
            self._read += 1
            if self._read % _TOKENS_PER_STEP == 0:
                self._progress.step(self._at(), len(self._text), f"Reading {self._name}")
        return self._next

    def _skip(self, mark: str) -> bool:
        token = self._peek()
        if token is None or token.kind != "mark" or token.text != mark:
            return False
        self._next = None
        return True

    def _at(self) -> int:
        return len(self._text) if self._next is None else self._next.at

    def broken(self, at: int, what: str) -> FormatError:
        line = self._text.count("\n", 0, at) + 1
        return FormatError(f"{self._name} is broken in line {line}: {what}.", _HINT)


_TRUTH = {"true": True, "True": True, "false": False, "False": False}
_FLOATS = {"inf": "inf", "inff": "inf", "infinity": "inf", "nan": "nan", "nanf": "nan"}
_LETTERS = {"n": 10, "r": 13, "t": 9, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, "'": 39, '"': 34, "?": 63}
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)


def unescaped(text: str) -> str:
    """The meaning of what stands between quotes; bytes that are no UTF-8 stay visible as escapes."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(_meaning, text.encode()).decode(errors="backslashreplace")


def _meaning(match: re.Match[bytes]) -> bytes:
    octal, hexadecimal, short, long, letter = match.groups()
    if octal is not None:
        return bytes([int(octal, 8) & 255])
    if hexadecimal is not None:
        return bytes([int(hexadecimal, 16)])
    if letter is not None:
        code = _LETTERS.get(letter.decode(errors="replace"))
        return match[0] if code is None else bytes([code])
    number = int(short if short is not None else long, 16)
    return match[0] if number > 0x10FFFF or 0xD800 <= number < 0xE000 else chr(number).encode()
