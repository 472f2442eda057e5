"""The graph of a report: all of it where a browser can show that, else as far open as it can be read."""

import numpy as np

from errorflow.layout.drawing import Drawing
from errorflow.layout.prepare import prepare
from errorflow.progress import SILENT, Progress
from errorflow.report.colors import THEMES, ThemeName
from errorflow.report.findings_paint import FindingsPaint
from errorflow.report.html.case import Case
from errorflow.report.html.themed import Themed, themed
from errorflow.report.paint import Paint
from errorflow.report.svg import Picture, svg

# Of nodes: more than that make the file larger than a ticket takes.
ALL_OPEN = 4_000
# Of a drawing in columns: width to height.
_ASPECT = 1.8


def graph_drawing(case: Case, progress: Progress = SILENT) -> Themed:
    prepared = prepare(case.graph, progress=progress)
    outline = prepared.outline
    groups = outline.everything if len(case.graph) <= ALL_OPEN else outline.at_first()
    drawing = prepared.draw(groups, "columns", _ASPECT, progress)
    paint = _paint(case, drawing)
    light, dark = (_drawn(case, drawing, paint, theme, progress) for theme in ("light", "dark"))
    return themed(_scoped(light), _scoped(dark), "g")


def _scoped(drawing: str) -> str:
    """Its style sheet is about nothing else on the page."""
    head, _, rest = drawing.partition("<style>")
    style, _, tail = rest.partition("</style>")
    rules = "\n".join(f"#view {rule}" if rule else rule for rule in style.split("\n"))
    return f"{head}<style>{rules}</style>{tail}"


def _paint(case: Case, drawing: Drawing) -> Paint | None:
    if case.findings is None:
        return None
    return FindingsPaint(drawing, case.findings, np.asarray(drawing.node_boxes)).by(case.painting)


def _drawn(case: Case, drawing: Drawing, paint: Paint | None, theme: ThemeName, progress: Progress) -> str:
    return "".join(svg(Picture(drawing, case.graph, colors=THEMES[theme], paint=paint), progress))
