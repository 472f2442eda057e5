"""One HTML page that shows pictures and the worst tensors; it needs no network and no script."""

import math
from collections.abc import Sequence
from html import escape

from errorflow.base.values import dataclass
from errorflow.case.session.model import Palette
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import Metric, badness
from errorflow.compare.model import Comparison, Row
from errorflow.report.scale import ColorScale, scale_of

WORST = 8
# Those that need no unit; all others stand in the tables.
SHOWN = tuple(metric for metric in METRICS if metric.key in ("cosine", "relative_l2", "sqnr"))

STYLE = """
:root { color-scheme: light; }
body { margin: 32px auto; max-width: 1120px; padding: 0 24px; color: #1B232C; background: #FFFFFF;
       font: 14px/1.5 Inter, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif; }
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 56px 0 4px; }
p { margin: 4px 0 12px; max-width: 76ch; } .muted { color: #5A6672; } a { color: #23578C; }
.picture { display: block; margin: 12px 0 16px; }
img { display: block; box-sizing: border-box; max-width: 100%; height: auto; margin: 0 auto;
      border: 1px solid #DCE1E7; border-radius: 4px; }
.pair { display: flex; gap: 40px; align-items: flex-start; flex-wrap: wrap; }
.pair > .words { flex: 1 1 300px; } .pair > .numbers { flex: 0 1 auto; overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; } th { text-align: right; font-weight: 600; }
td, th { padding: 3px 12px 3px 0; border-bottom: 1px solid #E8EDF2; white-space: nowrap; }
td { text-align: right; } td:first-child, th:first-child { text-align: left; }
.mark { display: inline-block; width: 10px; height: 10px; border: 1px solid #93A1AF; border-radius: 2px;
        margin-right: 8px; }
"""


@dataclass(frozen=True, slots=True)
class Chapter:
    """One model on the page: words, a picture, its tables."""

    title: str
    story: str
    lines: Sequence[str]
    picture: str
    tables: Sequence[str]
    comparison: Comparison
    metric: Metric
    # That of the picture.
    palette: Palette = "ember"


def html_page(title: str, introduction: str, chapters: Sequence[Chapter]) -> str:
    body = "\n".join(_chapter(chapter) for chapter in chapters)
    return (
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width'>"
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>\n"
        f"<h1>{escape(title)}</h1><p class='muted'>{escape(introduction)}</p>\n{body}\n</body></html>\n"
    )


def _chapter(chapter: Chapter) -> str:
    links = " · ".join(f"<a href='{escape(name)}'>{escape(name)}</a>" for name in chapter.tables)
    lines = "".join(f"<p>{escape(line)}</p>" for line in chapter.lines)
    picture = escape(chapter.picture)
    return (
        f"<h2>{escape(chapter.title)}</h2><p>{escape(chapter.story)}</p>\n"
        f"<a class='picture' href='{picture}'><img src='{picture}' "
        f"alt='The graph of {escape(chapter.title)}, painted by error'></a>\n"
        f"<div class='pair'><div class='words'>{lines}</div>"
        f"<div class='numbers'>{_table(chapter)}<p class='muted'>{links}</p></div></div>"
    )


def _table(chapter: Chapter) -> str:
    worst = sorted((row for row in chapter.comparison.rows if row.values), key=lambda row: _rank(row, chapter.metric))
    head = "".join(f"<th title='{escape(metric.formula)}'>{escape(metric.label)}</th>" for metric in SHOWN)
    scale = scale_of(chapter.palette, dark=False)  # the page is light in every theme
    rows = "".join(_row(row, chapter.metric, scale) for row in worst[:WORST])
    return f"<table><tr><th>Worst tensors, accumulated</th>{head}</tr>{rows}</table>"


def _rank(row: Row, metric: Metric) -> float:
    """Worst first; what cannot be put into a number is worst of all."""
    value = row.values[metric.key]
    return -math.inf if math.isnan(value) else value if metric.higher_is_better else -value


def _row(row: Row, painted: Metric, scale: ColorScale) -> str:
    color = scale.hex(badness(painted, row.values[painted.key]))
    cells = "".join(f"<td>{escape(metric.text(row.values[metric.key]))}</td>" for metric in SHOWN)
    return f"<tr><td><span class='mark' style='background:{color}'></span>{escape(row.tensor)}</td>{cells}</tr>"
