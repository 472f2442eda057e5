"""The page on which a case becomes a ticket."""

import zipfile
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bundles import lines_of
from errorflow.base.sample import SAMPLES
from errorflow_viewer.pages.ticket.nodes import MOST, _more
from errorflow_viewer.pages.ticket.page import NOTICE, LongAnswer, TicketPage
from errorflow_viewer.window.comparisons import SAMPLE_STORY
from errorflow_viewer.window.window import MainWindow
from viewer.lending import Prepare
from viewer.opened import opened, said

CULPRIT = "/block2/project/conv/Conv"


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> TicketPage:
    """Of the sample, with all that there is to know of it."""
    monkeypatch.setenv("USER", "margaret")
    opened(window, qtbot)
    qtbot.waitUntil(lambda: window.document.state.findings is not None and not window.jobs.steps)
    return _shown(window, qtbot)


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    def sample(window: MainWindow, qtbot: QtBot) -> None:
        opened(window, qtbot)
        qtbot.waitUntil(lambda: window.document.state.findings is not None and not window.jobs.steps)

    return sample


@pytest.fixture
def seen(lent_window: MainWindow, qtbot: QtBot) -> TicketPage:
    """The same, for those who choose nothing in it."""
    lent_window.leave_page()
    return _shown(lent_window, qtbot)


def _shown(window: MainWindow, qtbot: QtBot) -> TicketPage:
    window.commands.made["ticket"].trigger()
    page = window.stack.currentWidget()
    assert isinstance(page, TicketPage)
    qtbot.waitUntil(lambda: page.plan is not None)
    return page


