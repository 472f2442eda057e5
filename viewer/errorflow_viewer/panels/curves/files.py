"""Curves given away: as a picture, or as numbers."""

from pathlib import Path

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from errorflow.errors import ErrorflowError
from errorflow.report.curve_text import TITLES
from errorflow.sensitivity.curves import Curves
from errorflow_viewer.banner import notice_of
from errorflow_viewer.desk import Desk
from errorflow_viewer.plots.saving import FILTERS as FILTERS
from errorflow_viewer.plots.saving import png

KEY = "curves file"
# Pixels of a picture for each of its px.
SCALE = 2


def title_of(desk: Desk, curves: Curves, key: str) -> str:
    model = desk.document.model
    name = "" if model is None else f"{model.path.name}: "
    return f"{name}{TITLES[curves.kind].lower()}, {curves.metric(key).label}"


def write_to(path: Path, desk: Desk, curves: Curves, key: str, linear: bool) -> None:
    from errorflow.files import write_atomic

    try:
        write_atomic(path, content(path.suffix.lower(), desk, curves, key, linear))
    except ErrorflowError as error:
        desk.simulating.tell(notice_of(error, KEY))
        return
    desk.say(f"{path.name} is written")


def content(ending: str, desk: Desk, curves: Curves, key: str, linear: bool) -> str | bytes:
    from errorflow.report.colors import DARK, LIGHT
    from errorflow.report.curve_csv import curves_csv
    from errorflow.report.curve_svg import curve_svg

    if ending == ".csv":
        return curves_csv(curves)
    colors = DARK if desk.appearance.theme.dark else LIGHT
    svg = curve_svg(curves, key, colors, title_of(desk, curves, key), linear=linear)
    return _png(svg) if ending == ".png" else svg


def _png(svg: str) -> bytes:
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    image = QImage(renderer.defaultSize() * SCALE, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    return png(image)
