"""Alignment of two pipelines: plain values of the question and of its answer."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass

Stage = Literal["input", "output", "result"]
Doubles = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AlignStep:
    """One place of a pipeline where an array is handed on."""

    key: Stage
    label: str
    # The largest difference that is none; those of inputs and results are the vendors', that of outputs is ours.
    tolerance: float
    # What files and arrays of it are called, the whole name or what comes before `_`, `.`, `-` or `/`.
    names: tuple[str, ...]


_INPUTS = ("preprocessed", "preprocess", "pre", "input", "inputs", "in", "data", "image")
_OUTPUTS = ("output", "outputs", "out", "model_output", "raw_output", "raw", "infer", "inference", "logits")
_RESULTS = ("postprocessed", "postprocess", "post", "result", "results", "final", "detections")
STEPS: tuple[AlignStep, ...] = (
    AlignStep("input", "Preprocessed input", 1e-4, _INPUTS),
    AlignStep("output", "Model output", 1e-3, _OUTPUTS),
    AlignStep("result", "Postprocessed output", 1e-3, _RESULTS),
)


@dataclass(frozen=True, slots=True)
class Gap:
    """Gap between two arrays, element by element."""

    largest: float
    mean: float
    # The share of elements that are further apart than the tolerance.
    beyond: float
    # Where the largest difference is.
    place: tuple[int, ...] = ()
    # Elements that are NaN or infinite on one side only, or differently.
    broken: int = 0


@dataclass(frozen=True, slots=True)
class Cause:
    """Cause that was tried and explains a difference."""

    # Such as `channels` or `scale`: what has to be done to A, in order, and each in words.
    keys: tuple[str, ...]
    texts: tuple[str, ...]
    # The share of the difference's power that is gone once A is changed so.
    explains: float
    # What remains is within the tolerance.
    whole: bool
    # The largest difference that remains.
    remains: float

    @property
    def text(self) -> str:
        """A sentence."""
        text = "; ".join(self.texts)
        return f"{text[:1].upper()}{text[1:]}."


@dataclass(frozen=True, slots=True)
class AlignSide:
    """An array of one pipeline."""

    name: str
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True, slots=True)
class AlignRow:
    """One array of both pipelines."""

    stage: Stage
    name: str
    tolerance: float
    # None: it is there on the other side only.
    a: AlignSide | None
    b: AlignSide | None
    # None: they cannot be set beside each other, and no change of A makes them so.
    gap: Gap | None = None
    # None: they are alike, or nothing that was tried explains it.
    cause: Cause | None = None
    note: str = ""

    @property
    def alike(self) -> bool:
        return self.gap is not None and not self.gap.broken and self.gap.largest <= self.tolerance

    @property
    def measured(self) -> bool:
        return self.a is not None and self.b is not None


@dataclass(frozen=True, slots=True)
class Alignment:
    """Rows in the order of the pipelines, and what they say together."""

    rows: tuple[AlignRow, ...]
    # The first step whose arrays differ; None: none does.
    fault: Stage | None
    text: str
    # What explains it, or that nothing does; "": they do not differ.
    reason: str = ""
    # What to do about it.
    advice: str = ""
    notes: tuple[str, ...] = ()
