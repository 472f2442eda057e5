"""Curves given away: as a picture, or as numbers."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from errorflow.report.curve_text import TITLES
from errorflow.study.rank.curves import Curves
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.simulation_saving import save_to
from errorflow_viewer.plots.figures import FILTERS as FILTERS
from errorflow_viewer.plots.figures import in_our_font, png

# Pixels of a picture for each of its px.
SCALE = 2


def title_of(desk: Desk, curves: Curves, key: str) -> str:
    model = desk.document.model
    name = "" if model is None else f"{model.path.name}: "
    return f"{name}{TITLES[curves.kind].lower()}, {curves.metric(key).label}"


def write_to(path: Path, desk: Desk, curves: Curves, key: str, linear: bool) -> None:
    """Writes in the background, by what its ending says."""
    from errorflow.base.files import write_atomic

    made = content(path.suffix.lower(), desk, curves, key, linear)
    save_to(desk, path, lambda target, _: write_atomic(target, made()))


def content(ending: str, desk: Desk, curves: Curves, key: str, linear: bool) -> Callable[[], str | bytes]:
    """Makes the content: of thousands of points that takes a while."""
    from errorflow.base.language.drawn import drawn as drawn_in_words
    from errorflow.report.curve_csv import curves_csv
    from errorflow.report.curve_page import curve_svg
    from errorflow.report.curve_shapes import ShownCurves

    if ending == ".csv":
        return lambda: curves_csv(curves)
    theme, title = desk.appearance.theme.name, title_of(desk, curves, key)

    def drawn() -> str | bytes:
        svg = drawn_in_words(curve_svg(ShownCurves(curves, key, linear), theme, title))
        return png(image_of(svg)) if ending == ".png" else svg

    return drawn


def image_of(svg: str) -> QImage:
    """Draws in the font of the window."""
    renderer = QSvgRenderer(QByteArray(in_our_font(svg.encode())))
    image = QImage(renderer.defaultSize() * SCALE, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    renderer.render(painter)
    painter.end()
    return image
