"""The table that all importers make."""

import math

from hypothesis import given
from hypothesis import strategies as st

from errorflow.compare.metrics.definitions import DEFINITIONS
from errorflow.compare.results import Column, ResultRow, ResultTable

COSINE, DISTANCE = Column.of("rknn.entire.cos"), Column.of("rknn.single.euc")
SIZE = Column.plain("RKNN", "Size of it", "how many")


def table(*rows: ResultRow) -> ResultTable:
    return ResultTable("a table", "RKNN", "tensor", (COSINE, DISTANCE, SIZE), rows)


def test_measures_are_those_of_the_columns() -> None:
    assert table().measures == ("accumulated", "node")


def test_a_plain_number_is_neither_good_nor_bad() -> None:
    assert table().judging == (COSINE, DISTANCE)
    assert (SIZE.key, SIZE.definition.ours(1.0)) == ("rknn.size-of-it", None)


@given(st.lists(st.floats(), max_size=8))
def test_the_worst_come_first(values: list[float]) -> None:
    rows = [
        ResultRow(str(index), values={COSINE.key: value, DISTANCE.key: value}) for index, value in enumerate(values)
    ]
    numbers = sorted(value for value in values if not math.isnan(value))
    broken = len(values) - len(numbers)

    lowest = [row.values[COSINE.key] for row in table(*rows).worst(COSINE, 99)]
    highest = [row.values[DISTANCE.key] for row in table(*rows).worst(DISTANCE, 99)]

    assert lowest[broken:] == numbers
    assert highest[broken:] == numbers[::-1]
    assert all(math.isnan(value) for value in (*lowest[:broken], *highest[:broken]))


def test_rows_without_the_number_are_not_ranked() -> None:
    assert table(ResultRow("a"), ResultRow("b", values={COSINE.key: 1.0})).worst(COSINE, 5)[0].name == "b"
    assert len(table(ResultRow("a")).worst(COSINE, 5)) == 0


def test_every_definition_makes_a_column() -> None:
    assert all(Column.of(row.key).definition is row for row in DEFINITIONS)
