"""What is done to a table with a mouse on its header, as a menu: sort, widen, narrow, choose columns."""

from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView, QTreeView, QWidget

# Logical px for each press; no column becomes narrower than the least.
STEP, LEAST = 24, 24
_Order = Qt.SortOrder
_LABEL = Qt.ItemDataRole.DisplayRole


def header_of(widget: QWidget | None) -> QHeaderView | None:
    """The header of the list that has the keyboard; None: there is none to be seen."""
    if isinstance(widget, QTableView):
        header = widget.horizontalHeader()
    elif isinstance(widget, QTreeView):
        header = widget.header()
    else:
        return None
    return header if header.isVisible() and header.count() else None


def show_columns_menu(view: QAbstractItemView, header: QHeaderView) -> QMenu:
    """Below the header, where a mouse would have been."""
    menu = QMenu(view)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    _add_sorting(menu, view, header)
    _add_widths(menu, header)
    if header.contextMenuPolicy() == Qt.ContextMenuPolicy.CustomContextMenu:
        menu.addSeparator()
        spot = QPoint(0, header.height())
        menu.addAction("Choose columns…", lambda: header.customContextMenuRequested.emit(spot))
    menu.popup(header.mapToGlobal(QPoint(0, header.height())))
    return menu


def _shown(header: QHeaderView) -> list[tuple[int, str]]:
    """The columns from left to right, each with its title."""
    columns = (header.logicalIndex(place) for place in range(header.count()))
    titles = ((at, header.model().headerData(at, header.orientation(), _LABEL)) for at in columns)
    return [(at, str(title)) for at, title in titles if title and not header.isSectionHidden(at)]


def _add_sorting(menu: QMenu, view: QAbstractItemView, header: QHeaderView) -> None:
    if not (isinstance(view, QTableView | QTreeView) and view.isSortingEnabled() and header.sectionsClickable()):
        return
    inner = menu.addMenu("&Sort by")
    now, order = header.sortIndicatorSection(), header.sortIndicatorOrder()
    for column, title in _shown(header):
        action = inner.addAction(title.replace("&", "&&"), partial(_sort, header, column))
        action.setCheckable(True)
        action.setChecked(column == now)
    inner.addSeparator()
    turned = _Order.AscendingOrder if order == _Order.DescendingOrder else _Order.DescendingOrder
    inner.addAction("&The other way round", partial(header.setSortIndicator, now, turned)).setEnabled(now >= 0)
    if header.isSortIndicatorClearable():
        first = partial(header.setSortIndicator, -1, _Order.AscendingOrder)
        inner.addAction("&As they come", first).setEnabled(now >= 0)


def _sort(header: QHeaderView, column: int, _checked: bool = False) -> None:
    """First the way round that a click on it gives."""
    wish = header.model().headerData(column, header.orientation(), Qt.ItemDataRole.InitialSortOrderRole)
    header.setSortIndicator(column, wish if isinstance(wish, _Order) else _Order.AscendingOrder)


def _add_widths(menu: QMenu, header: QHeaderView) -> None:
    free = [(at, title) for at, title in _shown(header) if _can_change(header, at)]
    for text, by in (("&Widen", STEP), ("&Narrow", -STEP), ("&Fit to its contents", 0)):
        inner = menu.addMenu(text)
        inner.setEnabled(bool(free))
        for column, title in free:
            inner.addAction(title.replace("&", "&&"), partial(_resize, header, column, by))


def _can_change(header: QHeaderView, column: int) -> bool:
    return header.sectionResizeMode(column) == QHeaderView.ResizeMode.Interactive


def _resize(header: QHeaderView, column: int, by: int, _checked: bool = False) -> None:
    if by:
        header.resizeSection(column, max(header.sectionSize(column) + by, LEAST))
        return
    view = header.parentWidget()
    if isinstance(view, QTableView | QTreeView):
        view.resizeColumnToContents(column)
