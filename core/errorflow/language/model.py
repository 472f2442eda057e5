"""The languages that there are, and what is peculiar to each when texts are put together."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Language:
    """One row: its key as Qt has it, and its name in itself."""

    key: str
    name: str
    # What stands between and behind parts of a text; keys are the marks in English.
    marks: tuple[tuple[str, str], ...] = ()

    @property
    def file(self) -> Path:
        """Where its texts are; English has none."""
        from importlib.resources import files

        return Path(str(files("errorflow_resources"))) / "language" / f"errorflow_{self.key}.ts"


ENGLISH = Language("en", "English")
CHINESE = Language(
    "zh_CN",
    "简体中文",
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
)
LANGUAGES: tuple[Language, ...] = (ENGLISH, CHINESE)
