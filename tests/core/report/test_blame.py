"""Verdicts as lines, data and tables."""

import csv

from errorflow.blame.estimate import blame
from errorflow.compare.model import Comparison, Row
from errorflow.dump import TensorInfo
from errorflow.findings.model import Findings
from errorflow.graph.build import GraphBuilder
from errorflow.report.blame import blame_data, blamed_csv

INFO = TensorInfo("", "float32", (1,), 4)


def test_nodes_without_names_go_by_what_they_make() -> None:
    builder = GraphBuilder()
    builder.input("x")
    builder.node("Conv", ["x"], ["a"])
    builder.node("Relu", ["a"], ["b"])
    builder.output("b")
    graph = builder.build()
    comparison = Comparison(tuple(Row(name, INFO, INFO, {"relative_l2": 0.5}) for name in "ab"))
    found = blame(graph, comparison)
    data = blame_data(found)
    assert data["front"]["first"] == ["Conv → a"]
    assert data["top"][0]["node"] == "Conv → a"
    rows = csv.DictReader(blamed_csv(Findings.of(graph, comparison, found)).splitlines())
    assert [row["name"] for row in rows] == ["Conv → a", "Relu → b"]
