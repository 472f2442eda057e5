"""Asking which nodes matter, with a real engine."""

import gc
import weakref
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from errorflow.case.session.file import write_session
from errorflow.case.session.model import KeptRanking
from errorflow.quant.switching import overrides
from errorflow.study.rank.model import Question, Ranking
from errorflow.study.rank.reading import order
from errorflow_viewer.commands.switching import toggle
from errorflow_viewer.document.ranking import KEY, KNOWN, known_rankings, with_ranking
from errorflow_viewer.document.simulation_work import KEY as SIMULATE
from errorflow_viewer.panels.curves.panel import CurvesPanel
from errorflow_viewer.panels.ranking.panel import RankingPanel
from errorflow_viewer.window.error_painting import RANKED_BEFORE
from errorflow_viewer.window.window import MainWindow
from rankings import parts_of_nodes, ranking_of
from viewer.lending import SHARED
from viewer.moments import once_running
from viewer.simulated import CULPRIT, FEW, open_model, seen_through, simulate, simulation


def ranked(window: MainWindow, qtbot: QtBot) -> Ranking:
    """What is known when all of it is."""
    qtbot.waitUntil(
        lambda: (
            not window.studies.ranking.busy and not window.studies.ranking.waits and window.studies.ranking.is_of_plan
        )
    )
    found = window.document.state.ranking
    assert found is not None and found.complete
    return found


def first(ranking: Ranking) -> str:
    return ranking.parts[int(order(ranking)[0])].name


@SHARED
def test_the_culprit_is_first_and_it_is_kept_in_the_session(window: MainWindow, qtbot: QtBot) -> None:
    window.studies.ranking.ask()
    assert window.studies.ranking.busy and window.jobs.running(KEY)
    ranking = ranked(window, qtbot)
    assert CULPRIT in ranking.parts[int(order(ranking)[0])].nodes
    (kept,) = window.document.session.rankings
    assert kept.ranking is ranking and kept.basis == simulation(window).basis
    assert window.document.undo_text == "Simulate", "what was found out is no step"


