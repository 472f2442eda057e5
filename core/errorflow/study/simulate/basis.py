"""Basis of a simulation but for its plan, as the user says it."""

from pathlib import Path
from typing import Annotated

from errorflow.base.codec import Between, FileName
from errorflow.base.values import dataclass, field
from errorflow.run.samples.asked import SampleSpec


@dataclass(frozen=True, slots=True)
class Basis:
    """Samples, and where ranges come from: plain values, which a session keeps."""

    asked: SampleSpec = field(default_factory=SampleSpec)
    # So many of them are taken, from the first on; None: all.
    samples: Annotated[int, Between(1)] | None = None
    # So many of those calibrate, and the rest is evaluated; None: all but a few.
    calibrate_on: Annotated[int, Between(1)] | None = None
    # Key of the method of calibration; "": that of the preset.
    method: str = ""
    # The same of single tensors, by name: these have ranges by another method.
    methods: tuple[tuple[str, str], ...] = ()
    # Ranges that were saved; None: they are found anew.
    calibration: Path | None = None
    # Of a model that is quantized already: its own scales count, and nothing is calibrated.
    own: bool = True
    # … and the float model that it was made of, for its weights.
    reference: Path | None = None
    # Samples to measure errors on in place of those that calibration leaves; (): there are none.
    others: tuple[FileName, ...] = ()
