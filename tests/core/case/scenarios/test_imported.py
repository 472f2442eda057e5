"""A table of another tool becomes a comparison on the graph."""

from pathlib import Path

import numpy as np
import pytest

from errorflow.base.errors import UsageError
from errorflow.case.scenarios.imported import comparison_of, import_table
from errorflow.compare.metrics.definitions import DEFINITIONS
from errorflow.compare.results.table import Column, ResultRow, ResultTable
from errorflow.explain.findings.model import Findings
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph


def chain(*names: str) -> Graph:
    builder = GraphBuilder()
    builder.input("x")
    last = "x"
    for name in names:
        builder.node("Relu", [last], [f"{name}_out"], name=name)
        last = f"{name}_out"
    return builder.build()


def table(columns: tuple[Column, ...], *rows: ResultRow) -> ResultTable:
    return ResultTable("a table", "RKNN", "layer", columns, rows)


COS, SINGLE = Column.of("rknn.entire.cos"), Column.of("rknn.single.cos")
EUC = Column.of("rknn.entire.euc")


def test_a_number_that_is_one_of_ours_is_shown_as_that() -> None:
    found = comparison_of(table((COS,), ResultRow("a", values={COS.key: 0.5})), chain("a", "b"))
    assert [(row.tensor, dict(row.values), row.node) for row in found.rows] == [("a_out", {"cosine": 0.5}, "a")]
    assert found.measure == "accumulated"


def test_a_number_of_another_kind_keeps_its_definition() -> None:
    rows = [ResultRow(name, values={EUC.key: value}) for name, value in zip("abcd", (1.0, 2.0, 3.0, 40.0), strict=True)]
    found = comparison_of(table((EUC,), *rows), chain(*"abcd"))
    (scale,) = found.scales
    assert (scale.formula, scale.higher_is_better) == (DEFINITIONS.by_key[EUC.key].formula, False)
    assert scale.good < scale.bad
    findings = Findings.of(chain(*"abcd"), found)
    assert findings.scales == (scale,)
    assert np.argmax(findings.measured(scale).places) == 4


def test_of_two_measures_the_accumulated_one_is_taken_unless_the_other_is_asked_for() -> None:
    both = table((SINGLE, COS), ResultRow("a", values={COS.key: 0.5, SINGLE.key: 0.9}))
    assert comparison_of(both, chain("a")).rows[0].values == {"cosine": 0.5}
    node = comparison_of(both, chain("a"), "node")
    assert (node.rows[0].values, node.measure) == ({"cosine": 0.9}, "node")
    assert Findings.of(chain("a"), node).placed.measure == "node"


def test_a_row_without_a_place_is_kept_and_says_so() -> None:
    found = comparison_of(
        table((COS,), ResultRow("a", values={COS.key: 0.5}), ResultRow("zzz", values={COS.key: 0.1})), chain("a")
    )
    assert found.rows[1].note == "the model has nothing of this name"
    assert found.rows[1].values == {}


def test_a_row_without_a_number_says_why() -> None:
    found = comparison_of(table((COS,), ResultRow("a", states={COS.key: "shape mismatch"})), chain("a"))
    assert found.rows[0].note == "shape mismatch"


def test_a_table_of_another_model_is_refused() -> None:
    with pytest.raises(UsageError, match="No row"):
        comparison_of(table((COS,), ResultRow("zzz", values={COS.key: 0.1})), chain("a"))


def test_the_tables_of_a_file_are_read_and_placed() -> None:
    path = Path(__file__).parents[3] / "data" / "results" / "rknn-error-analysis.txt"
    from errorflow.compare.results import read_results

    names = [row.name for one in read_results(path) for row in one.rows]
    found = import_table(path, chain(*dict.fromkeys(names)))
    assert found.measure == "accumulated"
    assert any("cosine" in row.values for row in found.rows)
