"""The interface in other languages. English is what the code says and keeps; it is translated where it is shown.

To add a language: a row in LANGUAGES, and `python -m make_language --language KEY`.
"""

from errorflow.base.language.model import (
    ENGLISH,
    LANGUAGES,
    Language,
    LanguageText,
    Verbatim,
    capital,
    filled_in,
    halves,
    joined,
    mapped,
    opened,
    said,
    say,
)
from errorflow.base.language.tongue import current, keep, parts, translated, use

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "Language",
    "LanguageText",
    "Verbatim",
    "capital",
    "current",
    "filled_in",
    "halves",
    "joined",
    "keep",
    "mapped",
    "opened",
    "parts",
    "said",
    "say",
    "translated",
    "use",
]
