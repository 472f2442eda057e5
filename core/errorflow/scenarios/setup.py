"""What is to be compared with what: the files that the user gave, each for one need of a scenario."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Setup:
    """`files` by the key of the need, such as "candidate", "reference", "fusion" or "original"."""

    # The key of the scenario; "": not known yet.
    scenario: str = ""
    files: Mapping[str, Path] = field(default_factory=dict)
    # Of raw tensors, as on the command line: NAME=1x3x8x8:float32.
    shapes: tuple[str, ...] = ()

    def file(self, need: str) -> Path | None:
        return self.files.get(need)

    def with_file(self, need: str, path: Path | None) -> "Setup":
        """With another file for a need; None: with none."""
        others = {key: given for key, given in self.files.items() if key != need}
        return replace(self, files=others if path is None else {**others, need: path})