def test_without_a_simulation_one_is_asked_for_first(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    with qtbot.waitSignal(window.studies.simulating.asked):
        window.studies.ranking.ask()
    assert window.studies.ranking.waits and not window.studies.ranking.busy
    window.studies.simulating.start(FEW)
    qtbot.waitUntil(lambda: window.document.session.simulation is not None)
    assert first(ranked(window, qtbot))
    assert not window.studies.ranking.waits


def test_who_closes_the_model_does_not_wait_for_its_ranking(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    window.studies.ranking.ask()
    window.close_model()
    assert not window.studies.ranking.waits


@SHARED
def test_a_cancelled_ranking_keeps_what_is_known_and_goes_on_from_there(window: MainWindow, qtbot: QtBot) -> None:
    window.studies.ranking.choose("Rank tensors", Question(kind="tensor", measures=("impact", "recovery")))
    given: list[Ranking] = []

    def cancel(fields: frozenset[str]) -> None:
        ranking = window.document.state.ranking
        if "ranking" in fields and ranking is not None and 0 < ranking.share_done < 1 and window.studies.ranking.busy:
            given.append(ranking)
            window.studies.ranking.stop()

    window.document.changed.connect(cancel)
    window.studies.ranking.ask()
    qtbot.waitUntil(lambda: not window.studies.ranking.busy)
    window.document.changed.disconnect(cancel)
    known = window.document.state.ranking
    assert given and known is not None and not known.complete
    assert known.share_done >= given[0].share_done
    window.studies.ranking.ask()
    complete = ranked(window, qtbot)
    done = known.done["impact"]
    assert (
        complete.values["impact"][:, done.any(axis=1)][..., 0] == known.values["impact"][:, done.any(axis=1)][..., 0]
    ).all()


@SHARED
def test_another_question_is_a_step_and_waits_until_it_is_asked(window: MainWindow, qtbot: QtBot) -> None:
    window.studies.ranking.ask()
    ranking = ranked(window, qtbot)
    weights = replace(window.studies.ranking.question, kind="weight")
    window.studies.ranking.choose("Rank weights", weights)
    assert window.document.undo_text == "Rank weights"
    assert window.document.state.ranking is None and not window.studies.ranking.busy
    window.document.undo()
    assert window.document.state.ranking is ranking


@SHARED
def test_another_plan_shows_the_ranking_of_the_one_before_until_it_is_ranked(window: MainWindow, qtbot: QtBot) -> None:
    window.studies.ranking.ask()
    ranking = ranked(window, qtbot)
    plan = simulation(window).plan
    window.studies.simulating.edit("Keep it", plan.keeping_float(CULPRIT))
    assert window.document.state.ranking is ranking and not window.studies.ranking.is_of_plan
    window.studies.ranking.ask()
    assert ranked(window, qtbot).plan == plan.keeping_float(CULPRIT)
    window.document.undo()
    assert window.document.state.ranking is ranking and window.studies.ranking.is_of_plan


@SHARED
def test_a_toggle_is_simulated_while_a_ranking_runs(window: MainWindow, qtbot: QtBot) -> None:
    node = window.document.graph.node_index(CULPRIT) if window.document.graph is not None else None
    window.document.select(node)
    window.studies.ranking.choose("Rank tensors", Question(kind="tensor", measures=("impact", "recovery")))
    window.studies.ranking.ask()
    meanwhile = once_running(window.jobs, SIMULATE, lambda: window.studies.ranking.busy)
    toggle(window)
    qtbot.waitUntil(lambda: bool(meanwhile))
    assert meanwhile == [True]
    seen_through(window, qtbot)
    qtbot.waitUntil(lambda: not window.studies.ranking.busy)


@SHARED
def test_leaving_the_simulation_ends_the_ranking(window: MainWindow, qtbot: QtBot) -> None:
    window.studies.ranking.ask()
    window.studies.simulating.leave()
    assert not window.studies.ranking.busy and not window.jobs.running(KEY)
    assert window.document.state.ranking is None


@SHARED
def test_a_session_remembers_only_the_newest(window: MainWindow, qtbot: QtBot) -> None:
    graph = window.document.graph
    assert graph is not None
    session = window.document.session
    for number in range(KNOWN + 2):
        question = Question(samples=(number,))
        found = ranking_of(parts_of_nodes(graph), [0.1] * len(graph), question=question, samples=1)
        session = with_ranking(session, KeptRanking(simulation(window).basis, found))
    assert [each.ranking.question.samples[0] for each in session.rankings] == list(range(2, KNOWN + 2))
    newest = Question(samples=(KNOWN + 1,))
    assert len(known_rankings(session, simulation(window), newest)) == 1


@SHARED
def test_painting_by_impact_is_a_step(window: MainWindow, qtbot: QtBot) -> None:
    window.studies.ranking.ask()
    ranked(window, qtbot)
    window.studies.ranking.paint("impact")
    assert window.document.undo_text == "Paint by impact"
    paint = window._graph_view.errors.paint
    assert paint is not None and paint.measure.startswith("Impact · Relative error at ")
    window.document.undo()
    paint = window._graph_view.errors.paint
    assert paint is not None and paint.measure.startswith("accumulated")


@SHARED
def test_a_ranking_of_the_plan_before_is_painted_as_one(window: MainWindow, qtbot: QtBot) -> None:
    window.studies.ranking.ask()
    ranked(window, qtbot)
    window.studies.ranking.paint("impact")
    window.studies.simulating.edit("Keep it", simulation(window).plan.keeping_float(CULPRIT))
    paint = window._graph_view.errors.paint
    assert paint is not None and paint.older
    assert paint.measure.startswith("Plan before: Impact · Relative error at ")
    assert RANKED_BEFORE in paint.note(int(paint.errors.nodes.argmax()))
    window.document.undo()
    paint = window._graph_view.errors.paint
    assert paint is not None and not paint.older and paint.measure.startswith("Impact")


@SHARED
def test_painting_by_what_was_not_ranked_says_so(window: MainWindow, qtbot: QtBot) -> None:
    window.studies.ranking.ask()
    ranked(window, qtbot)
    recovery = window.commands.made["rank.paint.recovery"]
    assert not recovery.isEnabled() and "ranked by recovery" in recovery.toolTip()
    assert window.commands.made["rank.paint.impact"].isEnabled()


@SHARED
def test_after_the_command_keys_paint_the_graph(window: MainWindow, qtbot: QtBot) -> None:
    window.panels.show("nodes")
    window.find_node()
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_F8)
    ranked(window, qtbot)
    assert window.panels.is_shown("ranking") and window.focusWidget() is window.view
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_I)
    assert window.document.session.painting.ranked == "impact"


