"""A picture as it is asked for, on the command line and from one process to another."""

import json
from pathlib import Path
from typing import Literal, get_args

from errorflow.base.errors import UsageError
from errorflow.base.language import ENGLISH
from errorflow.base.values import dataclass
from errorflow.case.session.model import Palette
from errorflow.layout.prepare import View
from errorflow.report.colors import ThemeName
from errorflow.report.paint import PAINTED

Kind = Literal["svg", "png", "pdf"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# Levels of groups that are open; "all", or "start": as many as a reader is shown at first.
Expand = int | Literal["all", "start"]


@dataclass(frozen=True, slots=True)
class Request:
    """Request: what to draw, how, and where to write it. None: what suits the picture."""

    file: str
    output: str
    view: View = "columns"
    expand: Expand = "start"
    theme: ThemeName = "light"
    title: str | None = None
    shapes: bool = False
    # Whether it says what was compared, when it was made, and by what.
    caption: bool = True
    scale: float | None = None
    width: int | None = None
    tile: int | None = None
    # A result table of another tool to paint by, and which of its columns.
    results: str | None = None
    column: str | None = None
    # A comparison to paint by: the table of tensors of one, or two runs and what it takes to match them.
    compared: str | None = None
    # The same of another run, which it is compared with.
    against: str | None = None
    candidate: str | None = None
    reference: str | None = None
    fusion: str = ""
    quantization: str = ""
    # How it is painted; limits as METRIC=GOOD,BAD.
    metric: str = PAINTED.key
    limits: tuple[str, ...] = ()
    preset: str = ""
    palette: Palette = "ember"
    swap: bool = False
    # What its words are in.
    language: str = ENGLISH.key

    @property
    def kind(self) -> Kind:
        return kind_of(Path(self.output))

    def scale_for(self, width: float) -> float | None:
        """Computes px per unit of a page of that width; None: not set."""
        return self.scale if self.width is None else self.width / width


def kind_of(path: Path) -> Kind:
    """Chooses what sort of picture a file is to hold, by its ending."""
    ending = path.suffix.lower().removeprefix(".")
    for kind in KINDS:
        if ending == kind:
            return kind
    raise UsageError(
        f"A picture cannot be written as .{ending}." if ending else f"{path.name} has no ending.",
        "Give the file a name that ends in .svg, .png or .pdf.",
    )


def request_of(data: bytes) -> Request:
    """Reads what another process wrote as JSON."""
    import msgspec

    try:
        return msgspec.convert(json.loads(data), Request)  # names of files may hold what msgspec's own reader refuses
    except (ValueError, msgspec.MsgspecError) as error:
        raise UsageError(f"The request for a picture is broken: {error}.", "Ask by `errorflow render`.") from error
