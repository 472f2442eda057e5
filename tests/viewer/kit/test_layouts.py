"""Layouts of our own, which remember what they found as long as it holds."""

from collections.abc import Callable, Iterator

import pytest
import shiboken6
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QGridLayout,
    QHBoxLayout,
    QLayout,
    QLayoutItem,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from errorflow_viewer.kit.layouts import Items, empty, flowing
from errorflow_viewer.pages.verdict.page import ChapterColumns
from errorflow_viewer.window.docks import DockTitle


def in_columns(*widgets: QWidget) -> ChapterColumns:
    found = ChapterColumns(60, 3, 4)
    for widget in widgets:
        found.addWidget(widget)
    return found


@pytest.fixture(params=[lambda *widgets: flowing(4, *widgets), in_columns], ids=["flow", "columns"])
def make(request: pytest.FixtureRequest) -> Callable[..., Items]:
    found: Callable[..., Items] = request.param
    return found


@pytest.fixture
def buttons(make: Callable[..., Items], qtbot: QtBot) -> Iterator[list[QPushButton]]:
    """Three in a layout whose sizes were asked for already."""
    inside = QWidget()
    qtbot.addWidget(inside)
    found = [QPushButton(text) for text in ("one", "two", "three")]
    layout = make(*found)
    inside.setLayout(layout)
    inside.show()
    sizes(layout)
    yield found


def layout_of(button: QPushButton) -> Items:
    inside = button.parentWidget()
    layout = None if inside is None else inside.layout()
    assert isinstance(layout, Items)
    return layout


def sizes(layout: Items) -> tuple[int, int, int]:
    return layout.minimumSize().width(), layout.heightForWidth(120), layout.heightForWidth(2000)


def grow_high(button: QPushButton) -> None:
    button.setMinimumHeight(200)


def grow_by_its_letters(button: QPushButton) -> None:
    button.setStyleSheet("font-size: 60pt")


@pytest.mark.parametrize("change", [grow_high, grow_by_its_letters])
def test_what_an_item_asks_for_now_counts(buttons: list[QPushButton], change: Callable[[QPushButton], None]) -> None:
    layout = layout_of(buttons[1])
    before = sizes(layout)
    change(buttons[1])
    after = sizes(layout)
    assert after != before
    layout.invalidate()
    assert after == sizes(layout)


def test_what_is_taken_out_asks_for_nothing(buttons: list[QPushButton]) -> None:
    layout = layout_of(buttons[0])
    before = layout.heightForWidth(120)
    for button in buttons[1:]:
        layout.removeWidget(button)
        button.hide()
    assert layout.heightForWidth(120) < before


@pytest.fixture
def title(qtbot: QtBot) -> Iterator[DockTitle]:
    dock = QDockWidget()
    qtbot.addWidget(dock)
    title = DockTitle(dock, "Nodes")
    dock.setTitleBarWidget(title)
    dock.show()
    yield title


def test_a_title_asks_for_the_buttons_that_are_shown(title: DockTitle) -> None:
    alone = title.sizeHint().width()
    button = QPushButton("Fold all")
    title.add([button])
    button.show()
    both = title.sizeHint().width()
    button.setText("Fold all of them")
    longer = title.sizeHint().width()
    button.hide()
    assert alone < both < longer and title.sizeHint().width() == alone


def held_by(layout: QLayout) -> list[QLayoutItem]:
    found = [layout.itemAt(place) for place in range(layout.count())]
    return [item for item in found if item is not None]


def test_a_layout_that_goes_takes_what_it_holds_with_it(make: Callable[..., Items], qapp: QApplication) -> None:
    inside, layout = QWidget(), make(QPushButton("one"), QPushButton("two"))
    inside.setLayout(layout)
    items = held_by(layout)
    shiboken6.delete(inside)
    assert len(items) == 2 and not any(map(shiboken6.isValid, items))


def test_a_layout_within_goes_once(make: Callable[..., Items], qapp: QApplication) -> None:
    outside, layout, within = QWidget(), make(QPushButton("one")), QHBoxLayout()
    within.addWidget(QPushButton("two"))
    layout.addItem(within)
    outside.setLayout(layout)
    item = held_by(layout)[0]
    shiboken6.delete(outside)
    assert not shiboken6.isValid(item)


@pytest.mark.parametrize("box", [QHBoxLayout, QGridLayout])
def test_what_is_emptied_leaves_no_items(box: type[QHBoxLayout] | type[QGridLayout], qtbot: QtBot) -> None:
    inside, button = QWidget(), QPushButton("one")
    qtbot.addWidget(inside)
    layout = box(inside)
    layout.addWidget(button)
    items = held_by(layout)
    assert list(empty(layout)) == [button]
    assert layout.count() == 0 and not any(map(shiboken6.isValid, items))
    assert button.parentWidget() is inside
