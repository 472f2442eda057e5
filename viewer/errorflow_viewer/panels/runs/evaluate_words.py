"""Words on evaluating in the window: choices, what was seen of a set, and hints that would name options."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.study.simulate.trial import Accuracy, Trial
from errorflow_viewer.document.evaluating import IT
from errorflow_viewer.kit.wording import in_window

if TYPE_CHECKING:
    from errorflow.study.evaluate.labelled_set import LabelledSummary

# With fewer a share of right answers says next to nothing.
FEW = 100
# What the guides say to do next, by what one finds here.
_ADVICE: tuple[tuple[str, str], ...] = (
    (r"what the original has", "what the float model has"),
    (r"^The original is", "The float model is"),
    (r"At up to 3 % .*", "At up to 3 % another calibration comes first, then the nodes that matter (menu Improve)."),
    (r"check the data that calibrates: `errorflow simulate`.*", "check the samples that calibrate."),
    (r"At more than 4 % .*", "At more than 4 % look at preprocessing, samples and settings first, then at a bad node."),
)


def said(text: str) -> str:
    """A sentence of the engine as it is said here."""
    for pattern, words in _ADVICE:
        text = re.sub(pattern, words, text)
    return in_window(text)


def told(trial: Trial) -> Iterator[str]:
    """Yields what was found out of a run, by the name that it has now."""
    for text in () if trial.accuracy is None else trial.accuracy.told:
        yield said(text).replace(IT, trial.name, 1) if text.startswith(f"{IT} ") else said(text)


def float_told(accuracy: Accuracy) -> Iterator[str]:
    """Yields what the float model has of it."""
    for key, right in accuracy.right.items():
        share = right / accuracy.samples if accuracy.samples else 0.0
        yield f"{key.capitalize()} of the float model: {right:,} of {accuracy.samples:,}, {share:.2%}."


def called(data: Sequence[str]) -> str:
    """Names files or folders as a list does."""
    name = Path(data[0]).name
    return name if len(data) == 1 else f"{name} and {len(data) - 1:,} more"


def warning(seen: "LabelledSummary | None") -> str:
    """Warns why samples say little; "": they may say much, or were not looked at yet."""
    if seen is None:
        return ""
    if seen.made_up:
        return "Made up: this says nothing about real data."
    return "So few say little: hundreds are needed." if seen.samples < FEW else ""


def runs_text(count: int, is_selected: bool) -> str:
    if is_selected:
        return "The selected run" if count == 1 else f"The {count:,} selected runs" if count else "The selected runs"
    return "The only run" if count == 1 else f"All {count:,} runs"
