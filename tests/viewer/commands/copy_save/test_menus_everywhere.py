"""Every table, plot and page of text has a context menu that gives it away, by mouse and by keyboard."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QFileDialog,
    QHeaderView,
    QMenu,
    QTextBrowser,
    QWidget,
)
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow_viewer.commands.copy_save.plots import COPY_NUMBERS, COPY_PICTURE, SAVE_NUMBERS, SAVE_PICTURE
from errorflow_viewer.commands.copy_save.tables import COPY_TABLE, SAVE_TABLE
from errorflow_viewer.commands.copy_save.texts import COPY_PAGE, SAVE_PAGE
from errorflow_viewer.kit.accessible.menu_key import open_menu
from errorflow_viewer.panels import PANELS
from errorflow_viewer.panels.nodes import Offers
from errorflow_viewer.window.window import MainWindow

KEYS = [panel.key for panel in PANELS]
# What paints itself in a panel and is no plot.
NO_PLOTS = ("Bar", "CheckBox", "_Tabs", "Elided", "_Head", "Swatch", "Divider", "Ring", "Link")


@pytest.fixture
def compared(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    """With a sample and its two runs."""
    window.open(SAMPLES[0].model)
    qtbot.waitUntil(lambda: window.document.state.findings is not None and not window.jobs.steps)
    window.settings.remember_export(tmp_path, window.document.folder)
    yield window
    for dialog in window.findChildren(QFileDialog):
        dialog.close()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _seen(window: MainWindow, qtbot: QtBot, key: str) -> QWidget:
    window.panels.show(key)
    qtbot.waitUntil(lambda: not window.jobs.steps)
    return window.panels.by_key[key].content


def _tables(inside: QWidget) -> list[QAbstractItemView]:
    """But lists that drop down."""
    found = inside.findChildren(QAbstractItemView)
    return [view for view in found if not isinstance(view, QHeaderView) and not _drops_down(view)]


def _drops_down(view: QWidget) -> bool:
    above = view.parentWidget()
    while above is not None:
        if isinstance(above, QComboBox | Offers) or type(above).__name__ == "QComboBoxPrivateContainer":
            return True
        above = above.parentWidget()
    return view.isWindow()


def _plots(inside: QWidget) -> list[QWidget]:
    own = [each for each in inside.findChildren(QWidget) if type(each).__module__.startswith("errorflow_viewer")]
    return [each for each in own if "paintEvent" in type(each).__dict__ and type(each).__name__ not in NO_PLOTS]


def _menu_of(widget: QWidget) -> set[str]:
    """What is offered there."""
    menu = _opened(widget)
    texts = {action.text() for action in menu.actions()}
    menu.close()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return texts


def _opened(widget: QWidget) -> QMenu:
    """As the keyboard opens it."""
    spot = widget.rect().center()
    by_key = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, spot, widget.mapToGlobal(spot))
    QCoreApplication.sendEvent(widget, by_key)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu), f"{type(widget).__name__} {widget.accessibleName()} has no context menu"
    return menu


@pytest.mark.parametrize("key", KEYS)
def test_tables_plots_and_pages_of_a_panel_have_one(compared: MainWindow, qtbot: QtBot, key: str) -> None:
    content = _seen(compared, qtbot, key)
    for table in _tables(content):
        assert {COPY_TABLE, SAVE_TABLE} <= _menu_of(table), table.accessibleName()
    for plot in _plots(content):
        wanted = {COPY_PICTURE, COPY_NUMBERS, SAVE_PICTURE, SAVE_NUMBERS}
        assert wanted <= _menu_of(plot), f"{type(plot).__name__} {plot.accessibleName()}"
    for page in content.findChildren(QTextBrowser):
        assert {COPY_PAGE, SAVE_PAGE} <= _menu_of(page), page.accessibleName()


def test_shift_f10_opens_it(compared: MainWindow, qtbot: QtBot) -> None:
    view = _tables(_seen(compared, qtbot, "nodes"))[0]
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    open_menu()

    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu) and menu.actions()
    menu.close()


def test_a_saved_table_is_what_is_listed(compared: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    [view] = _tables(_seen(compared, qtbot, "nodes"))
    target = tmp_path / "saved.csv"
    _choose(view, SAVE_TABLE)
    _answer(compared, target)
    qtbot.waitUntil(lambda: target.is_file() and not compared.jobs.steps)

    with target.open(encoding="utf-8", newline="") as file:
        head, *rows = list(csv.reader(file))
    assert all(head) and len(set(head)) == len(head)
    model = view.model()
    assert len(rows) == model.rowCount()
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            _same(cell, str(model.index(number, column).data()))


def _same(cell: str, shown: str) -> None:
    """The text itself, or a number that is written with fewer digits in the list."""
    if cell == shown or (not cell and shown == "–"):
        return
    text = shown.replace("−", "-").replace(",", "").replace("%", "").split(" ")[0]
    scale = 0.01 if shown.endswith("%") else 1.0
    if cell.startswith("'"):
        assert cell[1:] == shown
    elif text not in ("∞", "-∞", "<"):
        assert float(cell) == pytest.approx(float(text) * scale, rel=0.02, abs=0.006), (cell, shown)


def test_what_is_copied_is_what_the_filter_leaves(compared: MainWindow, qtbot: QtBot) -> None:
    compared.document.search_for("Conv")
    view = _tables(_seen(compared, qtbot, "nodes"))[0]
    qtbot.waitUntil(lambda: view.model().rowCount() < 31)
    QGuiApplication.clipboard().clear()
    _choose(view, COPY_TABLE)
    qtbot.waitUntil(lambda: bool(QGuiApplication.clipboard().text()))

    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 1 + view.model().rowCount()
    assert all(line.split("\t")[1] == "Conv" for line in lines[1:])


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_a_plot_is_saved_as_its_ending_says(compared: MainWindow, qtbot: QtBot, tmp_path: Path, ending: str) -> None:
    [plot] = _plots(_seen(compared, qtbot, "profile"))
    target = tmp_path / f"profile.{ending}"
    _choose(plot, SAVE_PICTURE)
    _answer(compared, target)
    qtbot.waitUntil(lambda: target.is_file() and not compared.jobs.steps)

    begins = {"png": b"\x89PNG", "svg": b"<?xml"}
    assert target.read_bytes().startswith(begins[ending])


def _choose(widget: QWidget, text: str) -> None:
    menu = _opened(widget)
    next(action for action in menu.actions() if action.text() == text).trigger()
    menu.close()


def _answer(window: MainWindow, target: Path) -> None:
    """The dialog that asks where something goes."""
    [dialog] = [dialog for dialog in window.findChildren(QFileDialog) if dialog.isVisible()]
    dialog.selectFile(str(target))
    dialog.fileSelected.emit(str(target))
    dialog.close()
