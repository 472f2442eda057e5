"""Wherever the keyboard is, it is seen to be there; F6 goes round, and what a mouse does to panels keys do too."""

import numpy as np
import pytest
import shiboken6
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QPoint, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QMenu,
    QScrollArea,
    QTableView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from errorflow_viewer.kit.accessible.regions import FocusRing
from errorflow_viewer.kit.accessible.splitter import Divider
from errorflow_viewer.kit.settings import ThemeChoice
from errorflow_viewer.panels import PANELS
from errorflow_viewer.window.region_actions import PanelKeys, header_of, show_columns_menu
from errorflow_viewer.window.window import MainWindow
from viewer.pairs import paired
from viewer.spoken import of_use, tabbed, told

_BY_KEY = Qt.FocusReason.ShortcutFocusReason
# Pixels that change to three to one: less than a hair round the smallest thing there is.
_SEEN = 16


@pytest.fixture
def case(lent_window: MainWindow, qtbot: QtBot) -> MainWindow:
    """With a simulation, and the panels of a first start."""
    window = lent_window
    window.resize(1600, 1000)
    window.reset_layout()
    window.document.select(node=3)
    qtbot.waitUntil(lambda: not window.jobs.steps)
    return window


def awake(window: MainWindow) -> None:
    window.activateWindow()
    QCoreApplication.processEvents()
    assert window.isActiveWindow()


def luminance(image: QImage) -> NDArray[np.float64]:
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), -1, 4)[:, : plain.width(), 2::-1] / 255
    parts = np.where(rows <= 0.04045, rows / 12.92, ((rows + 0.055) / 1.055) ** 2.4)
    return np.asarray(parts @ np.array([0.2126, 0.7152, 0.0722]))


def seen_change(window: MainWindow, widget: QWidget, elsewhere: QWidget) -> int:
    """How many pixels differ by three to one when it has the keyboard; -1: it is not in sight."""
    around = widget.parentWidget()
    QCoreApplication.processEvents()  # it may not be laid out yet
    while around is not None:
        if isinstance(around, QScrollArea):
            around.ensureWidgetVisible(widget)
        around = around.parentWidget()
    levels = []
    for which in (widget, elsewhere):
        which.setFocus(_BY_KEY)
        QCoreApplication.processEvents()
        if which is widget and QApplication.focusWidget() not in (widget, widget.focusProxy()):
            return -1
        room = QRect(widget.mapTo(window, QPoint()), widget.size()).adjusted(-3, -3, 3, 3)
        image = window.grab(room).toImage()
        if image.isNull() or widget.visibleRegion().isEmpty():
            return -1
        levels.append(luminance(image))
    if levels[0].shape != levels[1].shape:
        return _SEEN
    ratio = (np.maximum(*levels) + 0.05) / (np.minimum(*levels) + 0.05)
    return int((ratio >= 3).sum())


def unseen(window: MainWindow, root: QWidget) -> list[str]:
    awake(window)
    elsewhere = QWidget(window)
    elsewhere.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    elsewhere.resize(1, 1)
    elsewhere.show()
    takers = [widget for widget in of_use(root) if tabbed(widget) and widget.isEnabled() and widget is not elsewhere]
    takers = [widget for widget in takers if not isinstance(widget.parentWidget(), QAbstractSpinBox)]
    found = [str(told(widget)) for widget in takers if 0 <= seen_change(window, widget, elsewhere) < _SEEN]
    elsewhere.setParent(None)
    elsewhere.deleteLater()
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_where_the_keyboard_is_can_be_seen(case: MainWindow, qtbot: QtBot, theme: ThemeChoice) -> None:
    case.appearance.choose(theme)
    bad = []
    for panel in PANELS:
        case.panels.hide_all()
        case.panels.show(panel.key)
        QCoreApplication.processEvents()
        bad += unseen(case, case.panels.by_key[panel.key])
    case.panels.hide_all()
    bad += unseen(case, case)
    for show in (
        case.whole_pages.turn_verdict,
        case.whole_pages.show_ticket,
        case.whole_pages.show_align,
        case.guide,
        case.compare,
    ):
        show()
        qtbot.waitUntil(lambda: not case.jobs.steps)
        page = case.stack.currentWidget()
        assert page is not None
        bad += unseen(case, page)
        case.leave_page()
    assert not bad, "\n".join(bad)


