"""An alignment as a call of the command line, and as what the window does in the background."""

import shlex
from collections.abc import Mapping
from pathlib import Path

from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, field
from errorflow.formats import read_model
from errorflow.formats.folders.raw import declared_by, parse_shapes
from errorflow.study.align.aligning import Also, align
from errorflow.study.align.model import STEPS, Alignment, Stage
from errorflow.study.align.opening import open_pipeline
from errorflow.study.align.resizes import picture_of


@dataclass(frozen=True, slots=True)
class AlignRequest:
    """Two pipelines, and what else is known of them."""

    a: Path
    b: Path
    picture: Path | None = None
    model: Path | None = None
    # Of raw files.
    shapes: tuple[str, ...] = ()
    # Those that are other than usual.
    tolerances: Mapping[Stage, float] = field(default_factory=dict)


def aligned(wish: AlignRequest, progress: Progress = SILENT) -> Alignment:
    """Opens both pipelines and sets them side by side."""
    declared = {} if wish.model is None else declared_by(read_model(wish.model, progress).graph)
    declared = declared | parse_shapes(wish.shapes)
    a, b = (open_pipeline(path, declared, progress) for path in (wish.a, wish.b))
    picture = None if wish.picture is None else picture_of(str(wish.picture))
    return align(a, b, Also(picture, wish.model, wish.tolerances), progress)


def call_of(wish: AlignRequest) -> str:
    words = ["errorflow", "align", str(wish.a), str(wish.b)]
    words += [] if wish.picture is None else ["--picture", str(wish.picture)]
    words += [] if wish.model is None else ["--model", str(wish.model)]
    for text in wish.shapes:
        words += ["--shapes", text]
    for step in STEPS:
        value = wish.tolerances.get(step.key, step.tolerance)
        words += [] if value == step.tolerance else ["--tolerance", f"{step.key}={value:g}"]
    return shlex.join(words)
