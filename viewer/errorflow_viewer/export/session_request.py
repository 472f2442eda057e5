"""A report of a session or a ticket bundle, drawn as it is asked for on the command line."""

from datetime import datetime
from pathlib import Path

from errorflow.base.progress import Progress
from errorflow.graph.build import counted
from errorflow.report.bundle.contents import content_in
from errorflow.report.content import Content
from errorflow.report.html.graph import graph_picture
from errorflow.report.paper.blocks import spoken
from errorflow.report.paper.making import paper_of
from errorflow.report.render import contents
from errorflow.report.request import Request
from errorflow.report.session_files import SUFFIXES
from errorflow_viewer.export.paper.writing import write_paper
from errorflow_viewer.export.png import Plan, write_png
from errorflow_viewer.export.poster import Poster
from errorflow_viewer.kit.look import Theme
from errorflow_viewer.kit.style import font


def is_session(name: str) -> bool:
    return Path(name).suffix.lower() in SUFFIXES


def write_session(request: Request, theme: Theme, progress: Progress) -> tuple[str, str]:
    """A PDF is the whole report, a PNG the painted graph; answers the file to look at, and what is in it."""
    title = "" if request.title is None else request.title
    content, problems = content_in(Path(request.file), title, progress)
    name, said = _written(content, request, theme, progress)
    return name, "\n".join((said, *(f"! {problem}" for problem in problems)))


def _written(content: Content, request: Request, theme: Theme, progress: Progress) -> tuple[str, str]:
    path = Path(request.output)
    if request.kind == "pdf":
        pages = write_paper(spoken(paper_of(content, datetime.now(), progress)), path, progress)
        return path.name, f"{counted(len(content.graph), 'node', 'nodes')}, {counted(pages, 'page', 'pages')}"
    picture = graph_picture(content, request.theme, datetime.now(), progress)
    poster = Poster(picture, theme, font())
    plan = Plan.of(poster.width, poster.height, request.scale_for(poster.width), request.tile)
    return write_png(poster, plan, path, progress).name, contents(picture, plan.scale)
