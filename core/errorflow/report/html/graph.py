"""The graph of a report: all of it where a browser can show that, else as far open as it can be read."""

from datetime import datetime

import numpy as np

from errorflow.base.progress import SILENT, Progress
from errorflow.layout.drawing import Drawing
from errorflow.layout.prepare import prepare
from errorflow.quant.wished import Wished
from errorflow.report.box_marks import with_kept
from errorflow.report.caption import CaptionFacts, caption
from errorflow.report.colors import THEMES, ThemeName
from errorflow.report.content import Content
from errorflow.report.findings_paint import FindingsPaint
from errorflow.report.html.themed import Themed, themed
from errorflow.report.notes import drawing_note
from errorflow.report.paint import Paint
from errorflow.report.svg import Picture, svg

# Of nodes: more than that make the file larger than a ticket takes.
ALL_OPEN = 4_000
# Of a drawing in columns: width to height.
_ASPECT = 1.8


def graph_drawing(case: Content, progress: Progress = SILENT) -> Themed:
    drawing, paint = _draw(case, progress)
    light, dark = (_drawn(case, drawing, paint, theme, progress) for theme in ("light", "dark"))
    return themed(_scoped(light), _scoped(dark), "g")


def graph_picture(case: Content, theme: ThemeName, now: datetime, progress: Progress = SILENT) -> Picture:
    """The same as a picture that stands alone: with title, legend, what was compared, date and versions."""
    drawing, paint = _draw(case, progress)
    told = caption(CaptionFacts(case.compared, case.facts), now)
    return Picture(
        drawing, case.graph, case.title, drawing_note(case.graph, drawing), THEMES[theme], paint, caption=told
    )


def _draw(case: Content, progress: Progress) -> tuple[Drawing, Paint | None]:
    prepared = prepare(case.graph, progress=progress)
    outline = prepared.outline
    groups = outline.everything if len(case.graph) <= ALL_OPEN else outline.at_first()
    drawing = prepared.draw(groups, "columns", _ASPECT, progress)
    return drawing, _paint(case, drawing)


def _scoped(drawing: str) -> str:
    """Scopes a drawing's style sheet: it is about nothing else on the page."""
    head, _, rest = drawing.partition("<style>")
    style, _, tail = rest.partition("</style>")
    rules = "\n".join(f"#view {rule}" if rule else rule for rule in style.split("\n"))
    return f"{head}<style>{rules}</style>{tail}"


def _paint(case: Content, drawing: Drawing) -> Paint | None:
    if case.findings is None:
        return None
    boxes = np.asarray(drawing.node_boxes)
    paint = FindingsPaint(drawing, case.findings, boxes).by(case.painting)
    if paint is None or case.plan is None:
        return paint
    wished = Wished(case.graph, case.plan)
    return with_kept(paint, wished.kept, boxes, wished.told)


def _drawn(case: Content, drawing: Drawing, paint: Paint | None, theme: ThemeName, progress: Progress) -> str:
    return "".join(svg(Picture(drawing, case.graph, colors=THEMES[theme], paint=paint), progress))
