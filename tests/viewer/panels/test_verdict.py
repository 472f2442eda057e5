"""The panel of the verdict: what it says, and where it leads."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QTextBrowser
from pytestqt.qtbot import QtBot

from errorflow.compare.match.model import Match
from errorflow.compare.model import PENDING, Comparison, Row
from errorflow.explain.blame.model import Contribution
from errorflow.explain.findings.model import Findings
from errorflow.explain.stages.model import Stages
from errorflow.report.blame import blame_lines
from errorflow_viewer.document.verdict_words import TABLE
from errorflow_viewer.panels.verdict.panel import VerdictPanel, page
from errorflow_viewer.window.window import MainWindow
from viewer.cases import case_with
from viewer.lending import Prepare
from viewer.verdicts import compared, judged, node_error, show


def panel_of(window: MainWindow) -> VerdictPanel:
    found = window.panels.by_key["verdict"].content
    assert isinstance(found, VerdictPanel)
    return found


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    return lambda window, qtbot: show(window.document, node_error("No model."))


def shown(window: MainWindow, qtbot: QtBot, found: Findings) -> VerdictPanel:
    show(window.document, found)
    panel = panel_of(window)
    qtbot.waitUntil(lambda: panel.told is not None and not window.jobs.running("verdict"))
    return panel


@pytest.fixture
def panel(lent_window: MainWindow, qtbot: QtBot) -> VerdictPanel:
    panel = panel_of(lent_window)
    qtbot.waitUntil(lambda: panel.told is not None and not lent_window.jobs.running("verdict"))
    return panel


@pytest.fixture
def own_panel(own_window: MainWindow, qtbot: QtBot) -> VerdictPanel:
    """For what takes away what was found."""
    return shown(own_window, qtbot, node_error("No model."))


def lines(panel: VerdictPanel) -> list[str]:
    text = panel.text.toPlainText().replace("\u200b", "").replace("\ufffc", "")
    return [line.strip() for line in text.splitlines() if line.strip()]


def test_it_says_who_brings_how_much_and_what_to_do(panel: VerdictPanel) -> None:
    said = lines(panel)
    assert said[:2] == ["Node error", "relu1 brings 98 % of the error at t5."]
    assert "Estimated, since no node could be run: No model." in said
    assert any(line.endswith("likely") for line in said) and "Relu · origin, relative error 0.2" in said
    for advice in panel.told.advice if panel.told else ():
        assert {advice.text, advice.why, f"Source: {advice.source}"} <= set(said)


def test_where_it_turns_bad_is_said_as_the_command_line_says_it(panel: VerdictPanel, window: MainWindow) -> None:
    found = window.document.state.findings
    assert found is not None and found.blame is not None
    where = "relu1 (beyond 0.1, or raised there)"
    assert f"It turns clearly bad at {where}; 2 nodes behind are explained by it." in list(blame_lines(found.blame))
    assert {"relu1", "2 nodes behind are explained by it."} <= set(lines(panel))


def test_what_could_not_be_judged_is_counted(panel: VerdictPanel) -> None:
    assert "2 of 6 nodes could not be judged." in lines(panel)


def test_it_counts_why_nodes_could_not_be_judged(window: MainWindow, qtbot: QtBot) -> None:
    found = node_error()
    assert found.blame is not None
    notes = {4: "nothing that it makes was measured", 5: "nothing that it makes was measured"}
    panel = shown(window, qtbot, replace(found, blame=replace(found.blame, notes=notes)))
    assert "2: nothing that it makes was measured" in lines(panel)


def test_each_output_has_its_verdict_and_its_number(window: MainWindow, qtbot: QtBot) -> None:
    found = node_error()
    assert found.blame is not None
    tensor = found.graph.tensor_names.index("t1")
    model = replace(found.blame.model, outputs=((tensor, found.blame.model),))
    panel = shown(window, qtbot, replace(found, blame=replace(found.blame, model=model)))
    (output,) = panel.told.outputs if panel.told else ()
    scale = found.scale(window.document.session.painting.metric, {})
    assert scale is not None
    assert output.value == scale.text(float(found.measured(scale).values[tensor]))
    assert scale.formula in output.tip
    assert {"t1", "Node error", output.value} <= set(lines(panel))


@pytest.mark.parametrize(("link", "node"), [("node:1", 1), ("node:2", 2), ("explain:", 1)])
def test_a_link_leads_to_its_node(link: str, node: int, panel: VerdictPanel, window: MainWindow) -> None:
    panel.text.anchorClicked.emit(QUrl(link))
    assert window.document.state.node == node


def test_what_the_first_explains_is_outlined_and_that_can_be_undone(panel: VerdictPanel, window: MainWindow) -> None:
    painting = window.document.session.painting
    window.document.edit("Outline the front", painting=replace(painting, front=False))
    panel.text.anchorClicked.emit(QUrl("explain:"))
    assert window.document.session.painting.front
    window.document.undo()
    assert not window.document.session.painting.front


def test_another_metric_shows_its_numbers(panel: VerdictPanel, window: MainWindow, qtbot: QtBot) -> None:
    before = panel.told
    painting = window.document.session.painting
    window.document.edit("Limits", painting=replace(painting, limits={"cosine": (0.9, 0.5)}))
    assert not window.jobs.running("verdict")
    window.document.edit("Paint", painting=replace(painting, metric="cosine"))
    qtbot.waitUntil(lambda: panel.told is not before)


@pytest.mark.parametrize("query", ["verdict:origin", "verdict:not-measured"])
def test_a_link_searches_the_list_of_nodes(query: str, panel: VerdictPanel, window: MainWindow) -> None:
    assert f'href="search:{query}"' in page(panel.told, window.appearance.theme) if panel.told else False
    panel.text.anchorClicked.emit(QUrl(f"search:{query}"))
    assert window.document.state.search == query


def test_a_link_shows_the_problems(panel: VerdictPanel, window: MainWindow) -> None:
    panel.text.anchorClicked.emit(QUrl("problems:"))
    assert window.panels.is_shown("problems")


def test_the_pointer_on_a_name_points_everywhere(panel: VerdictPanel, window: MainWindow, qtbot: QtBot) -> None:
    for link, node in (("node:2", 2), ("", None)):
        with qtbot.waitSignal(window.document.pointed) as pointed:
            panel.text.highlighted.emit(QUrl(link))
        assert pointed.args == [node]


def test_it_is_copied_as_the_command_line_prints_it(panel: VerdictPanel, window: MainWindow) -> None:
    QGuiApplication.clipboard().clear()
    panel.copy.click()
    found = window.document.state.findings
    assert found is not None and found.blame is not None
    assert QGuiApplication.clipboard().text().splitlines()[:-1] == list(blame_lines(found.blame))


def test_the_button_goes_to_the_worst_node(panel: VerdictPanel, window: MainWindow) -> None:
    panel.worst.click()
    assert window.document.state.node is not None


def test_it_comes_to_the_front_once_for_each_comparison(window: MainWindow, qtbot: QtBot) -> None:
    panel = shown(window, qtbot, node_error())
    assert not panel.visibleRegion().isEmpty()
    window.panels.show("details")
    window.document.take_case(compared(node_error()))
    qtbot.waitUntil(lambda: not window.jobs.running("verdict"))
    assert panel.visibleRegion().isEmpty()
    window.document.take_case(None)
    shown(window, qtbot, node_error())
    assert not panel.visibleRegion().isEmpty()


def test_it_does_not_come_to_the_front_while_something_is_selected(window: MainWindow, qtbot: QtBot) -> None:
    found = node_error()
    show(window.document, found)
    window.document.select(node=2)
    panel = panel_of(window)
    qtbot.waitUntil(lambda: panel.told is not None)
    assert panel.visibleRegion().isEmpty()


def test_it_stays_hidden_where_the_user_hid_it(window: MainWindow, qtbot: QtBot) -> None:
    show(window.document, node_error())
    window.panels.hide("verdict")
    qtbot.waitUntil(lambda: panel_of(window).told is not None)
    assert not window.panels.is_shown("verdict")


def test_before_a_comparison_it_offers_one(window: MainWindow) -> None:
    panel = panel_of(window)
    assert panel.stack.currentWidget() is panel.nothing
    panel.nothing.button.click()
    assert window.stack.currentWidget() is window.comparisons.page


def test_a_table_of_another_tool_offers_a_comparison(own_panel: VerdictPanel, own_window: MainWindow) -> None:
    assert own_window.document.comparison is not None
    own_window.document.take_case(case_with(own_window.document.comparison))
    assert own_panel.stack.currentWidget() is own_panel.nothing
    assert own_panel.nothing.sentence.text().startswith(TABLE)


def test_while_it_is_measured_it_says_how_far_it_is(own_panel: VerdictPanel, own_window: MainWindow) -> None:
    rows = (Row("a", None, None, {"cosine": 1.0}), Row("b", None, None, note=PENDING))
    own_window.document.take_case(case_with(Comparison(rows), Match(()), complete=False))
    assert own_panel.stack.currentWidget() is own_panel.waiting
    assert "1 of 2 tensors" in own_panel.waiting.sentence.text()


def test_of_three_runs_it_says_which_step_is_at_fault(
    own_panel: VerdictPanel, own_window: MainWindow, qtbot: QtBot
) -> None:
    found = node_error()
    stages = Stages((), "deployment", "Deployment is at fault.")
    own_window.document.take_case(case_with(found.comparison, Match(()), found.blame, stages=stages))
    qtbot.waitUntil(lambda: own_panel.told is not None and own_panel.told.stages == (stages.text,))
    assert stages.text in lines(own_panel)


def test_a_good_one_blames_nobody(window: MainWindow, qtbot: QtBot) -> None:
    said = lines(shown(window, qtbot, judged("good", "Good: the output is within the limit.")))
    assert said[:2] == ["Good", "The output is within the limit."]
    assert "What brings the error" not in said


def test_another_theme_has_other_colours(panel: VerdictPanel, window: MainWindow) -> None:
    window.panels.show("verdict")
    before = panel.text.viewport().grab().toImage()
    window.set_theme("dark")
    assert panel.text.viewport().grab().toImage() != before


def test_a_name_is_no_markup(window: MainWindow, qtbot: QtBot) -> None:
    panel = shown(window, qtbot, judged("node error", "Node error: <b>bold</b> brings it.", (Contribution(1, 1.0),)))
    assert "<b>bold</b> brings it." in lines(panel)


def test_links_take_the_keyboard(panel: VerdictPanel) -> None:
    assert isinstance(panel.text, QTextBrowser) and panel.text.accessibleName() == "Verdict"


def test_a_click_on_a_node_brings_the_evidence_and_a_link_keeps_the_page(
    panel: VerdictPanel, window: MainWindow
) -> None:
    window.panels.show("verdict")
    panel.worst.click()
    assert window.document.state.node is not None and window.panels.is_in_front("verdict")
    window.document.pick(0)
    assert window.panels.is_in_front("inspector")
