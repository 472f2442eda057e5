"""The languages that there are, and what is peculiar to each when texts are put together."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Language:
    """One row: its key as Qt has it, its name in itself, and its name for whoever cannot read that."""

    key: str
    name: str
    in_english: str
    # What stands between and behind parts of a text; keys are the marks in English.
    marks: tuple[tuple[str, str], ...] = ()
    # Some of its characters that fonts made for other languages lack.
    signs: str = ""

    @property
    def file(self) -> Path:
        """Where its texts are; English has none."""
        from importlib.resources import files

        return Path(str(files("errorflow_resources"))) / "language" / f"errorflow_{self.key}.ts"


ENGLISH = Language("en", "English", "English")
CHINESE = Language(
    "zh_CN",
    "简体中文",
    "Chinese",
    (
        (". ", "。"),
        ("; ", "；"),
        (": ", "："),
        (", ", "，"),
        (".", "。"),
        (":", "："),
        (";", "；"),
        (" of ", " / "),
        (" (", "（"),
        (")", "）"),
    ),
    "错误图说这",
)
LANGUAGES: tuple[Language, ...] = (ENGLISH, CHINESE)
