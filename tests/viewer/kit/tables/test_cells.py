"""How a cell is painted: what its column says of it is to be seen."""

from typing import Any

import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QStyleOptionViewItem, QTableView
from pytestqt.qtbot import QtBot

from errorflow_viewer.kit.tables.cells import CellPainter
from errorflow_viewer.kit.tables.furnish import furnish
from errorflow_viewer.kit.tables.table import Column, Listing, TableModel

SHADES = (QColor("#00ff00"), QColor("#ff0000"))
LONG = "/encoder/layers.11/attention/self/query/MatMul"


def shown(qtbot: QtBot, column: Column[int]) -> tuple[QTableView, CellPainter, TableModel[int]]:
    view, table = QTableView(), TableModel[int]()
    qtbot.addWidget(view)
    table.show(Listing(range(2), [column]))
    furnish(view, table, "Numbers", "Rows of numbers", "Columns of numbers")
    painter = CellPainter(view)
    painter.shades = SHADES
    view.setItemDelegate(painter)
    view.resize(200, 100)
    view.show()
    return view, painter, table


def colors(view: QTableView, row: int) -> set[str]:
    """All that are in a cell."""
    image: QImage = view.viewport().grab(view.visualRect(view.model().index(row, 0))).toImage()
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


@pytest.mark.parametrize(
    "said",
    [
        {"badness": lambda row: 0.5 if row else None},
        {"marked": bool},
        {"strong": bool},
        {"muted": bool},
        {"badness": lambda _: 1.0, "length": lambda row: 0.5 if row else None},
    ],
    ids=lambda said: " ".join(said),
)
def test_what_is_said_of_one_cell_is_seen_in_that_one(said: dict[str, Any], qtbot: QtBot) -> None:
    view, _, _ = shown(qtbot, Column("Number", lambda _: "number", **said))
    assert colors(view, 1) != colors(view, 0)


@pytest.mark.parametrize(("badness", "shade"), [(0.0, 0), (1.0, 1), (float("nan"), 1)])
def test_a_bar_has_the_colour_of_how_bad_it_is(badness: float, shade: int, qtbot: QtBot) -> None:
    column: Column[int] = Column("Number", lambda _: "", badness=lambda _: badness, length=lambda _: 1.0)
    view, _, _ = shown(qtbot, column)
    assert {color.name() for color in SHADES} & colors(view, 0) == {SHADES[shade].name()}


def test_the_row_that_the_pointer_is_on_is_marked(qtbot: QtBot) -> None:
    view, _, table = shown(qtbot, Column("Number", lambda _: ""))
    before = colors(view, 1)
    table.pointed = 1
    view.viewport().update()
    assert colors(view, 1) != before == colors(view, 0)


def test_a_name_takes_the_form_that_has_room(qtbot: QtBot) -> None:
    column: Column[int] = Column("Name", lambda _: LONG, is_name=True, forms=lambda _: (LONG, "query/MatMul"))
    view, painter, table = shown(qtbot, column)
    option = QStyleOptionViewItem()
    option.initFrom(view)
    for width, text in ((900, LONG), (140, "query/MatMul")):
        option.rect.setWidth(width)
        painter.initStyleOption(option, table.index(0, 0))
        assert option.text == text