def test_f6_goes_round_the_window_and_comes_back(case: MainWindow) -> None:
    awake(case)
    case.focus_graph()
    parts = case.regions.parts()
    been = []
    for _ in parts:
        QTest.keyClick(case, Qt.Key.Key_F6)
        focus = QApplication.focusWidget()
        been.append(case.regions.part_of(focus, parts))
    assert set(been) == set(parts) and been[-1] is case.view
    QTest.keyClick(case, Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    assert case.regions.part_of(QApplication.focusWidget(), parts) is been[-2]


def test_a_part_remembers_its_place(case: MainWindow) -> None:
    awake(case)
    case.find_node()
    place = QApplication.focusWidget()
    case.focus_graph()
    been = []
    for _ in case.regions.parts():
        case.regions.step(1)
        been.append(QApplication.focusWidget())
    assert place in been


def test_a_panel_is_moved_and_sized_by_keys(case: MainWindow) -> None:
    awake(case)
    case.find_node()
    dock, keys = case.panels.by_key["nodes"], PanelKeys(case.regions)
    assert case.regions.panel is dock
    wide = dock.width()
    keys.grow(1, 0)
    QCoreApplication.processEvents()
    assert dock.width() > wide
    keys.move("bottom")
    assert case.dockWidgetArea(dock) == Qt.DockWidgetArea.BottomDockWidgetArea
    assert case.regions.panel is dock, "the keyboard went along"
    QCoreApplication.processEvents()
    keys.float()
    assert dock.isFloating()
    QCoreApplication.processEvents()
    keys.float()
    assert not dock.isFloating()
    QCoreApplication.processEvents()
    keys.hide()
    assert dock.isHidden()
    assert case.regions.panel is not dock


def texts(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions()]


def inner(menu: QMenu, text: str) -> QMenu:
    found = next(action.menu() for action in menu.actions() if action.text() == text)
    assert isinstance(found, QMenu)
    return found


def test_a_list_is_sorted_and_its_columns_sized_without_a_mouse(case: MainWindow) -> None:
    case.panels.show("matches")
    view = next(
        each for each in case.panels.by_key["matches"].findChildren(QTableView) if each.isVisible() and each.model()
    )
    header = header_of(view)
    assert header is not None
    menu = show_columns_menu(view, header)
    by = inner(menu, "&Sort by")
    by.actions()[1].trigger()
    title = header.model().headerData(header.sortIndicatorSection(), Qt.Orientation.Horizontal)
    assert title == by.actions()[1].text()
    widen = inner(menu, "&Widen").actions()
    free = [at for at in range(header.count()) if header.sectionResizeMode(at) == QHeaderView.ResizeMode.Interactive]
    before = [header.sectionSize(at) for at in free]
    if widen:
        widen[0].trigger()
        assert sum(header.sectionSize(at) for at in free) > sum(before)
    menu.close()


def test_the_command_for_columns_is_for_the_list_that_had_the_keyboard(case: MainWindow) -> None:
    awake(case)
    case.focus_graph()
    case.commands.refresh()
    assert not case.commands.made["columns"].isEnabled()
    case.show_in_list()
    case.commands.refresh()
    assert case.commands.made["columns"].isEnabled()
    case.commands.made["columns"].trigger()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu) and "&Sort by" in texts(menu) and "Choose columns…" in texts(menu)
    menu.close()


def test_a_divider_is_moved_by_arrow_keys(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    awake(window)
    divider = window.pair.splitter.handle(1)
    assert isinstance(divider, Divider)
    divider.setFocus(Qt.FocusReason.TabFocusReason)
    sizes = window.pair.splitter.sizes()
    QTest.keyClick(divider, Qt.Key.Key_Right)
    moved = window.pair.splitter.sizes()
    assert moved[0] > sizes[0]
    QTest.keyClick(divider, Qt.Key.Key_Left)
    assert window.pair.splitter.sizes()[0] < moved[0]


def test_the_ring_outlives_what_it_lay_round(window: MainWindow, qtbot: QtBot) -> None:
    awake(window)
    page, after = QScrollArea(window), QComboBox(window)
    choice = QComboBox()
    page.setWidget(choice)
    for widget in (page, choice, after):
        widget.show()
    choice.setFocus(_BY_KEY)
    assert page.findChildren(FocusRing)
    shiboken6.delete(page)
    after.setFocus(_BY_KEY)
    (ring,) = [each for each in window.findChildren(FocusRing) if each.isVisible()]
    assert ring.widget() is after