@SHARED
def test_so_they_do_after_the_button_of_the_panel_which_goes_away(window: MainWindow, qtbot: QtBot) -> None:
    window.panels.show("ranking")
    panel = window.panels.by_key["ranking"].content
    assert isinstance(panel, RankingPanel)
    panel.empty.button.setFocus()
    QTest.keyClick(panel.empty.button, Qt.Key.Key_Space)
    ranked(window, qtbot)
    assert window.focusWidget() is window.view


@SHARED
def test_keeping_the_first_part_mends_the_output_as_one_step(window: MainWindow, qtbot: QtBot) -> None:
    window.studies.ranking.ask()
    ranking = ranked(window, qtbot)
    before = simulation(window).plan
    part = ranking.parts[int(order(ranking)[0])]
    said = window.studies.ranking.keep("Keep it in float", before, [part], "float")
    assert said.startswith("Keep it in float. ")
    assert window.document.undo_text == "Keep it in float"
    graph = window.document.graph
    assert graph is not None
    switched = {graph.node_names[node] for node, _ in overrides(graph, simulation(window).plan)}
    assert CULPRIT in switched, "the graph marks what is kept, and a key puts it back"
    rows = [row for row in seen_through(window, qtbot).comparison.rows if row.candidate is not None]
    (output,) = [row for row in rows if row.candidate is not None and row.candidate.name == "probabilities"]
    assert output.values["relative_l2"] < 0.05
    assert window.studies.ranking.base == before
    assert (
        window.studies.ranking.keep("Keep it in float", before, [part], "float")
        == "That is so already: nothing changes."
    )
    window.document.undo()
    assert simulation(window).plan == before


@SHARED
def test_a_reopened_session_shows_its_ranking_at_once(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window.studies.ranking.ask()
    ranking = ranked(window, qtbot)
    window.studies.ranking.paint("impact")
    path = tmp_path / "case.errorflow"
    write_session(window.document.session, path)
    window.close_model()
    window.open(path)
    qtbot.waitUntil(lambda: window.document.state.ranking is not None)
    found = window.document.state.ranking
    assert found is not None and found.parts == ranking.parts and found.complete
    assert window.document.session.painting.ranked == "impact"
    seen_through(window, qtbot)
    assert window.studies.ranking.is_of_plan, "nothing has to be ranked again"
    paint = window._graph_view.errors.paint
    assert paint is not None and paint.measure.startswith("Impact")


def test_a_closed_model_leaves_nothing_in_memory_in_panels_that_are_hidden(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    simulate(window, qtbot)
    panels = window.panels.by_key["ranking"].content, window.panels.by_key["curves"].content
    ranks, curves = panels
    assert isinstance(ranks, RankingPanel) and isinstance(curves, CurvesPanel)
    window.panels.show("ranking")
    window.studies.ranking.ask()
    ranked(window, qtbot)
    window.studies.ranking.paint("impact")
    window.panels.show("curves")
    curves.running.ask(replace(curves.running.asked, kind="recovery"))
    curves.running.start()
    qtbot.waitUntil(lambda: curves.running.curves is not None and not curves.running.busy)
    assert ranks.table.rows is not None and curves.plot.shown is not None
    for key in ("ranking", "curves"):
        if window.panels.is_shown(key):
            window.panels.toggle(key)
    qtbot.waitUntil(lambda: not window.jobs.steps)
    assert window.document.graph is not None and window.studies.simulating.bench is not None
    left = [weakref.ref(each) for each in (window.document.graph, window.studies.simulating.bench, curves.plot.shown)]
    window.close_model()
    assert ranks.table.rows is None and curves.plot.shown is None
    window.jobs.stop()

    def gone() -> bool:  # when what jobs have still sent is delivered
        gc.collect()
        return not any(each() is not None for each in left)

    qtbot.waitUntil(gone)
