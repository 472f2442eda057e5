"""What a legend has no room for, as a menu."""

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QMenu, QWidget

from errorflow.report.legend_entries import Entry
from errorflow_viewer.canvas.colors import CanvasColors
from errorflow_viewer.canvas.legend_places import HIGH, SWATCH
from errorflow_viewer.canvas.swatches import paint_swatch

# Logical px of a sign in the menu.
_SIDE = 16


def rest_menu(parent: QWidget, rest: Iterable[Entry], colors: CanvasColors, find: Callable[[str], None]) -> QMenu:
    """Chosen, an entry finds what it explains; what nothing finds is explained only."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for entry in rest:
        action = menu.addAction(_icon(entry, colors, parent.devicePixelRatioF()), entry.text.replace("&", "&&"))
        action.setEnabled(bool(entry.query))
        action.triggered.connect(partial(_find, find, entry.query))
    return menu


def _find(find: Callable[[str], None], query: str, _checked: bool = False) -> None:
    find(query)


def _icon(entry: Entry, colors: CanvasColors, ratio: float) -> QIcon:
    picture = QPixmap(QSize(_SIDE, _SIDE) * ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    try:
        spot = QRectF((_SIDE - SWATCH) / 2 * ratio, (_SIDE - HIGH) / 2 * ratio, SWATCH * ratio, HIGH * ratio)
        paint_swatch(painter, entry, spot, colors, ratio)
    finally:
        painter.end()
    picture.setDevicePixelRatio(ratio)
    return QIcon(picture)
