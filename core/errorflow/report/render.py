"""From a model file to a picture of its graph: what can be asked for, and the picture that answers it."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from errorflow.errors import UsageError
from errorflow.files import write_pieces
from errorflow.formats import read_model
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow.layout.outline import Outline
from errorflow.layout.prepare import View, prepare
from errorflow.progress import SILENT, Progress
from errorflow.report.colors import THEMES, ThemeName
from errorflow.report.svg import Picture, svg

Kind = Literal["svg"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# Levels of groups that are open; "all", or "start": as many as a reader is shown at first.
Expand = int | Literal["all", "start"]
ASPECT = 1.4  # of a drawing in columns: width to height


@dataclass(frozen=True, slots=True)
class Request:
    """A picture as it is asked for. None: what suits the picture."""

    file: str
    output: str
    view: View = "columns"
    expand: Expand = "start"
    theme: ThemeName = "light"
    title: str | None = None
    shapes: bool = False
    scale: float | None = None
    width: int | None = None
    tile: int | None = None


def kind_of(path: str) -> Kind:
    """What sort of picture a file is to hold, by its ending."""
    ending = Path(path).suffix.lower().removeprefix(".")
    for kind in KINDS:
        if ending == kind:
            return kind
    name = Path(path).name
    raise UsageError(
        f"{name} has no ending." if not ending else f"A picture cannot be written as .{ending}.",
        "Give the file a name that ends in .svg.",
    )


def draw(request: Request, progress: Progress = SILENT) -> Picture:
    """Reads the model and draws its main graph."""
    model = read_model(request.file, progress)
    if request.shapes and model.infer_shapes is not None:
        model = model.infer_shapes(progress)
    prepared = prepare(model.graph, progress=progress)
    groups = open_groups(prepared.outline, request.expand)
    drawing = prepared.draw(groups, request.view, ASPECT, progress)
    title = model.path.name if request.title is None else request.title
    return Picture(drawing, model.graph, title, note(model.graph, drawing), THEMES[request.theme])


def open_groups(outline: Outline, expand: Expand) -> frozenset[int]:
    if expand == "all":
        return outline.everything
    if expand == "start":
        return outline.at_first()
    return frozenset((outline.depths < expand).nonzero()[0].tolist())


def sized(picture: Picture, request: Request) -> Picture:
    """The same, as large as it was asked for."""
    if request.width is not None:
        return replace(picture, scale=request.width / picture.frame.width)
    return picture if request.scale is None else replace(picture, scale=request.scale)


def note(graph: Graph, drawing: Drawing) -> str:
    """How much there is, in a line."""
    closed = int((drawing.folds >= 0).sum())
    parts = [_counted(len(graph), "node")]
    if closed:
        parts.append(f"{_counted(closed, 'group')} closed")
    return " · ".join(parts)


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def render(request: Request, progress: Progress = SILENT) -> str:
    """Writes the picture, whole or not at all; says what was written."""
    kind_of(request.output)
    picture = sized(draw(request, progress), request)
    write_pieces(request.output, svg(picture, progress))
    width, height = (round(side * picture.scale) for side in (picture.frame.width, picture.frame.height))
    return f"{request.output}: {picture.note}, {width:,} × {height:,} px"
