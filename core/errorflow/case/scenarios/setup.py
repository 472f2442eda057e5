"""Setup of a comparison: the files that the user gave, each for one need of a scenario."""

from collections.abc import Mapping
from pathlib import Path

from errorflow.base.codec import Each
from errorflow.base.values import dataclass, field, replace

# Whose graph is shown, the best first; quantization information is no graph.
_SHOWN = ("model", "fusion", "original")
# What is run where a run is asked for, by its name.
MODEL = ".onnx"
# No setup has more texts: whatever has is rubbish.
_MOST = 100


@dataclass(frozen=True, slots=True)
class Setup:
    """`files` by the key of the need, such as "candidate", "reference", "fusion" or "original"."""

    # The key of the scenario; "": not known yet.
    scenario: str = ""
    files: Each[Mapping[str, Path]] = field(default_factory=dict)
    # Of raw tensors, as on the command line: NAME=1x3x8x8:float32.
    shapes: Each[tuple[str, ...]] = ()

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
        files = {need: str(path) for need, path in self.files.items()}
        return {"scenario": self.scenario, "files": files, "shapes": list(self.shapes)}

    @classmethod
    def of_plain(cls, value: object) -> "Setup | None":
        """Reads what `plain` gave; None where it is rubbish."""
        if not isinstance(value, Mapping):
            return None
        scenario, files, shapes = (value.get(key) for key in ("scenario", "files", "shapes"))
        if not isinstance(files, Mapping) or not isinstance(shapes, list):
            return None
        texts = [scenario, *files.keys(), *files.values(), *shapes]
        if len(texts) > _MOST or not all(isinstance(text, str) and "\0" not in text for text in texts):
            return None
        return cls(str(scenario), {need: Path(path) for need, path in files.items()}, tuple(shapes))


def is_model(path: Path) -> bool:
    """Whether a file in place of a run is called as a model that is run."""
    return path.suffix.lower() == MODEL