def _choose(page: TicketPage, qtbot: QtBot, name: str) -> None:
    page.nodes.filter.setText(name)
    cell = page.nodes.table.index(0, 0)
    assert cell.data() == name
    assert page.nodes.table.setData(cell, Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
    qtbot.waitUntil(lambda: page.plan is not None and page.plan.choice.nodes == page.nodes.chosen)


def _written(page: TicketPage, window: MainWindow, qtbot: QtBot, path: Path) -> Path:
    page.write(path)
    qtbot.waitUntil(lambda: any(notice.key == NOTICE for notice in said(window)))
    return path


def test_there_is_no_ticket_without_a_model(window: MainWindow) -> None:
    assert not window.commands.made["ticket"].isEnabled()


def test_nothing_that_is_large_or_secret_is_chosen_at_first(seen: TicketPage) -> None:
    choice = seen.choice
    assert (choice.nodes, choice.model, choice.inputs) == ((), False, False)
    assert choice.redactions.paths and choice.redactions.names


def test_the_nodes_that_are_to_blame_stand_first_with_what_they_weigh(seen: TicketPage) -> None:
    assert [seen.nodes.table.index(0, column).data() for column in range(3)] == [CULPRIT, "origin", "4,784 bytes"]


def test_nodes_are_found_by_name_and_what_was_chosen_stays(page: TicketPage, qtbot: QtBot) -> None:
    _choose(page, qtbot, CULPRIT)
    page.nodes.filter.setText("softmax")
    assert page.nodes.table.rowCount() == 1
    assert page.nodes.chosen == (CULPRIT,)
    page.nodes.filter.setText("no such node")
    assert page.nodes.more.text() == "No node is called like that."


@pytest.mark.parametrize(
    ("count", "fitting", "text"), [(0, 0, "There are no tensors"), (9, 9, ""), (999, MOST + 5, "And 5 more")]
)
def test_what_the_list_does_not_show_is_said(count: int, fitting: int, text: str) -> None:
    assert _more(count, fitting).startswith(text)


def test_sizes_follow_what_is_chosen(page: TicketPage, qtbot: QtBot) -> None:
    assert page.plan is not None
    before = page.plan.size
    _choose(page, qtbot, CULPRIT)
    page.weights.setChecked(True)
    qtbot.waitUntil(lambda: page.plan is not None and page.plan.choice.model)
    assert page.plan.size >= before + 4784 + SAMPLES[0].model.stat().st_size
    assert page.tensors.text().startswith(
        "What the ticked node makes and reads, in both runs: 4,784"
    ) and page.total.text().endswith("before packing")


def test_what_is_not_there_cannot_be_chosen(seen: TicketPage) -> None:
    """The runs of the sample were not fed with anything that is known."""
    assert not seen.inputs.isEnabled() and seen.inputs.text().endswith("none here")


def test_the_form_has_what_is_known_and_keeps_what_is_typed(page: TicketPage, qtbot: QtBot) -> None:
    assert page.answers.lines["problem"].text().startswith(f"Node error: {CULPRIT}")
    QTest.keyClicks(page.answers.lines["chip"], "AX650N")
    qtbot.waitUntil(lambda: page.plan is not None and page.plan.choice.answers == {"chip": "AX650N"})
    assert page.answers.lines["chip"].text() == "AX650N"


def test_a_long_answer_is_seen_whole(page: TicketPage, qtbot: QtBot) -> None:
    answer, chip = page.answers.lines["problem"], page.answers.lines["chip"]
    assert isinstance(answer, LongAnswer)
    answer.setFocus()
    answer.setText("")
    empty = answer.height()
    QTest.keyClicks(answer, "word " * 60)
    QTest.keyClick(answer, Qt.Key.Key_Return)
    QTest.keyClicks(answer, "second")
    assert answer.height() >= empty + 2 * answer.fontMetrics().lineSpacing() and empty == chip.height()
    assert answer.verticalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    qtbot.waitUntil(lambda: page.plan is not None and "second" in page.plan.choice.answers.get("problem", ""))
    QTest.keyClick(answer, Qt.Key.Key_Tab)
    assert not answer.text().endswith("\t")


def test_what_is_told_of_the_graph_takes_no_room_here(seen: TicketPage, window: MainWindow) -> None:
    rows = [row for row in window.banners.rows if row.notice.key == SAMPLE_STORY]
    assert rows and not any(row.isVisible() for row in rows)
    seen.back.click()
    assert all(row.isVisible() for row in rows)


def test_what_is_taken_out_is_shown_before_it_is_written(page: TicketPage, window: MainWindow, qtbot: QtBot) -> None:
    window.document.edit("Write a note", notes={CULPRIT: "margaret saw it in /home/margaret/dump.npz"})
    qtbot.waitUntil(lambda: page.taken_out.table.rowCount() == 2)
    rows = {tuple(page.taken_out.table.index(at, column).data() for column in range(2)) for at in range(2)}
    assert rows == {("/home/margaret/dump.npz", "dump.npz"), ("margaret", "[user]")}
    page.taken_out.names.setChecked(False)
    qtbot.waitUntil(lambda: page.taken_out.table.rowCount() == 1)
    page.taken_out.paths.setChecked(False)
    qtbot.waitUntil(lambda: "Nothing is taken out" in page.taken_out.note.text())


def test_a_bundle_is_written_and_the_folder_is_offered(
    page: TicketPage, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    _choose(page, qtbot, CULPRIT)
    QTest.keyClicks(page.answers.lines["chip"], "AX650N")
    path = _written(page, window, qtbot, tmp_path / "case.zip")
    notice = next(each for each in said(window) if each.key == NOTICE)
    assert notice.text.startswith("case.zip is written: ") and notice.button == "Open folder"
    assert window.stack.currentWidget() is window.pair
    with zipfile.ZipFile(path) as archive:
        assert sum(name.startswith("tensors/") for name in archive.namelist()) == 4
    assert "- **Chip and board**: AX650N" in lines_of(path, "ticket.md")


def test_what_cannot_be_written_is_a_message(
    seen: TicketPage, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    seen.write(tmp_path / "gone" / "case.zip")
    qtbot.waitUntil(lambda: any(notice.kind == "error" for notice in said(window)))
    assert window.stack.currentWidget() is seen


def test_another_model_begins_anew(page: TicketPage, window: MainWindow, qtbot: QtBot) -> None:
    _choose(page, qtbot, CULPRIT)
    QTest.keyClicks(page.answers.lines["chip"], "AX650N")
    page.back.click()
    opened(window, qtbot, SAMPLES[1].model)
    page = _shown(window, qtbot)
    assert page.nodes.chosen == () and page.answers.lines["chip"].text() == ""


def test_escape_leaves_the_page(seen: TicketPage, window: MainWindow) -> None:
    QTest.keyClick(seen, Qt.Key.Key_Escape)
    assert window.stack.currentWidget() is window.pair


def test_a_model_without_runs_makes_a_ticket_too(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    model = tmp_path / "net.onnx"
    model.write_bytes(SAMPLES[0].model.read_bytes())
    opened(window, qtbot, model)
    page = _shown(window, qtbot)
    assert "There are no tensors" in page.nodes.more.text()
    path = _written(page, window, qtbot, tmp_path / "case.zip")
    assert "Nothing was compared." in "\n".join(lines_of(path, "ticket.md"))
