"""The inspector on a simulation: values on a sample, the grid they were coded on, weights, and all samples."""

import os
import signal

import pytest
from PySide6.QtCore import QUrl
from pytestqt.qtbot import QtBot

from errorflow.base.errors import FileError
from errorflow.explain.blame.model import blame_text
from errorflow.explain.inspect.figure import Rules
from errorflow.quant.plan import FLOAT
from errorflow.study.simulate.coded import qparams_under
from errorflow_viewer.panels.inspector.content import WAITING, Content
from errorflow_viewer.panels.inspector.facts_view import FactsView
from errorflow_viewer.panels.inspector.plots import HistogramView
from errorflow_viewer.panels.inspector.samples import WORST
from errorflow_viewer.window.window import MainWindow
from viewer.panels.inspector.inspecting import complete, facts_text, select
from viewer.simulated import CULPRIT, outcome, seen_through, simulation

VIEWS_OF_VALUES = ("histogram", "errors", "scatter", "channels", "planes", "values", "facts")


@pytest.fixture
def seen(panel: Content, lent_window: MainWindow, qtbot: QtBot) -> Content:
    """The sample is simulated, and the culprit selected."""
    return select(panel, lent_window, qtbot, CULPRIT)


def pick(content: Content, qtbot: QtBot, end: str) -> None:
    """The first tensor of that kind in the box."""
    at = next(at for at in range(content.tensor.count()) if content.tensor.itemText(at).startswith(end))
    content.tensor.setCurrentIndex(at)
    complete(content, qtbot)


@pytest.mark.parametrize("key", VIEWS_OF_VALUES)
def test_every_view_shows_it(key: str, seen: Content) -> None:
    assert seen.buttons.by_key[key].isEnabled()
    seen.buttons.by_key[key].click()
    assert seen.view == key
    assert seen.subject is not None and seen.subject.looked is not None
    assert seen.subject.looked.tensors.together


def test_the_grid_is_the_one_that_ran(seen: Content, window: MainWindow) -> None:
    looked = seen.subject.looked if seen.subject is not None else None
    bench, found = window.studies.simulating.bench, outcome(window)
    assert looked is not None and bench is not None and found is not None
    assert looked.tensors.qparams is not None
    assert looked.tensors.qparams == qparams_under(bench.engine, found.plan, looked.tensors.name)
    seen.buttons.by_key["histogram"].click()
    view = seen.views["histogram"]
    assert isinstance(view, HistogramView) and view.widget.plot.figure is not None
    assert any(isinstance(layer, Rules) and layer.ticks for layer in view.widget.plot.figure.layers)
    assert "by which the plan codes it" in facts_text(shown_facts(seen))


def test_weights_are_seen_in_float_against_coded(seen: Content, qtbot: QtBot) -> None:
    pick(seen, qtbot, "Weight")
    assert seen.subject is not None and seen.subject.looked is not None
    looked = seen.subject.looked
    assert looked.tensors.together and looked.tensors.qparams is not None
    assert looked.row is not None and looked.row.values["sqnr"] > 10
    assert "as the plan codes it" in facts_text(shown_facts(seen))


def test_a_node_in_float_has_no_grid_and_keeps_its_place(seen: Content, window: MainWindow, qtbot: QtBot) -> None:
    pick(seen, qtbot, "Weight")
    before = seen.tensor.currentText()
    window.studies.simulating.edit("Keep it in float", simulation(window).plan.keeping_float(CULPRIT))
    seen_through(window, qtbot)
    qtbot.waitUntil(lambda: seen.subject is not None and seen.subject.looked is not None)
    complete(seen, qtbot)
    assert seen.tensor.currentText() == before
    assert seen.subject is not None and seen.subject.looked is not None
    assert seen.subject.looked.tensors.qparams is None
    assert "leaves it in float" in facts_text(shown_facts(seen))
    assert FLOAT in {rule.weights for rule in simulation(window).plan.rules}


