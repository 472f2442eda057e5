"""Long names of nodes in little room: what tells one from the others stays longest."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

CUT = "…"
_DIGIT, _WORD = re.compile(r"\d"), re.compile(r"[^\W\d_]+")
# Letters that stay of each word of a column's title, and of one alone.
_TITLE, _TITLE_ALONE = 3, 5
# Titles whose words say nothing without their ends.
_SHORT_TITLES = {"Share of blame": "Blame", "Introduced share": "Own share"}
# So many parts at the end say what the node is.
_ENDS = 2


def titles(text: str) -> Iterator[str]:
    """Yields titles of a column: in full, then with words that lose their ends. One that changes with each pixel is
    many.
    """
    yield text
    words = _WORD.findall(text)
    short = _SHORT_TITLES.get(text) or _WORD.sub(partial(_ended, _TITLE if len(words) > 1 else _TITLE_ALONE), text)
    if short != text:
        yield short


def _ended(letters: int, word: re.Match[str]) -> str:
    return word[0] if len(word[0]) <= letters + 1 else f"{word[0][:letters]}."


def fitting(forms: Sequence[str], fits: Callable[[str], bool]) -> str:
    """The longest that fits; where none does, scopes of the shortest are left out all the same."""
    return next((form for form in forms if fits(form)), shortened(forms[-1], fits))


def shortened(name: str, fits: Callable[[str], bool]) -> str:
    """Leaves out scopes until the name fits, those with a number last; if none is left to leave out, it may not fit."""
    sign, _, path = name.rpartition(" ")
    sign, root = f"{sign} " if sign else "", "/" if path.startswith("/") else ""
    parts = path.removeprefix(root).split("/")
    kept = [True] * len(parts)
    text = name
    for part in _in_turn(parts):
        if fits(text):
            break
        kept[part] = False
        text = sign + (root if kept[0] else "") + _joined(parts, kept)
    return text


def _in_turn(parts: list[str]) -> list[int]:
    """Orders which scopes to leave out, one after the other: conv of conv/Conv first, and of equal worth outer ones."""
    last = parts[-1].lower()
    scopes = [part for part in range(len(parts) - 1) if part < len(parts) - _ENDS or parts[part].lower() == last]
    return sorted(scopes, key=lambda part: (parts[part].lower() != last, _DIGIT.search(parts[part]) is not None))


def _joined(parts: list[str], kept: list[bool]) -> str:
    shown: list[str] = []
    for part, keep in zip(parts, kept, strict=True):
        if keep:
            shown.append(part)
        elif shown[-1:] != [CUT]:
            shown.append(CUT)
    return "/".join(shown)
