"""A language in which every text of the code is 字 for each of its words: what stays English was not translated."""

import re
from functools import cache

from errorflow.base.language.catalogue import HOLE, Catalogue
from make_language.walk import everything

_WORD = re.compile(r"&?[A-Za-z](?:[&’'A-Za-z])*")
_HOLES = re.compile(rf"({HOLE.pattern.replace('(', '(?:', 1)})")


@cache
def made_up() -> Catalogue:
    return Catalogue({each.text: said(each.text) for each in everything()})


def said(text: str) -> str:
    """Menu keys stay, as in any language; holes too."""
    key = re.search(r"&(\w)", text)
    plain = "".join(
        part if HOLE.fullmatch(part) else _WORD.sub("字", part).replace(". ", "。") for part in _HOLES.split(text)
    )
    return f"{plain}(&{key[1]})" if key is not None else plain
