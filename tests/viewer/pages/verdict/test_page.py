"""The verdict as a page in place of the graph."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow.case.said import MADE_UP
from errorflow.case.scenarios.setup import Setup
from errorflow_viewer.commands.verdict_bar import VerdictBar
from errorflow_viewer.pages.verdict.page import VerdictPage
from errorflow_viewer.pages.verdict.parts import NodeCard, VerdictPicture
from errorflow_viewer.window.window import MainWindow
from viewer.lending import SHARED, Prepare
from viewer.opened import opened
from viewer.simulated import simulate
from viewer.verdicts import compared, node_error, show

SAMPLE = next(sample for sample in SAMPLES if sample.key == "drift")


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    def sample(window: MainWindow, qtbot: QtBot) -> None:
        opened(window, qtbot, SAMPLE.model)
        qtbot.waitUntil(lambda: window.document.state.findings is not None)

    return sample


def _page(window: MainWindow) -> VerdictPage:
    if not isinstance(window.stack.currentWidget(), VerdictPage):  # where a test before left it
        window.commands.made["verdict.page"].trigger()
    page = window.stack.currentWidget()
    assert isinstance(page, VerdictPage)
    return page


def _written(window: MainWindow, qtbot: QtBot, path: Path = SAMPLE.model) -> VerdictPage:
    """The page of a sample with all its pictures; a window that is lent has the sample on view already."""
    if window.document.model is None or window.document.model.path != path:
        opened(window, qtbot, path)
    return _filled(window, qtbot)


def _filled(window: MainWindow, qtbot: QtBot) -> VerdictPage:
    """The same of what is open."""
    qtbot.waitUntil(lambda: window.document.state.findings is not None)
    page = _page(window)
    qtbot.waitUntil(lambda: page.account is not None and not window.jobs.steps)
    return page


def _cards(page: VerdictPage) -> list[NodeCard]:
    return _content(page).findChildren(NodeCard)


def _content(page: VerdictPage) -> QWidget:
    found = page.area.widget()
    assert found is not None
    return found


def _texts(page: QWidget) -> str:
    return "\n".join(label.text() for label in page.findChildren(QLabel) if label.isVisibleTo(page))


class TestContent:
    def test_it_tells_all_chapters_in_their_order(self, window: MainWindow, qtbot: QtBot) -> None:
        opened(window, qtbot, SAMPLE.model)
        window.document.edit("Note it", notes={"/head/fc/Gemm": "looked at by hand"})
        page = _filled(window, qtbot)
        text = _texts(page)
        titles = ("What was compared", "Verdict", "The nodes that matter", "What is recommended", "Notes")
        assert all(f"\n{title}\n" in f"\n{text}\n" for title in titles)
        assert [text.index(f"{title}\n") for title in titles] == sorted(text.index(f"{title}\n") for title in titles)
        assert "Accumulated error" in text and "looked at by hand" in text

    @SHARED
    def test_each_node_that_matters_is_a_card_with_numbers_and_a_picture(
        self, window: MainWindow, qtbot: QtBot
    ) -> None:
        page = _written(window, qtbot)
        cards = _cards(page)
        assert 3 <= len(cards) <= 5
        for card in cards:
            assert card.findChildren(VerdictPicture)
            assert "accumulated · relative error" in _texts(card) and "introduced · relative error" in _texts(card)

    def test_what_was_tried_is_told_of_a_simulation(self, window: MainWindow, qtbot: QtBot) -> None:
        opened(window, qtbot, SAMPLE.model)
        simulate(window, qtbot)
        page = _filled(window, qtbot)
        assert "What was tried" in _texts(page) and "Run 1 (on view)" in _texts(page)

    def test_inputs_that_were_made_up_are_said_plainly(self, window: MainWindow, qtbot: QtBot) -> None:
        window.comparisons.start(Setup("onnx", {"original": SAMPLE.model, "quantized": SAMPLE.candidate_model}))
        assert MADE_UP in _texts(_filled(window, qtbot))

    @SHARED
    def test_it_follows_what_is_decided_while_it_is_looked_at(self, window: MainWindow, qtbot: QtBot) -> None:
        page = _written(window, qtbot)
        painting = replace(window.document.session.painting, metric="cosine")
        window.document.edit("Paint by cosine", painting=painting)
        qtbot.waitUntil(lambda: "accumulated · Cosine similarity" in _texts(page))

    @SHARED
    def test_pictures_change_with_the_theme(self, window: MainWindow, qtbot: QtBot) -> None:
        page = _written(window, qtbot)
        before = _cards(page)[0].findChildren(VerdictPicture)[0].grab().toImage()
        window.set_theme("dark")
        QCoreApplication.processEvents()
        after = _cards(page)[0].findChildren(VerdictPicture)[0].grab().toImage()
        assert before.pixelColor(2, 2).lightness() > 200 and after.pixelColor(2, 2).lightness() < 60


class TestEmpty:
    def test_without_a_comparison_it_offers_both_ways_to_one(
        self, window: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        path = tmp_path / "alone.onnx"
        shutil.copy(SAMPLE.model, path)
        opened(window, qtbot, path)
        page = _page(window)
        assert page.stack.currentWidget() is page.nothing and not page.copy.isEnabled()
        page.simulate.click()
        assert window.stack.currentWidget() is window.pair and window.panels.is_shown("simulate")
        _page(window).nothing.button.click()
        assert window.stack.currentWidget() is not page

    def test_while_it_is_measured_it_says_how_far_that_is(self, window: MainWindow) -> None:
        found = node_error()
        show(window.document, found)
        window.document.take_case(compared(found, complete=False))
        page = _page(window)
        assert page.stack.currentWidget() is page.waiting
        assert "The verdict follows" in page.waiting.sentence.text()

    @SHARED
    def test_a_model_that_is_closed_leaves_nothing_behind(self, window: MainWindow, qtbot: QtBot) -> None:
        page = _written(window, qtbot)
        window.close_model()
        qtbot.waitUntil(lambda: page.account is None)
        assert page.stack.currentWidget() is page.nothing and not page.export.isEnabled()


class TestWays:
    def test_a_name_leads_to_the_node_in_the_graph(self, window: MainWindow, qtbot: QtBot) -> None:
        card = _cards(_written(window, qtbot))[1]
        node = card.card.node
        card.name.click()
        assert window.stack.currentWidget() is window.pair and window.document.state.node == node

    @SHARED
    def test_a_link_of_the_sentence_does_so_too(self, window: MainWindow, qtbot: QtBot) -> None:
        page = _written(window, qtbot)
        [sentence] = [label for label in page.findChildren(QLabel) if "href='tensor" in label.text().replace('"', "'")]
        sentence.linkActivated.emit("tensor:3")
        assert window.stack.currentWidget() is window.pair and window.document.state.tensor == 3

    @SHARED
    @pytest.mark.parametrize("key", [Qt.Key.Key_Escape, Qt.Key.Key_F4])
    def test_keys_lead_back(self, window: MainWindow, qtbot: QtBot, key: Qt.Key) -> None:
        page = _written(window, qtbot)
        if key == Qt.Key.Key_F4:
            window.commands.made["verdict.page"].trigger()
        else:
            QTest.keyClick(page, key)
        assert window.stack.currentWidget() is window.pair

    @SHARED
    def test_the_bar_above_the_graph_leads_here(self, window: MainWindow, qtbot: QtBot) -> None:
        page = _written(window, qtbot)
        page.back.click()
        window.findChildren(VerdictBar)[0].page.click()
        assert window.stack.currentWidget() is page

    @SHARED
    def test_keys_scroll(self, window: MainWindow, qtbot: QtBot) -> None:
        page = _written(window, qtbot)
        bar = page.area.verticalScrollBar()
        QTest.keyClick(page, Qt.Key.Key_End)
        assert bar.value() == bar.maximum() > 0
        QTest.keyClick(page, Qt.Key.Key_PageUp)
        assert bar.value() < bar.maximum()

    @SHARED
    def test_all_of_it_can_be_copied(self, window: MainWindow, qtbot: QtBot) -> None:
        _written(window, qtbot).copy.click()
        text = QGuiApplication.clipboard().text()
        assert text.startswith("drift.onnx\n") and "The nodes that matter" in text

    @SHARED
    def test_the_report_is_offered_in_all_its_forms(self, window: MainWindow, qtbot: QtBot) -> None:
        page = _written(window, qtbot)
        for row, ending in zip(page.export.menu().actions(), ("html", "pdf", "csv"), strict=True):
            row.trigger()
            [dialog] = [each for each in window.findChildren(QFileDialog) if each.isVisible()]
            assert dialog.defaultSuffix() == ending
            dialog.close()
            QCoreApplication.processEvents()


@SHARED
@pytest.mark.parametrize("size", [(1280, 720), (900, 600)])
def test_nothing_is_wider_than_the_window(window: MainWindow, qtbot: QtBot, size: tuple[int, int]) -> None:
    window.resize(*size)
    page = _written(window, qtbot)
    QCoreApplication.processEvents()
    content = _content(page)
    assert content.width() <= page.area.viewport().width()
    for card in _cards(page):
        assert card.mapTo(content, card.rect().topRight()).x() <= content.width()
        assert card.height() >= card.heightForWidth(card.width()) - 1


def test_names_without_an_end_give_way(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / f"{'backbone-' * 24}.onnx"
    shutil.copy(SAMPLE.model, path)
    setup = Setup("runs", {"model": path, "reference": SAMPLE.reference_run, "candidate": SAMPLE.candidate_run})
    window.comparisons.start(setup)
    qtbot.waitUntil(lambda: window.document.state.findings is not None and not window.jobs.steps)
    window.document.edit("Note it", notes={"/layer" * 80: "x" * 2000})
    page = _filled(window, qtbot)
    content = _content(page)
    assert content.width() <= page.area.viewport().width()
    for label in content.findChildren(QLabel):
        assert label.mapTo(content, label.rect().topRight()).x() <= content.width(), label.text()
