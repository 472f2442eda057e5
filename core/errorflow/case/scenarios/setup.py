"""Setup of a comparison: the files that the user gave, each for one need of a scenario."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from errorflow.base.codec import EACH, Codec, Form, Most, OddError
from errorflow.base.values import dataclass, field, replace

# Whose graph is shown, the best first; quantization information is no graph.
_SHOWN = ("model", "fusion", "original")
# What is run where a run is asked for, by its name.
MODEL = ".onnx"
# No setup has more texts where it is handed over or was the last one: whatever has is rubbish. A session may have the
# shape of each tensor.
_MOST, _MOST_SHAPES = 100, 10_000


@dataclass(frozen=True, slots=True)
class Setup:
    """`files` by the key of the need, such as "candidate", "reference", "fusion" or "original"."""

    # The key of the scenario; "": not known yet.
    scenario: str = ""
    files: Annotated[Mapping[str, Path], EACH, Most(_MOST)] = field(default_factory=dict)
    # Of raw tensors, as on the command line: NAME=1x3x8x8:float32.
    shapes: Annotated[tuple[str, ...], EACH, Most(_MOST_SHAPES)] = ()

    def file(self, need: str) -> Path | None:
        return self.files.get(need)

    def with_file(self, need: str, path: Path | None) -> "Setup":
        """Copies the setup with another file for a need; None takes it away."""
        others = {key: given for key, given in self.files.items() if key != need}
        return replace(self, files=others if path is None else {**others, need: path})

    @property
    def shown(self) -> Path | None:
        """The file whose graph is painted; None: none was given, and a chain is made of the runs."""
        reference = self.file("reference")
        run = reference if reference is not None and is_model(reference) else None
        return next((path for need in _SHOWN if (path := self.file(need)) is not None), run)

    @property
    def plain(self) -> dict[str, object]:
        """Plain values that `json` takes."""
        rows: dict[str, object] = _CODEC.plain(self)
        return rows

    @classmethod
    def of_plain(cls, value: object) -> "Setup | None":
        """Reads what `plain` gave; None where it is rubbish."""
        try:
            found: Setup = _CODEC.read(Setup, value)
        except OddError:
            return None
        is_one = isinstance(value, dict) and "files" in value and len(found.shapes) <= _MOST
        return found if is_one else None


def _path(text: object, _: str) -> Path:
    if not isinstance(text, str) or "\0" in text:
        raise OddError("it should be a file's name.")
    return Path(text)


_CODEC = Codec({Path: Form(str, _path)})


def is_model(path: Path) -> bool:
    """Whether a file in place of a run is called as a model that is run."""
    return path.suffix.lower() == MODEL
