"""A picture as PDF: one page of its size, all lines and letters."""

import os
from pathlib import Path

from PySide6.QtCore import QMarginsF, QSizeF
from PySide6.QtGui import QPageLayout, QPageSize, QPainter, QPdfWriter
from PySide6.QtWidgets import QApplication

from errorflow.base import SILENT, FileError, Progress
from errorflow.base.files import replacing
from errorflow.base.workers import Plain, run_apart
from errorflow.report.svg import Picture
from errorflow_viewer.export.packing import packed, unpacked
from errorflow_viewer.export.poster import Poster
from errorflow_viewer.kit.look import Theme
from errorflow_viewer.kit.style import Appearance, font

# A px is 1/96 inch and a point 1/72. No page may be longer than 200 inches, or readers refuse it.
POINTS, LONGEST = 72 / 96, 14_400.0
# Dots per inch of the coordinates in the file.
_RESOLUTION = 1200


def write_pdf(poster: Poster, scale: float, path: Path) -> None:
    """Writes the page, as large as the picture is at that scale or as a page can be."""
    points = min(scale * POINTS, LONGEST / max(poster.width, poster.height))
    with replacing(path) as beside:
        beside.touch()  # says why where it cannot be written; Qt would not
        writer = QPdfWriter(str(beside))
        writer.setTitle(poster.picture.frame.title)
        writer.setCreator("Errorflow")
        writer.setResolution(_RESOLUTION)
        writer.setPageLayout(_page(poster.width * points, poster.height * points))
        painter = QPainter()
        if not painter.begin(writer):
            raise FileError("The page could not be written.", "Choose another folder or free some space.")
        try:
            painter.scale(points * _RESOLUTION / 72, points * _RESOLUTION / 72)
            poster.paint_shapes(painter)
        finally:
            painter.end()


def write_pdf_apart(picture: Picture, theme: Theme, path: Path, progress: Progress = SILENT) -> None:
    """The same in a process of its own: Qt ends a page in one go, for which a window would have to wait."""
    with replacing(path) as beside:
        run_apart(_paint, packed(picture), theme.name, str(beside), text="Painting the page", progress=progress)


def _paint(picture: list[Plain], theme: str, path: str) -> None:
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    app = QApplication(["errorflow"])
    write_pdf(Poster(unpacked(picture), Appearance(app, theme).theme, font()), 1.0, Path(path))


def _page(width: float, height: float) -> QPageLayout:
    """A page of exactly that size in points, without margins."""
    size = QPageSize(QSizeF(width, height), QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch)
    return QPageLayout(size, QPageLayout.Orientation.Portrait, QMarginsF())
