"""Verdicts as lines, data and tables."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from blame_cases import chain
from errorflow.compare.model import Comparison, Row
from errorflow.explain.blame.estimate import blame
from errorflow.explain.blame.model import Verdict
from errorflow.explain.findings.model import Findings
from errorflow.graph.build import GraphBuilder
from errorflow.graph.dump import TensorInfo
from errorflow.report.account.making import meaning
from errorflow.report.blame import blame_data, blamed_csv, described

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


@pytest.mark.parametrize(
    ("verdict", "adds"), [("CARRIER", True), ("AMPLIFIER", True), ("CLEAN", True), ("ORIGIN", False)]
)
def test_who_brings_a_part_of_the_error_is_not_said_to_pass_it_on(verdict: str, adds: bool) -> None:
    found = blame(*chain(0.1, 0.2, 0.4))
    verdicts = np.full(len(found.graph), Verdict[verdict], np.int8)
    shares = np.full(len(found.graph), 0.25)
    accused = replace(found, verdicts=verdicts, blamed=shares)
    innocent = replace(accused, blamed=np.zeros(len(found.graph)))

    assert described(accused, 0).startswith("introduces ") == adds
    assert described(innocent, 0).startswith(Verdict[verdict].word)
    assert (meaning(accused, 0) != meaning(innocent, 0)) == adds
