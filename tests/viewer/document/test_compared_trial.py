"""The run that is compared with has ranges of its own."""

from dataclasses import replace

import numpy as np
from pytestqt.qtbot import QtBot

from errorflow.explain.findings.change import MetricChange
from errorflow_viewer.document.runs import compare, turn_round, why_not
from errorflow_viewer.window.window import MainWindow
from viewer.lending import SHARED
from viewer.simulated import FEW, seen_through, simulate, simulation


@SHARED
def test_a_run_by_another_method_is_compared_on_its_own_ranges(window: MainWindow, qtbot: QtBot) -> None:
    first = seen_through(window, qtbot)
    simulate(window, qtbot, replace(FEW, method="percentile-99.9"), simulation(window).plan)
    session = window.document.session
    assert [trial.name for trial in session.trials] == ["Run 1", "Run 2"]
    assert why_not(session, "Run 2", "Run 1") == "", "the samples that are evaluated are the same"
    compare(window.document, "Run 1")

    def is_known() -> bool:
        findings = window.document.state.findings
        return findings is not None and findings.against is not None

    qtbot.waitUntil(is_known)
    findings = window.document.state.findings
    assert findings is not None and findings.against is not None
    for one, other in zip(findings.against.comparison.rows, first.comparison.rows, strict=True):
        assert one.values["sqnr"] == other.values["sqnr"]
    change = MetricChange.of(findings, "sqnr", {})
    assert change is not None
    assert np.nan_to_num(change.measured.values).any(), "other ranges, other errors"


@SHARED
def test_the_comparison_is_turned_round(window: MainWindow, qtbot: QtBot) -> None:
    window.studies.simulating.edit("All in float but one", simulation(window).plan.keeping_float("/stem/*"))
    seen_through(window, qtbot)
    compare(window.document, "Run 1")
    turn_round(window.document)
    assert simulation(window).against == "Run 2"
    assert simulation(window).plan == window.document.session.trials[0].plan
    window.document.undo()
    assert simulation(window).against == "Run 1"
