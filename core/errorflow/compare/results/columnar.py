"""Tables whose columns begin where their titles do, as logs print them; a cell may be blank or hold single spaces."""

import re

from errorflow.base.values import dataclass

_TITLE = re.compile(r"\S+(?: \S+)*")


@dataclass(frozen=True, slots=True)
class TitleLine:
    """The titles of a line and where each begins. Two spaces part two titles."""

    titles: tuple[str, ...]
    starts: tuple[int, ...]

    @classmethod
    def of(cls, line: str) -> "TitleLine":
        found = list(_TITLE.finditer(line))
        return cls(tuple(match[0] for match in found), tuple(match.start() for match in found))

    def cells(self, line: str) -> dict[str, str] | None:
        """The cells by their titles; None: the line does not stand under this header."""
        if line[: self.starts[0]].strip() or any(self._cut(line, start) for start in self.starts[1:]):
            return self._by_spaces(line)
        ends = [*self.starts[1:], len(line) + 1]
        texts = [line[start:end].strip() for start, end in zip(self.starts, ends, strict=True)]
        return dict(zip(self.titles, texts, strict=True))

    def _cut(self, line: str, start: int) -> bool:
        """Whether a column would begin in the middle of a word."""
        return start < len(line) and line[start - 1] != " "

    def _by_spaces(self, line: str) -> dict[str, str] | None:
        """A line that was moved or is too wide for its column still has a cell for every title."""
        texts = _TITLE.findall(line) if "  " in line else line.split()
        texts = texts if len(texts) == len(self.titles) else line.split()
        return dict(zip(self.titles, texts, strict=True)) if len(texts) == len(self.titles) else None
