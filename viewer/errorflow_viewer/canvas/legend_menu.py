"""What a legend has no room for, as a menu."""

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QMenu, QWidget

from errorflow.report.legend import HIGH, SWATCH
from errorflow.report.legend_entries import Entry
from errorflow_viewer.canvas.legend import paint_swatch
from errorflow_viewer.canvas.sheet import Style

# Logical px of a sign in the menu.
_SIDE = 16


def rest_menu(parent: QWidget, rest: Iterable[Entry], style: Style, find: Callable[[str], None]) -> QMenu:
    """Chosen, an entry finds what it explains; what nothing finds is explained only."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for entry in rest:
        action = menu.addAction(_icon(entry, style, parent.devicePixelRatioF()), entry.text.replace("&", "&&"))
        action.setEnabled(bool(entry.query))
        action.triggered.connect(partial(_find, find, entry.query))
    return menu


def _find(find: Callable[[str], None], query: str, _checked: bool = False) -> None:
    find(query)


def _icon(entry: Entry, style: Style, ratio: float) -> QIcon:
    picture = QPixmap(QSize(_SIDE, _SIDE) * ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    try:
        corner = QPointF((_SIDE - SWATCH) / 2, (_SIDE - HIGH) / 2) * ratio
        paint_swatch(painter, entry, corner, style, ratio)
    finally:
        painter.end()
    picture.setDevicePixelRatio(ratio)
    return QIcon(picture)