def test_samples_stand_in_the_box_the_worst_first(seen: Content, window: MainWindow, qtbot: QtBot) -> None:
    found = outcome(window)
    assert found is not None and not seen.sample.isHidden()
    worst = found.worst_sample
    assert seen.sample.itemText(0).startswith(f"Worst, sample {worst + 1}")
    assert [seen.sample.itemData(at) for at in (0, 1)] == [WORST, worst]
    assert seen.sample.count() == len(found.table.samples) + 1


def test_another_sample_has_other_values_and_can_be_taken_back(seen: Content, window: MainWindow, qtbot: QtBot) -> None:
    assert seen.subject is not None and seen.subject.looked is not None
    before = seen.subject.looked.tensors.reference
    last = int(seen.sample.itemData(seen.sample.count() - 1))
    seen.sample.activated.emit(seen.sample.count() - 1)
    complete(seen, qtbot)
    assert simulation(window).sample == last
    assert seen.sample.currentData() == last
    after = seen.subject.looked.tensors.reference
    assert before is not None and after is not None and (before != after).any()
    window.document.undo()
    complete(seen, qtbot)
    assert simulation(window).sample == WORST


def shown_facts(seen: Content) -> Content:
    seen.buttons.by_key["facts"].click()
    return seen


def test_facts_tell_of_all_samples_and_lead_to_the_worst(seen: Content, window: MainWindow, qtbot: QtBot) -> None:
    text = facts_text(shown_facts(seen))
    found = outcome(window)
    assert found is not None
    assert f"On each of {len(found.table.samples)} samples" in text and "median" in text
    facts = seen.views["facts"]
    assert isinstance(facts, FactsView)
    facts.text.anchorClicked.emit(QUrl("sample:1"))
    assert simulation(window).sample == 1


def test_facts_tell_all_parts_of_the_nodes_error(seen: Content) -> None:
    text = facts_text(shown_facts(seen))
    assert all(label in text for label in ("Accumulated", "Node, same input", "Introduced", "Inherited"))


def test_facts_tell_the_share_of_blame_as_the_list_does(seen: Content, window: MainWindow) -> None:
    found, subject = window.document.state.findings, seen.subject
    assert found is not None and found.blame is not None and subject is not None and subject.node is not None
    share = blame_text(float(found.blame.blame_shares[subject.node]))
    assert share and f"Share {share} of the error at {found.blame.blamed_at}" in " ".join(
        facts_text(shown_facts(seen)).split()
    )


def test_a_simulation_that_goes_deeper_is_not_read_again(seen: Content, window: MainWindow, qtbot: QtBot) -> None:
    looked = seen.subject.looked if seen.subject is not None else None
    window.studies.simulating.again()
    seen_through(window, qtbot)
    assert seen.subject is not None and seen.subject.looked is looked


def test_a_crash_while_it_is_read_is_not_seen(seen: Content, window: MainWindow, qtbot: QtBot) -> None:
    bench = window.studies.simulating.bench
    assert bench is not None
    worker = bench.engine._process._worker
    assert worker is not None and worker.process.pid is not None
    os.kill(worker.process.pid, signal.SIGKILL)
    select(seen, window, qtbot, "/block1/Add")
    assert seen.subject is not None and seen.subject.looked is not None


def test_what_cannot_be_read_is_a_sentence(seen: Content) -> None:
    assert seen.subject is not None
    seen._inspect(seen.subject.graph, seen.subject.choice)
    seen._looking.stop()
    seen._fail(FileError("The engine ended.", "Simulate again."))
    assert "The engine ended. Simulate again." in facts_text(seen)


def test_while_it_waits_it_says_so(seen: Content, window: MainWindow, qtbot: QtBot) -> None:
    assert seen.subject is not None
    seen.buttons.by_key["histogram"].click()
    seen._inspect(seen.subject.graph, seen.subject.choice)
    seen._say_waiting()
    assert WAITING in facts_text(seen)
    complete(seen, qtbot)
    assert seen.view == "histogram"


def test_behind_a_simulation_there_is_no_sample_to_choose(seen: Content, window: MainWindow, qtbot: QtBot) -> None:
    window.studies.simulating.leave()
    qtbot.waitUntil(lambda: window.document.comparison is not None)
    assert seen.sample.isHidden()
