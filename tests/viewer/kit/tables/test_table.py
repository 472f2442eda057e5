"""The one model of lists: search, order, what moves along, what is written to."""

from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QStyle, QStyleOptionViewItem, QTreeView
from pytestqt.qtbot import QtBot

from errorflow_viewer.commands.copy_save.tables import head_of, row_of
from errorflow_viewer.kit.tables.furnish import furnish_tree
from errorflow_viewer.kit.tables.table import (
    Column,
    EditedModel,
    Listing,
    TableModel,
    VerbatimModel,
    by_key,
    by_keys,
    by_order,
)

WORDS = ("pear", "fig", "apple", "plum")
WEIGHTS = np.array([3.0, np.nan, 1.0, 3.0])
DOWN, UP = Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder


def listing(words: tuple[str, ...] = WORDS) -> Listing[int]:
    weights = WEIGHTS[: len(words)]
    return Listing(
        range(len(words)),
        (
            Column(
                "Fruit",
                lambda row: words[row],
                sort=by_order(lambda: np.array(sorted(range(len(words)), key=words.__getitem__), np.int32)),
            ),
            Column(
                "Weight",
                lambda row: f"{weights[row]:.0f}",
                "How heavy",
                "Weight (g)",
                is_number=True,
                sort=by_keys(lambda: weights),
                largest_first=True,
                exact=lambda row: float(weights[row]),
            ),
        ),
        lambda row: f"A {words[row]}",
        lambda text: np.array([row for row, word in enumerate(words) if text in word], np.int32),
    )


def shown(table: TableModel[int]) -> list[str]:
    return [str(table.index(row, 0).data()) for row in range(table.rowCount())]


def filled(*, moves: bool = False) -> TableModel[int]:
    table: TableModel[int] = TableModel(moves=moves)
    QAbstractItemModelTester(table, QAbstractItemModelTester.FailureReportingMode.Fatal, table)
    table.show(listing())
    return table


def test_what_is_found_stands_in_the_order_that_is_asked_for() -> None:
    table = filled()
    assert shown(table) == list(WORDS)
    table.sort(0)
    assert shown(table) == ["apple", "fig", "pear", "plum"]
    table.filter("p")
    assert shown(table) == ["apple", "pear", "plum"]
    table.sort(0, DOWN)
    assert shown(table) == ["plum", "pear", "apple"]
    table.sort(-1)
    assert shown(table) == ["pear", "apple", "plum"] and table.row_of(3) == 2 and table.row_of(1) is None


def test_equal_numbers_stay_and_what_is_none_is_last_either_way() -> None:
    table = filled()
    table.sort(1)
    assert shown(table) == ["apple", "pear", "plum", "fig"]
    table.sort(1, DOWN)
    assert shown(table) == ["pear", "plum", "apple", "fig"]


def test_few_items_are_sorted_by_what_python_compares() -> None:
    sort = by_key(WORDS, len)
    assert [WORDS[at] for at in sort(np.arange(4, dtype=np.int32), False)] == ["fig", "pear", "plum", "apple"]
    assert [WORDS[at] for at in sort(np.array([0, 2], np.int32), True)] == ["apple", "pear"]


def test_a_cell_says_what_its_column_says() -> None:
    table = filled()
    cell, across = table.index(0, 1), Qt.Orientation.Horizontal
    assert (cell.data(), cell.data(Qt.ItemDataRole.ToolTipRole)) == ("3", "A pear")
    assert cell.data(Qt.ItemDataRole.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight
    assert table.headerData(1, across, Qt.ItemDataRole.ToolTipRole) == "How heavy"
    assert table.headerData(1, across, Qt.ItemDataRole.InitialSortOrderRole) == DOWN
    assert table.headerData(0, across, Qt.ItemDataRole.InitialSortOrderRole) == UP
    assert head_of(table) == ["Fruit", "Weight (g)"] and row_of(table, 0) == ["pear", "3.0"]


def test_what_is_selected_moves_along_where_that_is_wished() -> None:
    table = filled(moves=True)
    place = QPersistentModelIndex(table.index(2, 1))
    table.sort(0)
    assert (place.row(), place.column(), table.item_at(0)) == (0, 1, 2)
    table.move(replace(listing(), matching=lambda _: np.array([0, 1], np.int32)))
    assert not place.isValid()


def test_what_comes_later_stands_below_and_nothing_begins_anew(qtbot: QtBot) -> None:
    table: TableModel[int] = TableModel()
    table.show(listing(WORDS[:2]))
    place = QPersistentModelIndex(table.index(1, 0))
    with qtbot.assertNotEmitted(table.modelReset), qtbot.waitSignal(table.rowsInserted) as seen:
        table.grow(listing())
    assert seen.args is not None and seen.args[1:] == [2, 3]
    assert shown(table) == list(WORDS) and place.row() == 1


def test_other_words_leave_rows_where_they_are(qtbot: QtBot) -> None:
    table = filled()
    table.sort(0)
    with qtbot.assertNotEmitted(table.modelReset), qtbot.waitSignal(table.dataChanged):
        table.say(listing(("kiwi", "lime", "date", "nut")))
    assert shown(table) == ["date", "lime", "kiwi", "nut"]


@dataclass
class Task:
    name: str
    done: bool = False


def tasks(taken: list[str]) -> EditedModel[Task]:
    def rename(task: Task, name: str) -> bool:
        taken.append(name)
        return bool(name)

    def tick(task: Task, on: bool) -> None:
        task.done = on

    column: Column[Task] = Column(
        "Task",
        lambda task: task.name,
        checked=lambda task: task.done,
        check=tick,
        edited=lambda task: "" if task.done else task.name,
        edit=rename,
    )
    table: EditedModel[Task] = EditedModel()
    table.show(Listing([Task("wash"), Task("dry", done=True)], [column]))
    return table


def test_only_what_can_be_edited_is() -> None:
    taken: list[str] = []
    table = tasks(taken)
    editable = Qt.ItemFlag.ItemIsEditable
    assert table.flags(table.index(0, 0)) & editable and not table.flags(table.index(1, 0)) & editable
    assert table.setData(table.index(0, 0), "rinse") and not table.setData(table.index(0, 0), "")
    assert taken == ["rinse", ""]


def test_a_click_on_a_box_ticks_it(qtbot: QtBot) -> None:
    table, view = tasks([]), QTreeView()
    qtbot.addWidget(view)
    furnish_tree(view, table, "Tasks", "Columns of tasks")
    view.setRootIsDecorated(False)
    view.show()
    option = QStyleOptionViewItem()
    option.initFrom(view)
    option.rect = view.visualRect(table.index(0, 0))
    option.features = QStyleOptionViewItem.ViewItemFeature.HasCheckIndicator
    box = QApplication.style().subElementRect(QStyle.SubElement.SE_ItemViewItemCheckIndicator, option, view)
    for on in (True, False):
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
        assert table.items[0].done is on


def test_what_is_shown_as_it_is_says_so_to_the_translation() -> None:
    assert not hasattr(TableModel, "is_verbatim") and VerbatimModel.is_verbatim
    assert "data" in vars(VerbatimModel), "the one below is translated"
