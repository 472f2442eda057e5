"""Query as a tree: words, fields, numbers, and `-`, `or` and parentheses between them.

A word is looked for in names, types and tensors, `field:word` in one of them; quotes hold words together, and after
`type:` ask for exactly that. What is not written to its end yet, such as `type:`, `cos<` or an `or` behind the last
word, asks for nothing.
"""

from errorflow.base import UsageError, dataclass

QUOTED = "Put it into quotes to search for it as text."


class QueryError(UsageError):
    """Error of a query that makes no sense, or whose answer cannot be known yet."""


@dataclass(frozen=True, slots=True)
class TextQuery:
    """A piece of text in a field; "" is any of name, type and tensors."""

    field: str
    text: str
    exact: bool = False

    def __str__(self) -> str:
        name = f"{self.field}:" if self.field else ""
        return f'{name}"{self.text}"' if self.exact or _needs_quotes(self.text, self.field) else f"{name}{self.text}"


@dataclass(frozen=True, slots=True)
class WordChoice:
    """One of several words that a field knows, each as far as it was written."""

    field: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.field}:{','.join(word.replace(' ', '-') for word in self.words)}"


@dataclass(frozen=True, slots=True)
class Number:
    """Values between two ends, which count themselves; `written` is how it was asked for."""

    field: str
    low: float
    high: float
    written: str

    def __str__(self) -> str:
        return f"{self.field}{self.written}"


@dataclass(frozen=True, slots=True)
class Not:
    part: "Query"

    def __str__(self) -> str:
        return f"-{_closed(self.part)}"


@dataclass(frozen=True, slots=True)
class Every:
    """All parts together; without a part the query finds everything."""

    parts: tuple["Query", ...] = ()

    def __str__(self) -> str:
        return " ".join(_closed(part) if isinstance(part, Either) else str(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Either:
    parts: tuple["Query", ...]

    def __str__(self) -> str:
        return " or ".join(map(str, self.parts))


Query = TextQuery | WordChoice | Number | Not | Every | Either


def leaves(query: Query) -> "list[TextQuery | WordChoice | Number]":
    """Lists all parts of a query, without how they hang together."""
    match query:
        case Not(part):
            return leaves(part)
        case Every(parts) | Either(parts):
            return [leaf for part in parts for leaf in leaves(part)]
        case _:
            return [query]


def _closed(query: Query) -> str:
    return f"({query})" if isinstance(query, Every | Either) else str(query)


def _needs_quotes(text: str, field: str) -> bool:
    """Whether it would be read as something else than plain text. With a quote in it, it cannot be quoted."""
    if '"' in text:
        return False
    if not text or any(letter.isspace() for letter in text):
        return True
    odd = text[0] == "-" or text.lower() in ("or", "and", "not") or any(letter in "()<>=≤≥:" for letter in text)
    return not field and odd
