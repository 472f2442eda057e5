"""What tables hold for other programs."""

import csv
import io
import math

import pytest
from PySide6.QtGui import QIcon
from pytestqt.qtbot import QtBot

from errorflow.explain.findings.problems import ProblemGroup, ProblemItem
from errorflow.explain.inspect.worst import WorstValue
from errorflow_viewer.commands.copy_save.tables import Table, collect, head_of, row_of, text_of
from errorflow_viewer.kit.logs import LogLine
from errorflow_viewer.kit.look import LIGHT
from errorflow_viewer.kit.tables.table import Column, Listing, TableModel
from errorflow_viewer.panels.inspector.values_view import ValuesTable
from errorflow_viewer.panels.log import LogLines
from errorflow_viewer.panels.problems import Branch, ProblemTree


def numbers(values: list[float]) -> Listing[float]:
    """A column of names and one of numbers, which are shown short."""
    names: Column[float] = Column("name", lambda value: f"=node {values.index(value)}")
    return Listing(values, (names, Column("error", lambda value: f"{value:.1f}", "", "error (dB)", exact=float)))


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e-300, -0.0, 12345678.125, math.pi])
def test_numbers_are_read_back_to_the_last_bit(value: float) -> None:
    assert float(text_of(value)) == value


def test_numbers_that_are_none_have_names() -> None:
    assert [text_of(value) for value in (math.nan, math.inf, -math.inf, None)] == ["NaN", "inf", "-inf", ""]


def test_a_csv_has_all_digits_units_and_no_formulas(qtbot: QtBot) -> None:
    model = TableModel[float]()
    model.show(numbers([1 / 3, 2 / 3]))
    text = Table(head_of(model), [row_of(model, row) for row in range(2)]).csv()

    head, *rows = list(csv.reader(io.StringIO(text)))
    assert head == ["name", "error (dB)"]
    assert [float(row[1]) for row in rows] == list(model.items)
    assert rows[0][0] == "'=node 0"


def test_a_cell_is_one_line_on_the_clipboard() -> None:
    assert Table(("a", "b"), [["x\ty\nz", "=1+1"]]).tabbed() == "a\tb\nx y z\t'=1+1\n"


def test_a_large_table_is_read_in_pieces_and_again_when_it_changes(qtbot: QtBot) -> None:
    model, found = TableModel[float](), list[Table]()
    model.show(Listing(range(300_000), (Column("number", str),)))
    collect(model, found.append)
    assert not found
    model.show(numbers([7.0]))
    qtbot.waitUntil(lambda: bool(found))

    assert found[0].rows == [["=node 0", "7.0"]]


def test_values_are_exact() -> None:
    model = ValuesTable()
    model.show_values((WorstValue(3, (0, 3), 1 / 3, 2 / 3),))

    assert row_of(model, 0) == ["0,3", repr(1 / 3), repr(2 / 3), repr(1 / 3), "1.0"]
    assert head_of(model)[1] == "Reference"


def test_the_log_has_time_level_and_all_of_the_text() -> None:
    lines = LogLines(lambda: LIGHT)
    lines.take((LogLine(0.0, 30, "first\nsecond"),))

    [[time, level, text]] = lines.as_table().rows
    assert time.startswith("19") and level == "warning" and text == "first\nsecond"


def test_problems_have_their_reason_and_a_way_out() -> None:
    tree = ProblemTree()
    tree.show_branches((Branch(ProblemGroup("Odd", (ProblemItem("x is odd", None),), "Look at it.")),), QIcon())

    assert tree.as_table().rows == [["Odd", "x is odd", "Look at it."]]
