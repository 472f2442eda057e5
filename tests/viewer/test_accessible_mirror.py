"""A row that the keyboard only came to is chosen by a click or a key on it, and no list chooses one by itself."""

import pytest
from PySide6.QtCore import QCoreApplication, QModelIndex, QPoint, Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from errorflow_viewer.kit.accessible.keyboard import Mirror, give

Key, Reason = Qt.Key, Qt.FocusReason
ROWS = 3


class Page(QWidget):
    """A field, a list below it, and the rows that the list told of."""

    def __init__(self) -> None:
        super().__init__()
        self.field, self.view = QLineEdit(), Mirror()
        self.rows = QStandardItemModel(ROWS, 2, self)
        self.told: list[int] = []
        self.view.setModel(self.rows)
        self.view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.view.setTabKeyNavigation(False)
        box = QVBoxLayout(self)
        box.addWidget(self.field)
        box.addWidget(self.view)
        self.view.selectionModel().currentRowChanged.connect(self.hear)
        self.view.asked_again.connect(self.hear)

    def hear(self, index: QModelIndex) -> None:
        self.told.append(index.row())

    def spot(self, row: int) -> QPoint:
        return self.view.visualRect(self.rows.index(row, 0)).center()

    def click(self, row: int, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.mouseClick(self.view.viewport(), Qt.MouseButton.LeftButton, keys, self.spot(row))

    @property
    def selected(self) -> list[int]:
        return [index.row() for index in self.view.selectionModel().selectedRows()]


@pytest.fixture
def page(qtbot: QtBot) -> Page:
    page = Page()
    qtbot.addWidget(page)
    page.show()
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    page.field.setFocus()
    return page


def come(page: Page, reason: Qt.FocusReason = Reason.TabFocusReason) -> None:
    page.view.setFocus(reason)
    QCoreApplication.processEvents()


@pytest.mark.parametrize("key", [Key.Key_Space, Key.Key_Return, Key.Key_Home, Key.Key_Up, Key.Key_Right])
def test_a_key_on_the_row_that_tab_came_to_chooses_it(page: Page, key: Qt.Key) -> None:
    come(page)
    assert (page.view.currentIndex().row(), page.told, page.selected) == (0, [], [])
    QTest.keyClick(page.view, key)
    assert (page.told, page.selected) == ([0], [0])


def test_a_click_on_it_chooses_it_and_one_elsewhere_goes_there(page: Page) -> None:
    come(page)
    page.click(0)
    assert (page.told, page.selected) == ([0], [0])
    page.click(2)
    assert (page.told, page.selected) == ([0, 2], [2])


def test_down_goes_on_from_it(page: Page) -> None:
    come(page)
    QTest.keyClick(page.view, Key.Key_Down)
    assert (page.told, page.selected) == ([1], [1])


def test_the_only_row_is_chosen_by_down(page: Page) -> None:
    page.rows.setRowCount(1)
    come(page)
    QTest.keyClick(page.view, Key.Key_Down)
    assert page.told == [0]


def test_what_a_click_takes_back_is_not_chosen_again(page: Page) -> None:
    page.click(1)
    page.click(1, Qt.KeyboardModifier.ControlModifier)
    assert (page.told, page.selected) == ([1], [])


def test_space_is_about_what_is_selected_where_something_is(page: Page) -> None:
    page.click(0)
    page.click(1, Qt.KeyboardModifier.ControlModifier)
    page.told.clear()
    QTest.keyClick(page.view, Key.Key_Return)
    assert (page.told, page.selected) == ([], [0, 1])


def test_other_rows_do_not_make_the_list_choose_one(page: Page) -> None:
    page.rows.beginResetModel()
    page.rows.endResetModel()
    come(page)
    assert (page.told, page.selected) == ([], [])
    assert page.view.currentIndex().row() == 0  # come to, for readers


@pytest.mark.parametrize("reason", [Reason.TabFocusReason, Reason.BacktabFocusReason, Reason.ShortcutFocusReason])
def test_keys_come_to_a_row(page: Page, reason: Qt.FocusReason) -> None:
    come(page, reason)
    assert page.view.currentIndex().row() == 0


@pytest.mark.parametrize("reason", [Reason.ActiveWindowFocusReason, Reason.PopupFocusReason, Reason.MouseFocusReason])
def test_a_window_that_comes_to_the_front_stays_as_it_was(page: Page, reason: Qt.FocusReason) -> None:
    come(page, reason)
    assert page.view.hasFocus() and not page.view.currentIndex().isValid()


def test_a_key_that_leads_to_a_list_in_another_window_comes_to_a_row(page: Page, qtbot: QtBot) -> None:
    other = QWidget()
    qtbot.addWidget(other)
    other.show()
    other.activateWindow()
    qtbot.waitUntil(other.isActiveWindow)
    give(page.view)
    qtbot.waitUntil(page.view.hasFocus)
    assert page.view.currentIndex().row() == 0
