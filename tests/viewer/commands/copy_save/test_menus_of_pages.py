"""The context menus of the whole pages: the verdict, a ticket."""

import csv
import io
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from errorflow.report.account.model import Account, Lack
from errorflow_viewer.commands.copy_save.plots import COPY_NUMBERS, COPY_PICTURE, SAVE_NUMBERS, SAVE_PICTURE
from errorflow_viewer.commands.copy_save.tables import COPY_TABLE, SAVE_TABLE
from errorflow_viewer.pages.ticket.page import TicketPage
from errorflow_viewer.pages.verdict.page import VerdictPage, lacks_table
from errorflow_viewer.pages.verdict.parts import NodeCard, VerdictPicture
from errorflow_viewer.window.window import MainWindow
from viewer.commands.copy_save.menus import answer, choose, menu_at
from viewer.opened import opened
from viewer.simulated import simulate


def _ready(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    qtbot.waitUntil(lambda: window.document.state.findings is not None and not window.jobs.steps)


def _verdict(window: MainWindow, qtbot: QtBot) -> VerdictPage:
    window.commands.made["verdict.page"].trigger()
    page = window.stack.currentWidget()
    assert isinstance(page, VerdictPage)
    qtbot.waitUntil(lambda: page.account is not None and not window.jobs.steps)
    return page


def _chapter(page: VerdictPage, title: str) -> QWidget:
    """What stands below a title."""
    head = next(label for label in page.findChildren(QLabel) if label.text() == title)
    chapter = head.parentWidget()
    assert chapter is not None
    return chapter


def _card(page: VerdictPage) -> NodeCard:
    return page.findChildren(NodeCard)[0]


def test_a_card_gives_its_numbers_wherever_one_points(window: MainWindow, qtbot: QtBot) -> None:
    _ready(window, qtbot)
    card = _card(_verdict(window, qtbot))
    for widget in (card, card.name, card.findChildren(QLabel)[-1], card.findChildren(VerdictPicture)[0]):
        menu = menu_at(widget)
        assert {COPY_PICTURE, COPY_NUMBERS, SAVE_PICTURE, SAVE_NUMBERS} <= {each.text() for each in menu.actions()}
        menu.close()
    QGuiApplication.clipboard().clear()
    choose(menu_at(card), COPY_NUMBERS)
    qtbot.waitUntil(lambda: bool(QGuiApplication.clipboard().text()))

    head, *rows = csv.reader(io.StringIO(QGuiApplication.clipboard().text()))
    assert head == ["Quantity", "Value"] and ["Node", card.card.title] in rows
    assert {fact.label for fact in card.card.numbers} <= {row[0] for row in rows}


@pytest.mark.parametrize(("ending", "begins"), [("png", b"\x89PNG"), ("svg", b"<")])
def test_its_picture_is_saved_though_the_page_is_made_anew_meanwhile(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, ending: str, begins: bytes
) -> None:
    _ready(window, qtbot)
    page = _verdict(window, qtbot)
    choose(menu_at(_card(page)), SAVE_PICTURE)
    window.set_theme("dark")
    target = tmp_path / f"card.{ending}"
    answer(window, target)
    qtbot.waitUntil(lambda: target.is_file() and not window.jobs.steps)

    assert target.read_bytes().startswith(begins)


def test_a_picture_on_the_clipboard_shows_something(window: MainWindow, qtbot: QtBot) -> None:
    _ready(window, qtbot)
    choose(menu_at(_card(_verdict(window, qtbot))), COPY_PICTURE)

    image = QGuiApplication.clipboard().image()
    seen = {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}
    assert image.width() > 200 and len(seen) > 3


def test_what_was_tried_can_be_copied_and_saved(window: MainWindow, qtbot: QtBot) -> None:
    _ready(window, qtbot)
    simulate(window, qtbot)
    page = _verdict(window, qtbot)
    assert page.account is not None
    cell = _chapter(page, "What was tried").findChildren(QLabel)[-1]
    menu = menu_at(cell)
    assert SAVE_TABLE in {each.text() for each in menu.actions()}
    choose(menu, COPY_TABLE)

    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t") == list(page.account.tried.heads)
    assert len(lines) == 1 + len(page.account.tried.rows)


def test_what_is_marked_can_still_be_copied_alone(window: MainWindow, qtbot: QtBot) -> None:
    _ready(window, qtbot)
    card = _card(_verdict(window, qtbot))
    label = next(each for each in card.findChildren(QLabel) if each.text() == card.card.why)
    label.setSelection(0, 6)
    choose(menu_at(label), "Copy")
    assert QGuiApplication.clipboard().text() == card.card.why[:6]


def test_the_lists_of_a_ticket_have_sizes_in_bytes(window: MainWindow, qtbot: QtBot) -> None:
    _ready(window, qtbot)
    window.commands.made["ticket"].trigger()
    page = window.stack.currentWidget()
    assert isinstance(page, TicketPage)
    qtbot.waitUntil(lambda: page.plan is not None)
    for tree in (page.nodes.tree, page.taken_out.tree):
        menu = menu_at(tree.viewport())
        assert {COPY_TABLE, SAVE_TABLE} <= {each.text() for each in menu.actions()}
        menu.close()
    choose(menu_at(page.nodes.tree.viewport()), COPY_TABLE)

    head, first = (line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()[:2])
    assert head[2] == "Size (bytes)" and first[2] == "4784"
    assert page.nodes.table.headerData(2, Qt.Orientation.Horizontal) == "Size"


def test_what_could_not_be_measured_has_its_reason_and_a_way_out() -> None:
    lacks = (Lack("No tensor", 3, ("a", "b"), "Dump it."),)
    table = lacks_table(Account("net", 1, lacks=lacks, oddities=("Inputs differ.",)))
    assert table.rows == [("No tensor", "3", "a; b and 1 more", "Dump it."), ("", "", "Inputs differ.", "")]
