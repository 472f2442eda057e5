from dataclasses import replace

from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow.case.model import Case
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import HandPair
from errorflow.compare.match.by_hand import PARTED
from errorflow_viewer.panels.matches.panel import MatchesPanel
from errorflow_viewer.window.window import MainWindow


def compared(window: MainWindow, qtbot: QtBot) -> Case:
    """When nothing is going on any more."""
    state = window.document.state

    def done() -> bool:
        found = window.document.state.case
        return found is not None and found.complete and not window.jobs.steps and found is not state.case

    qtbot.waitUntil(done, timeout=20_000)
    found = window.document.state.case
    assert found is not None
    return found


def matches(window: MainWindow) -> MatchesPanel:
    content = window.panels.by_key["matches"].content
    assert isinstance(content, MatchesPanel)
    return content


def test_the_same_is_compared_once_more_with_the_pairs_by_hand(window: MainWindow, qtbot: QtBot) -> None:
    window.open(SAMPLES[0].model)
    first = compared(window, qtbot)
    name = first.comparison.rows[3].tensor
    pairs = (HandPair(name, ""),)
    matches(window)  # where pairs are decided
    window.document.edit("Part", hand_pairs=pairs)
    parted = compared(window, qtbot)
    model = window.document.model

    window.compare_again()

    again = compared(window, qtbot)
    assert again is not parted
    assert again.comparison == parted.comparison
    assert again.comparison.rows[3].note == PARTED
    assert window.document.session.hand_pairs == pairs
    assert window.document.model is model


def test_without_anything_to_compare_nothing_happens(window: MainWindow) -> None:
    window.compare_again()
    assert window.document.state.case is None
    assert not window.jobs.steps


def test_what_was_cancelled_goes_on(window: MainWindow, qtbot: QtBot) -> None:
    window.open(SAMPLES[0].model)
    before = compared(window, qtbot)
    window.document.take_case(replace(before, complete=False))

    window.compare_again()

    assert compared(window, qtbot).comparison == before.comparison


def test_of_three_runs_the_stage_at_fault_is_worked_out_anew(window: MainWindow, qtbot: QtBot) -> None:
    sample = SAMPLES[0]
    assert sample.candidate_run is not None and sample.reference_run is not None
    files = {"candidate": sample.candidate_run, "simulator": sample.candidate_run, "reference": sample.reference_run}
    window.comparisons.start(Setup("three-way", files | {"model": sample.model}))
    first = compared(window, qtbot)
    assert first.stages is not None
    window.panels.show("matches")
    panel = matches(window)
    qtbot.waitUntil(lambda: panel.table.rowCount() > 0)
    panel.view.selectRow(0)

    panel.part_button.click()

    parted = compared(window, qtbot)
    assert parted.stages is not None and parted.stages is not first.stages
    assert parted.match is not None and parted.match.pairs[0].note == PARTED
    assert panel.hint.button.isHidden()
