"""From a model file to a picture of its graph."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path

from errorflow.base.errors import FileError, UsageError
from errorflow.base.files import write_pieces
from errorflow.base.progress import SILENT, Progress
from errorflow.formats import read_model
from errorflow.layout.outline import Outline
from errorflow.layout.prepare import prepare
from errorflow.report.by_viewer import render_by_viewer
from errorflow.report.caption import caption, made_as_asked
from errorflow.report.colors import THEMES
from errorflow.report.notes import drawing_note
from errorflow.report.render_paint import check, is_painted, painted_as
from errorflow.report.request import Expand, Request
from errorflow.report.svg import Picture, svg

ASPECT = 1.4  # of a drawing in columns: width to height


def draw(request: Request, progress: Progress = SILENT) -> Picture:
    """Reads the model and draws its main graph."""
    model = read_model(request.file, progress)
    if request.shapes and model.infer_shapes is not None:
        model = model.infer_shapes(progress)
    prepared = prepare(model.graph, progress=progress)
    groups = open_groups(prepared.outline, request.expand)
    drawing = prepared.draw(groups, request.view, ASPECT, progress)
    title = model.path.name if request.title is None else request.title
    picture = Picture(drawing, model.graph, title, drawing_note(model.graph, drawing), THEMES[request.theme])
    if request.caption:
        picture = replace(picture, caption=caption(made_as_asked(request), datetime.now()))
    return painted_as(picture, request, progress) if is_painted(request) else picture


def open_groups(outline: Outline, expand: Expand) -> frozenset[int]:
    if expand == "all":
        return outline.everything
    if expand == "start":
        return outline.at_first()
    return frozenset((outline.depths < expand).nonzero()[0].tolist())


def render(request: Request, progress: Progress = SILENT) -> str:
    """Writes the picture, whole or not at all; says what was written."""
    if request.tile is not None and request.kind != "png":
        raise UsageError(f"A .{request.kind} has no tiles.", "Leave --tile out, or write a .png.")
    check(request)
    folder = Path(request.output).parent
    if not folder.is_dir():  # said before all the work, not after it
        raise FileError(f"There is no folder {folder}.", "Make it, or write the picture to another one.")
    return _write_svg(request, progress) if request.kind == "svg" else render_by_viewer(request, progress)


def _write_svg(request: Request, progress: Progress) -> str:
    picture = draw(request, progress)
    scale = request.scale_for(picture.frame.width)
    picture = picture if scale is None else replace(picture, scale=scale)
    write_pieces(request.output, svg(picture, progress))
    return f"{request.output}: {contents(picture, picture.scale)}"


def contents(picture: Picture, scale: float) -> str:
    """What is in a file, in a line."""
    width, height = (round(side * scale) for side in (picture.frame.width, picture.frame.height))
    return f"{picture.note}, {width:,} × {height:,} px"
