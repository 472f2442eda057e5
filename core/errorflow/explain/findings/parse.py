"""Parser of what the user typed into a search field. The only thing it raises is a `QueryError`."""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Literal

from errorflow.base.values import dataclass
from errorflow.explain.findings.fields import FIELD_OF, FIELDS, Field
from errorflow.explain.findings.query import (
    QUOTED,
    Either,
    Every,
    Not,
    Number,
    Query,
    QueryError,
    TextQuery,
    WordChoice,
)

MOST_LETTERS, MOST_DEPTH = 4000, 50
_OPERATORS = {"≤": "<=", "≥": ">="}
_NAMES = "|".join(sorted(FIELD_OF, key=len, reverse=True))
# A word, or field:word, either in quotes.
_TERM = re.compile(rf'(?:({_NAMES}):)?(?:"([^"]*)"?|(\S+))', re.IGNORECASE)
_COMPARED = re.compile(r"([A-Za-z_]\w*)(<=|>=|≤|≥|<|>|=)(.*)", re.DOTALL)
# The same with room round the sign, for names that are known.
_SPACED = re.compile(rf"({_NAMES})(?:\s+(<=|>=|≤|≥|<|>)\s*|\s*(<=|>=|≤|≥|<|>)\s+)([^\s()\"]*)", re.IGNORECASE)
_NUMBER = re.compile(r"([-+−]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?|inf|∞))\s*(%|db?)?", re.IGNORECASE)
_BEGUN = re.compile(r"[-+−]?(?:\d*\.?\d*(?:e[-+]?)?|i|in)", re.IGNORECASE)
_ENDS: Mapping[str, Callable[[float], tuple[float, float]]] = {
    "<": lambda value: (-math.inf, math.nextafter(value, -math.inf)),
    "<=": lambda value: (-math.inf, value),
    "=": lambda value: (value, value),
    ">=": lambda value: (value, math.inf),
    ">": lambda value: (math.nextafter(value, math.inf), math.inf),
}
_WORDS = {"or": "or", "OR": "or", "and": "and", "AND": "and", "not": "not", "NOT": "not"}
_LOOSE = frozenset(("or", "and", "not"))
_Kind = Literal["(", ")", "-", "or", "and", "not", "leaf"]


@dataclass(frozen=True, slots=True)
class _Token:
    """`query` is what it is as a word of its own; None: it asks for nothing yet."""

    kind: _Kind
    query: Query | None = None


def parse(text: str) -> Query:
    """Parses a query."""
    if len(text) > MOST_LETTERS:
        raise QueryError(f"A search has at most {MOST_LETTERS:,} letters.", "Ask for less at once.")
    found = _Reader(_tokens(text)).either()
    return Every() if found is None else found


def parse_finished(text: str) -> Query:
    """The same of a text to which nothing more is added: what is not written to its end is refused."""
    query, tokens = parse(text), _tokens(text)
    count = Counter(token.kind for token in tokens)
    if count["("] > count[")"] or any(token.kind == "leaf" and token.query is None for token in tokens):
        raise QueryError(f"The search “{text}” is not written to its end.", QUOTED)
    return query


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    depth, place = 0, 0
    while place < len(text):
        letter, rest = text[place], text[place + 1 : place + 2]
        if letter.isspace():
            place += 1
        elif letter == "(":
            depth += 1
            if depth > MOST_DEPTH:
                raise QueryError("There are too many parentheses within each other.", QUOTED)
            tokens.append(_Token("("))
            place += 1
        elif letter == ")" and depth:
            depth -= 1
            _drop_loose_end(tokens)
            tokens.append(_Token(")"))
            place += 1
        elif letter == "-" and rest and not rest.isspace() and not (rest == ")" and depth):
            tokens.append(_Token("-"))
            place += 1
        elif letter == "-" and _ends(text[place + 1 :].lstrip(), depth):
            tokens.append(_Token("not", TextQuery("", "-")))
            place += 1
        else:
            token, place = _leaf(text, place, depth)
            tokens.append(token)
    _drop_loose_end(tokens)
    return tokens


def _ends(rest: str, depth: int) -> bool:
    return not rest or (depth > 0 and rest[0] == ")")


def _drop_loose_end(tokens: list[_Token]) -> None:
    """Drops what joins the last word to another one that is not there yet; alone it is a word itself."""
    end = len(tokens)
    while end and tokens[end - 1].kind in _LOOSE:
        end -= 1
    if end < len(tokens) and end and tokens[end - 1].kind != "(":
        tokens[end:] = [_Token("leaf")]


def _leaf(text: str, place: int, depth: int) -> tuple[_Token, int]:
    """A word, and where the text goes on behind it."""
    spaced = _SPACED.match(text, place)
    if spaced is not None and FIELD_OF[spaced[1].lower()].kind == "number":
        sign = spaced[2] if spaced[2] else spaced[3]
        return _Token("leaf", _number(FIELD_OF[spaced[1].lower()], sign, spaced[4])), spaced.end()
    term = _TERM.match(text, place)
    assert term is not None, "whatever is no space is a word"
    name, quoted, plain = term.groups()
    if plain is None:
        return _Token("leaf", _fielded(name, quoted, quoted=True)), term.end()
    word = _within(plain, depth)
    end = term.start(3) + len(word)
    if name is None and word in _WORDS:
        return _Token(_WORDS[word], TextQuery("", word)), end  # type: ignore[arg-type]  # the table's values are kinds
    return _Token("leaf", _plain(word) if name is None else _fielded(name, word, quoted=False)), end


