"""Sizes that are given in pixels grow with the text, also those of what is open, and shrink again."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QMainWindow,
    QPushButton,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from errorflow_viewer.kit import icons
from errorflow_viewer.kit.look import BODY, DISPLAY
from errorflow_viewer.kit.report_window import ReportWindow
from errorflow_viewer.kit.scaling import OWN_SIZE, keep_width, px
from errorflow_viewer.kit.style import Appearance, font
from errorflow_viewer.pages.guide.step_body import FileLines
from errorflow_viewer.window.window import MainWindow
from viewer.simulated import open_model


@pytest.fixture
def large(appearance: Appearance) -> Iterator[Appearance]:
    yield appearance
    appearance.set_text_size(100)


@pytest.fixture
def form(qtbot: QtBot, large: Appearance) -> QWidget:
    """A field of a fixed height, a title with a font of its own, a table, a button."""
    form = QWidget()
    box = QVBoxLayout(form)
    field, title, table = QLineEdit(), QLabel("Title"), QTableView()
    field.setFixedHeight(24)
    title.setFont(font(DISPLAY, strong=True))
    table.verticalHeader().setDefaultSectionSize(24)
    for widget in (field, title, table, QPushButton("Press")):
        box.addWidget(widget)
    qtbot.addWidget(form)
    form.show()
    return form


def part(form: QWidget, kind: type[QWidget]) -> QWidget:
    found = form.findChild(kind)
    assert found is not None
    return found


def test_what_is_open_follows_and_comes_back(form: QWidget, large: Appearance, qapp: QApplication) -> None:
    field, title, table = (part(form, kind) for kind in (QLineEdit, QLabel, QTableView))
    assert isinstance(table, QTableView)
    for percent in (150, 200, 80, 100):
        large.set_text_size(percent)
        assert field.height() == field.minimumHeight() == field.maximumHeight() == round(24 * percent / 100)
        assert title.font().pixelSize() == round(DISPLAY * percent / 100)
        assert table.verticalHeader().defaultSectionSize() == round(24 * percent / 100)
        assert qapp.font().pixelSize() == round(12 * percent / 100)


def test_what_is_made_then_has_the_size_from_the_start(qtbot: QtBot, large: Appearance) -> None:
    large.set_text_size(150)
    field = QLineEdit()
    field.setFixedHeight(24)
    qtbot.addWidget(field)
    holder = QWidget()
    qtbot.addWidget(holder)
    box = QVBoxLayout(holder)
    box.addWidget(field)
    holder.show()
    assert field.height() == px(24) == 36


def test_a_size_that_is_set_later_is_meant_as_at_100_percent(form: QWidget, large: Appearance) -> None:
    field = part(form, QLineEdit)
    large.set_text_size(200)
    field.setFixedHeight(30)
    large.set_text_size(150)
    assert field.minimumHeight() == 45


def test_a_widget_that_reckons_its_own_size_is_left_alone(form: QWidget, large: Appearance) -> None:
    field = part(form, QLineEdit)
    field.setProperty(OWN_SIZE, True)
    large.set_text_size(200)
    assert field.minimumHeight() == 24


def test_a_panel_stays_narrow_enough_for_others(qtbot: QtBot, large: Appearance) -> None:
    panel = QWidget()
    qtbot.addWidget(panel)
    keep_width(panel, 180)
    assert (panel.minimumWidth(), panel.minimumHeight()) == (180, 0)
    large.set_text_size(200)
    keep_width(panel, 180)
    assert 180 < panel.minimumWidth() < 360 and panel.minimumHeight() > 0


def test_a_line_stays_a_line(qtbot: QtBot, large: Appearance) -> None:
    large.set_text_size(200)
    holder, line = QWidget(), QWidget()
    qtbot.addWidget(holder)
    line.setFixedHeight(1)
    QVBoxLayout(holder).addWidget(line)
    holder.show()
    assert line.height() == 1


def test_what_the_style_sheet_says_grows_once(form: QWidget, large: Appearance) -> None:
    button = part(form, QPushButton)
    height = button.sizeHint().height()
    for percent in (200, 150, 100):
        large.set_text_size(percent)
        assert button.minimumHeight() <= button.sizeHint().height() <= height * percent / 100 + 2


def legend_height(window: MainWindow) -> float:
    return window.view.height() - window.view.sight().height()


def test_the_picture_of_an_icon_grows_with_the_text_and_back(qtbot: QtBot, large: Appearance) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    bar = window.addToolBar("Tools")
    bar.setIconSize(QSize(20, 20))
    icons.follow(bar.addAction("Open"), "open")

    button = bar.widgetForAction(bar.actions()[0])
    assert isinstance(button, QToolButton)

    def drawn() -> tuple[int, int]:
        assert button.iconSize() == bar.iconSize()
        return bar.iconSize().width(), bar.actions()[0].icon().actualSize(bar.iconSize()).width()

    bar.ensurePolished()
    assert drawn() == (20, 20)
    large.set_text_size(200)
    grown = drawn()
    large.set_text_size(150)
    drawn()
    large.set_text_size(100)
    assert (grown, drawn()) == ((40, 40), (20, 20))


def test_the_legend_below_the_graph_grows_with_the_text(window: MainWindow, qtbot: QtBot, large: Appearance) -> None:
    open_model(window, qtbot)
    qtbot.waitUntil(lambda: legend_height(window) > 0)
    before = legend_height(window)
    large.set_text_size(200)
    qtbot.waitUntil(lambda: legend_height(window) > 1.5 * before)


def test_a_side_that_large_text_made_wider_is_as_narrow_as_before_when_it_is_small_again(
    deep: MainWindow, large: Appearance
) -> None:
    def shown_at(percent: int) -> int:
        deep.whole_pages.show_settings()
        large.set_text_size(percent)
        deep.leave_page()
        QApplication.processEvents()
        front = next(key for key in ("details", "verdict", "inspector") if deep.panels.is_in_front(key))
        return deep.panels.by_key[front].width()

    small = shown_at(100)
    wide = shown_at(200)
    assert wide > small
    assert shown_at(100) == small
    assert shown_at(200) == wide


def test_letters_of_one_width_grow_too(large: Appearance, qtbot: QtBot) -> None:
    report, file = ReportWindow("It failed", "Copy this.", "Errorflow", "log"), FileLines("import onnx\n" * 4)
    for widget in (report, file):
        qtbot.addWidget(widget)
        widget.show()
    high = file.height()
    for percent in (200, 100):
        large.set_text_size(percent)
        assert {widget.font().pixelSize() for widget in (report.report, file)} == {round(BODY * percent / 100)}
        assert (file.height() > 1.6 * high) == (percent == 200)
