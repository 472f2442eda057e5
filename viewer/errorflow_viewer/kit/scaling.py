"""The size of text, and of all that is as high as text is: everywhere at once, also of what is open.

Code gives sizes as they are at 100 %. Those of fonts and of the style sheet go through `px`; those of widgets are made
to fit when a widget is dressed. A widget that reckons its own sizes from its font says so by the property OWN_SIZE.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import cast

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QAbstractButton, QApplication, QDockWidget, QHeaderView, QProxyStyle, QToolBar, QWidget

OWN_SIZE = "ownSize"
# Of what is fixed in width, and whose text wraps: it grows as little as a least width does.
GROWS_LESS = "growsLess"
# What a widget was given at 100 %, and what was made of it.
_KEPT, _ROOM, _FONT = "sizeKept", "sizeOfPanel", "sizeOfFont"
# By these properties Qt knows which sizes of a widget its style sheet has given, in the order of `_given`.
_BY_SHEET = ("_q_stylesheet_minw", "_q_stylesheet_maxw", "_q_stylesheet_minh", "_q_stylesheet_maxh", "", "")
# Kinds of widgets for which a desktop may have a font of its own.
_KINDS = (
    *("QMenu", "QMenuBar", "QMessageBox", "QLabel", "QTipLabel", "QStatusBar", "QDockWidgetTitle", "QPushButton"),
    *("QCheckBox", "QRadioButton", "QToolButton", "QAbstractItemView", "QListView", "QHeaderView", "QTitleBar"),
    *("QMdiSubWindowTitleBar", "QComboMenuItem", "QComboLineEdit", "QSmallFont", "QMiniFont"),
)
# Qt's largest size: no limit.
_ANY = (1 << 24) - 1
# How much less may be left than text grows, so that panels still fit beside each other.
_LEAST_GROWS, _PANEL_GROWS = 1.25, 1.5
# Of a panel, px.
_LOW = 72
Sizes = tuple[int, ...]


class _Size:
    """The factor in force; one per application, as its style is."""

    factor = 1.0
    # All fit already, or will be made to when all are dressed.
    waits = False


def factor() -> float:
    return _Size.factor


def px(size: float) -> int:
    """Converts pixels at 100 % to pixels now."""
    return max(1, round(size * _Size.factor)) if size > 0 else round(size)


def fixed_font(size: float) -> QFont:
    """The system's, whose letters all have one width, so large at 100 %."""
    found = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    found.setPixelSize(px(size))
    return found


class Scaled(QProxyStyle):
    """Fusion, with the sizes of widgets that are given in pixels grown as text is."""

    def __init__(self) -> None:
        super().__init__("Fusion")

    def polish(self, what: QWidget | QApplication | QPalette) -> None:  # type: ignore[override]  # all three are it
        super().polish(what)
        if isinstance(what, QWidget) and not _Size.waits:
            fit(what)


def scale(app: QApplication, percent: int) -> bool:
    """Whether it is another size now. Fonts and style sheet of the application, and `fit_all`, are for the caller; a
    style sheet hides the style from us, and is taken off before."""
    before, _Size.factor = _Size.factor, percent / 100
    if before == _Size.factor:
        return False
    if not isinstance(app.style(), Scaled):
        app.setStyle(Scaled())
    return True


@contextmanager
def all_at_once() -> Iterator[None]:
    """While all widgets are dressed anew, and some of them more than once: their sizes stay as they are."""
    _Size.waits = True
    try:
        yield
    finally:
        _Size.waits = False


def fit_all(app: QApplication) -> None:
    """Fits what is there already; what is made later fits when it is dressed."""
    for widget in app.allWidgets():
        fit(widget)


def one_font(app: QApplication, wanted: QFont) -> None:
    """Sets one font for all kinds of widgets: those that the desktop has for some come back with every style sheet."""
    for kind in _KINDS:
        if app.font(kind) != wanted:  # type: ignore[call-overload]  # PySide takes no bytes here
            app.setFont(wanted, kind)  # type: ignore[arg-type]  # likewise


def own_fonts(app: QApplication) -> dict[QWidget, int]:
    """The widgets with a font of their own, and its size."""
    own = (widget for widget in app.allWidgets() if widget.testAttribute(Qt.WidgetAttribute.WA_SetFont))
    return {widget: widget.font().pixelSize() for widget in own if widget.font().pixelSize() > 0}


