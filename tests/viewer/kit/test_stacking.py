"""What lies over a window stays there."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QFrame, QLabel, QMainWindow, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from errorflow_viewer.kit.drop import DropOverlay
from errorflow_viewer.kit.look import LIGHT
from errorflow_viewer.kit.stacking import StaysAbove
from errorflow_viewer.window.tour.coach import Coach, TourRing


class Home(QMainWindow):
    """A middle, two panels behind each other on the left and one alone on the right."""

    def __init__(self) -> None:
        super().__init__()
        self.middle = QLabel("middle")
        self.setCentralWidget(self.middle)
        self.first, self.second, self.alone = (self._panel(name) for name in ("first", "second", "alone"))
        self.tabifyDockWidget(self.first, self.second)
        self.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, self.alone)

    def _panel(self, name: str) -> QDockWidget:
        dock = QDockWidget(name)
        dock.setWidget(QLabel(name))
        self.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
        return dock

    def stacked(self) -> list[QWidget]:
        return [child for child in self.children() if isinstance(child, QWidget)]

    def topmost(self) -> QWidget:
        return [child for child in self.stacked() if not child.isHidden()][-1]


@pytest.fixture
def home(qtbot: QtBot) -> Iterator[Home]:
    window = Home()
    qtbot.addWidget(window)
    window.resize(400, 300)
    window.show()
    qtbot.waitExposed(window)
    yield window
    window.hide()


def layer(home: Home) -> QFrame:
    frame = QFrame(home)
    StaysAbove(frame)
    frame.show()
    frame.raise_()
    return frame


def settle() -> None:
    """All that waits, but not what is painted."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.MetaCall.value)


def test_the_middle_does_not_come_over_it_with_a_tab(home: Home) -> None:
    over = layer(home)
    home.first.raise_()
    assert home.topmost() is not over  # what Qt does, which is why all this is
    settle()
    assert home.topmost() is over


def test_a_panel_that_is_raised_comes_before_its_tabs_and_not_over_it(home: Home) -> None:
    over = layer(home)
    home.first.raise_()
    home.alone.raise_()
    settle()
    bar = next(bar for bar in home.findChildren(QTabBar) if bar.count() == 2)
    assert (home.topmost(), bar.tabText(bar.currentIndex())) == (over, "first")


def test_what_is_made_later_does_not_come_over_it(home: Home) -> None:
    over = layer(home)
    late = QLabel("late", home)
    late.show()
    QApplication.processEvents()
    assert home.topmost() is over
    late.raise_()
    settle()
    assert home.topmost() is over


def test_two_of_them_lie_as_they_were_laid(home: Home) -> None:
    first, second = layer(home), layer(home)
    home.first.raise_()
    settle()
    assert home.topmost() is second
    first.raise_()
    settle()
    assert home.topmost() is first
    home.second.raise_()
    settle()
    assert home.topmost() is first


def test_one_that_is_hidden_leaves_the_window_alone(home: Home) -> None:
    over = layer(home)
    over.hide()
    home.first.raise_()
    settle()
    assert home.stacked().index(over) < home.stacked().index(home.middle)
    over.show()
    home.second.raise_()
    settle()
    assert home.topmost() is over


@pytest.mark.parametrize("kind", [Coach, TourRing, DropOverlay])
def test_all_that_lies_over_the_window_does(home: Home, kind: type[Coach | TourRing | DropOverlay]) -> None:
    over = kind(home, LIGHT)
    over.show()
    over.raise_()
    home.first.raise_()
    settle()
    assert home.topmost() is over
