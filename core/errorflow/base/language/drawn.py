"""Words in drawings: titles, axes and legends of an SVG; types of operators and names of nodes stay."""

import re
from html import escape, unescape

from errorflow.base.language.model import ENGLISH
from errorflow.base.language.tongue import current, translated

_TEXT = re.compile(r"(<(text|tspan|title)\b[^<>]*>)([^<>]+)(?=</\2>)")


def drawn(svg: str) -> str:
    """The drawing in the language in use; in English it is what it was."""
    return svg if current() is ENGLISH else _TEXT.sub(_said, svg)


def _said(found: re.Match[str]) -> str:
    text = unescape(found[3])
    said = translated(text)
    return found[0] if said == text else f"{found[1]}{escape(said)}"
