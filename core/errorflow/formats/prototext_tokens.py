"""Takes protobuf's text format apart into tokens."""

import re
from collections.abc import Iterator

from errorflow.base.values import dataclass

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