def grow_fonts(sizes: dict[QWidget, int], before: float) -> None:
    """Grows the fonts that the style sheet, which has just been made anew, has not: it has sizes of its own."""
    for widget, size in sizes.items():
        found, kept = widget.font(), widget.property(_FONT)
        if kept is None and found.pixelSize() != size:
            continue
        base = size / before if kept is None else float(kept)
        widget.setProperty(_FONT, base)
        found.setPixelSize(round(base * _Size.factor))
        widget.setFont(found)


def fit(widget: QWidget) -> None:
    """Makes the sizes that it was given in pixels fit to the text."""
    if (room := widget.property(_ROOM)) is not None:
        _leave_room(widget, int(room))
        return
    # Of a window or a dock, its layout says the least.
    if widget.property(OWN_SIZE) or widget.isWindow() or isinstance(widget, QDockWidget):
        return
    now = _given(widget)
    base, made = cast(tuple[Sizes, Sizes], widget.property(_KEPT)) if widget.property(_KEPT) else (now, now)
    # What was set since is meant as at 100 %.
    base = tuple(old if size == grown else size for old, size, grown in zip(base, now, made, strict=True))
    if widget.property(_KEPT) is None and _Size.factor == 1.0:
        return
    less = bool(widget.property(GROWS_LESS))
    wanted = tuple(
        old if name and widget.property(name) is not None else new for name, old, new in _of_sheet(base, now, less)
    )
    if wanted != now:
        _take(widget, wanted)
    widget.setProperty(_KEPT, (base, _given(widget)))  # a header may have a least of its own


def _of_sheet(base: Sizes, now: Sizes, less: bool) -> Iterator[tuple[str, int, int]]:
    """Yields what Qt marks as said by the style sheet, which has grown it already; then the size as it is, and
    grown.
    """
    return zip(_BY_SHEET, now, _grown(base, less), strict=True)


def keep_width(widget: QWidget, width: int) -> None:
    """Keeps the least width of a panel at 100 %. Where text is large, it may be lower than what its content needs:
    else a window would grow beyond its screen.
    """
    widget.setProperty(_ROOM, width)
    _leave_room(widget, width)


def _leave_room(widget: QWidget, width: int) -> None:
    widget.setMinimumWidth(round(width * min(_Size.factor, _PANEL_GROWS)))
    widget.setMinimumHeight(round(_LOW * min(_Size.factor, _PANEL_GROWS)) if _Size.factor > 1 else 0)


def _given(widget: QWidget) -> Sizes:
    """Least and greatest width and height, then what only some have."""
    least, most = widget.minimumSize(), widget.maximumSize()
    return (least.width(), most.width(), least.height(), most.height(), _icon(widget), _row(widget))


def _icon(widget: QWidget) -> int:
    """0: it has none, or as a button of a toolbar that of the toolbar, which is grown already."""
    if isinstance(widget.parentWidget(), QToolBar):
        return 0
    return widget.iconSize().width() if isinstance(widget, QAbstractButton | QToolBar) else 0


def _row(widget: QWidget) -> int:
    is_rows = isinstance(widget, QHeaderView) and widget.orientation() == Qt.Orientation.Vertical
    return widget.defaultSectionSize() if is_rows else 0  # type: ignore[attr-defined]  # it is a header then


def _grown(base: Sequence[int], less: bool) -> Sizes:
    wide, widest, high, highest, icon, row = base
    is_fixed = wide == widest and not less
    # A line of one pixel stays one.
    least = px(wide) if is_fixed and wide > 1 else round(wide * min(_Size.factor, _LEAST_GROWS)) if wide > 1 else wide
    most = least if less and wide == widest else max(_within(widest), least)
    return (least, most, _within(high), _within(highest), px(icon), px(row))


def _within(size: int) -> int:
    return size if size <= 1 or size >= _ANY else min(px(size), _ANY)


def _take(widget: QWidget, sizes: Sizes) -> None:
    wide, widest, high, highest, icon, row = sizes
    widget.setMinimumSize(wide, high)
    widget.setMaximumSize(widest, highest)
    if icon and isinstance(widget, QAbstractButton | QToolBar):
        widget.setIconSize(QSize(icon, icon))
    if isinstance(widget, QHeaderView) and row:
        widget.setDefaultSectionSize(row)
