"""The rows of a ranking in order."""

from PySide6.QtCore import QPersistentModelIndex, Qt

from errorflow.study.rank.model import Part, Ranking
from errorflow_viewer.panels.ranking.rows import NAME, RankRows
from errorflow_viewer.panels.ranking.table import RankTable
from rankings import ranking_of
from table_cells import of_cell

PARTS = tuple(Part(name, "Conv", (name,), (f"{name}:0",)) for name in "abcd")


def table(errors: list[float | None]) -> RankTable:
    found = RankTable()
    found.show_rows(rows(errors))
    return found


def rows(errors: list[float | None]) -> RankRows:
    return RankRows(ranking_of(PARTS, errors), None)


def names(found: RankTable) -> str:
    return "".join(str(found.index(row, NAME).data()) for row in range(found.rowCount()))


def metric_column(found: RankTable) -> int:
    titles = [found.headerData(at, Qt.Orientation.Horizontal) for at in range(found.columnCount())]
    return titles.index("Relative error")


def test_what_matters_most_is_first() -> None:
    assert names(table([0.1, 0.4, None, 0.2])) == "bdac"


def test_a_click_on_a_header_sorts_by_it_and_back() -> None:
    found = table([0.1, 0.4, None, 0.2])
    found.sort(NAME)
    assert names(found) == "abcd"
    found.sort(NAME, Qt.SortOrder.DescendingOrder)
    assert names(found) == "dcba"
    found.sort(metric_column(found), Qt.SortOrder.DescendingOrder)
    assert names(found) == "cadb"
    assert not found.is_ranked
    found.sort(-1)
    assert names(found) == "bdac" and found.is_ranked


def test_a_filter_leaves_what_has_the_word() -> None:
    found = table([0.1, 0.4, None, 0.2])
    found.filter("d")
    assert names(found) == "d" and not found.is_ranked


def test_rows_move_and_what_is_selected_moves_with_them() -> None:
    found = table([0.1, None, None, None])
    selected = QPersistentModelIndex(found.index(0, NAME))
    found.show_rows(rows([0.1, 0.4, 0.3, None]))
    assert names(found) == "bcad"
    assert (selected.row(), selected.data()) == (2, "a")


def test_rows_that_are_held_stay_and_have_new_numbers() -> None:
    found = table([0.1, None, None, None])
    found.show_rows(rows([0.1, 0.4, 0.3, None]), holds=True)
    assert names(found) == "abcd"
    assert found.index(1, metric_column(found)).data() == "0.4205"
    found.show_rows(rows([0.1, 0.4, 0.3, None]))
    assert names(found) == "bcad"


def test_other_parts_begin_anew() -> None:
    found = table([0.1, 0.2, 0.3, 0.4])
    found.sort(NAME)
    other: Ranking = ranking_of(PARTS[:2], [0.1, 0.2])
    found.show_rows(RankRows(other, None), holds=True)
    assert names(found) == "ba"


def test_only_what_is_known_has_a_bar() -> None:
    found = table([0.5, None, 0.001, 5.0])
    column = metric_column(found)
    by_name = {found.index(row, NAME).data(): found.index(row, column) for row in range(4)}
    assert of_cell(by_name["d"], "badness") == 1.0 and of_cell(by_name["d"], "length") == 1.0
    assert of_cell(by_name["c"], "badness") == 0.0 and 0 <= of_cell(by_name["c"], "length") < 0.5
    assert of_cell(by_name["b"], "length") is None and of_cell(by_name["b"], "muted")


def test_nothing_is_listed_without_a_ranking() -> None:
    found = table([0.1] * 4)
    found.show_rows(None)
    assert (found.rowCount(), found.columnCount()) == (0, 0)