def _within(word: str, depth: int) -> str:
    """Takes a word without the parentheses at its end that close groups, but with those that it opened itself."""
    spare = word.count(")") - word.count("(")
    while depth and spare > 0 and len(word) > 1 and word.endswith(")"):
        word, spare = word[:-1], spare - 1
    return word


def _plain(word: str) -> Query | None:
    if word.endswith(":") and word[:-1].lower() in FIELD_OF:
        return None
    compared = _COMPARED.fullmatch(word)
    if compared is None:
        return TextQuery("", word)
    name, sign, value = compared.groups()
    field = FIELD_OF.get(name.lower())
    if field is not None and field.kind == "number":
        return _number(field, sign, value)
    if sign != "=" and _NUMBER.fullmatch(value):
        raise QueryError(_no_number_called(name), QUOTED)
    return TextQuery("", word)


def _no_number_called(name: str) -> str:
    """Refuses a name that is no number's, with what may be meant first."""
    from difflib import get_close_matches

    numbers = [field for field in FIELDS if field.kind == "number"]
    meant = get_close_matches(name.lower(), (other for field in numbers for other in (field.name, *field.others)), 1)
    hint = f"did you mean {FIELD_OF[meant[0]].name}? Known" if meant else "known"
    return f"There is no number called “{name}”; {hint} are {', '.join(field.name for field in numbers)}."


def _fielded(name: str | None, text: str, *, quoted: bool) -> Query | None:
    field = None if name is None else FIELD_OF[name.lower()]
    if field is None:
        return TextQuery("", text)
    if field.kind == "text":
        exact = quoted and bool(text) and field.name in ("type", "dtype", "precision")
        return TextQuery(field.name, text, exact)
    if field.kind == "number":
        return _span(field, text, str(name), quoted)
    return _chosen(field, text)


def _chosen(field: Field, text: str) -> Query | None:
    words = [word for word in (_spoken(part) for part in text.split(",")) if word]
    for word in words:
        if not any(known.startswith(word) for known in field.words):
            raise QueryError(f"{field.name} wants {_listed(field.words)}, such as {field.example}.", QUOTED)
    return WordChoice(field.name, tuple(words)) if words else None


def _spoken(word: str) -> str:
    return " ".join(word.lower().replace("-", " ").replace("_", " ").split())


def _listed(words: tuple[str, ...]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _span(field: Field, text: str, name: str, quoted: bool) -> Query | None:
    """Parses a span from one number to another, or one alone; names of tensors may look so as well, and end in one
    digit.
    """
    low, dots, high = text.partition("..")
    if quoted or (not dots and field.name != "depth"):
        return TextQuery("", f"{name}:{text}")
    if not dots:
        return _number(field, "=", low, mark=":")
    if (low and not _NUMBER.fullmatch(low)) or (high and not (_NUMBER.fullmatch(high) or _BEGUN.fullmatch(high))):
        raise _no_number(field)
    ends = (
        -math.inf if not low else _value(field, low),
        math.inf if not _NUMBER.fullmatch(high) else _value(field, high),
    )
    return Number(field.name, *ends, written=f":{text}")


def _number(field: Field, sign: str, text: str, mark: str = "") -> Query | None:
    sign = _OPERATORS.get(sign, sign)
    if not _NUMBER.fullmatch(text) and _BEGUN.fullmatch(text):
        return None
    value = _value(field, text)
    low, high = _ENDS[sign](value)
    return Number(field.name, low, high, written=f"{mark if mark else sign}{text}")


def _value(field: Field, text: str) -> float:
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise _no_number(field)
    number = float(found[1].replace("−", "-").replace("∞", "inf"))
    return number / 100 if found[2] == "%" else number


def _no_number(field: Field) -> QueryError:
    return QueryError(f"{field.name} wants a number, such as {field.example}.", QUOTED)


class _Reader:
    """Puts words together: `or` binds weaker than standing side by side."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._place = 0

    def either(self) -> Query | None:
        parts = [self._every()]
        while self._joins("or"):
            self._place += 1
            parts.append(self._every())
        if self._kind() == ")":
            self._place += 1
        return _joined(Either, parts)

    def _every(self) -> Query | None:
        parts = [self._one()]
        while self._kind() not in (")", "") and not self._joins("or"):
            if self._joins("and"):
                self._place += 1
            parts.append(self._one())
        return _joined(Every, parts)

    def _one(self) -> Query | None:
        negated = False
        while self._kind() == "-" or self._joins("not"):
            negated = not negated
            self._place += 1
        if self._kind() in (")", ""):
            return None
        token = self._tokens[self._place]
        self._place += 1
        found = self.either() if token.kind == "(" else token.query
        if found is None or not negated:
            return found
        return found.part if isinstance(found, Not) else Not(found)

    def _kind(self, ahead: int = 0) -> str:
        place = self._place + ahead
        return self._tokens[place].kind if place < len(self._tokens) else ""

    def _joins(self, word: str) -> bool:
        """Whether the next token is that word and stands before something that it can be about."""
        return self._kind() == word and self._kind(1) in ("(", "-", "not", "leaf")


def _joined(kind: type[Every] | type[Either], parts: list[Query | None]) -> Query | None:
    """Parts of the same kind become one, and one alone stays what it is."""
    flat: list[Query] = []
    for part in parts:
        if part is not None:
            flat += part.parts if isinstance(part, kind) else [part]
    if not flat:
        return None
    return flat[0] if len(flat) == 1 else kind(tuple(flat))
