"""Options of an evaluation, as a form has them: plain values, which sessions keep and the start of the app loads."""

from pathlib import Path
from typing import Annotated

from errorflow.base.codec import Between, FileName
from errorflow.base.values import dataclass


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """Samples with what is right of each."""

    # Files or folders of samples; (): those that the simulation measures errors on.
    data: tuple[FileName, ...] = ()
    # A file with a class per sample.
    labels: Path | None = None
    # Without such a file: samples in a folder per class are of that class. Else what the float model answers is right.
    by_folder: bool = True
    # The user's own measure; it may do without labels.
    evaluator: Path | None = None
    # With the scores; "": the first of the model.
    output: str = ""
    # Of the evaluator, for one run.
    seconds: Annotated[float, Between(1)] = 3600.0
