"""A picture as PDF: one page of its size, all lines and letters."""

from pathlib import Path

from PySide6.QtCore import QMarginsF, QSizeF
from PySide6.QtGui import QPageLayout, QPageSize, QPainter, QPdfWriter

from errorflow.errors import FileError
from errorflow.files import replacing
from errorflow.progress import SILENT, Progress
from errorflow_viewer.export.poster import Poster

# A px is 1/96 inch and a point 1/72. No page may be longer than 200 inches, or readers refuse it.
POINTS, LONGEST = 72 / 96, 14_400.0
# Dots per inch of the coordinates in the file.
_RESOLUTION = 1200


def write_pdf(poster: Poster, scale: float, path: Path, progress: Progress = SILENT) -> Path:
    """Writes the page, as large as the picture is at that scale or as a page can be."""
    progress.step(0, 0, "Painting the page")
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
        progress.step(1, 1, "Painting the page")  # a cancel meanwhile comes before the old file is replaced
    return path


def _page(width: float, height: float) -> QPageLayout:
    """A page of exactly that size in points, without margins."""
    size = QPageSize(QSizeF(width, height), QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch)
    return QPageLayout(size, QPageLayout.Orientation.Portrait, QMarginsF())
