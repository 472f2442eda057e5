"""The page on which two pipelines are set side by side."""

import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow_viewer.commands.copy_save.tables import COPY_TABLE
from errorflow_viewer.pages.align.page import KEY, AlignPage
from errorflow_viewer.window.window import MainWindow
from viewer.opened import opened


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    values = np.random.default_rng(0).random((1, 3, 32, 32)).astype(np.float32)
    for name, given in (("a", values), ("b", values[:, ::-1])):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "preprocessed.npy", given)
        np.save(tmp_path / name / "output.npy", np.ones(4))
    return tmp_path / "a", tmp_path / "b"


def _page(window: MainWindow) -> AlignPage:
    window.commands.made["align"].trigger()
    page = window.stack.currentWidget()
    assert isinstance(page, AlignPage)
    return page


def _filled(window: MainWindow, sides: tuple[Path, Path]) -> AlignPage:
    page = _page(window)
    page.rows["a"].changed.emit(sides[0])
    page.rows["b"].changed.emit(sides[1])
    return page


def _aligned(page: AlignPage, qtbot: QtBot) -> AlignPage:
    page.align.click()
    qtbot.waitUntil(lambda: page.found is not None, timeout=20_000)
    return page


def _texts(page: AlignPage) -> str:
    return "\n".join(label.text() for label in page.lines.findChildren(QLabel))


def test_it_says_what_is_missing_until_both_are_chosen(window: MainWindow, sides: tuple[Path, Path]) -> None:
    page = _page(window)
    assert not page.align.isEnabled() and "what A saved" in page.call.text()
    page.rows["a"].changed.emit(sides[0])
    assert "what B saved" in page.call.text()
    page.rows["b"].changed.emit(sides[1])
    assert page.align.isEnabled() and page.call.text() == f"errorflow align {sides[0]} {sides[1]}"


def test_it_names_where_both_part_and_why(window: MainWindow, qtbot: QtBot, sides: tuple[Path, Path]) -> None:
    page = _aligned(_filled(window, sides), qtbot)
    assert page.found is not None and page.found.fault == "input"
    assert "part at the preprocessed input" in page.verdict.text()
    assert "RGB on one side is BGR on the other." in _texts(page)
    assert "✓" in _texts(page) and "✗" in _texts(page)


def test_a_tolerance_that_is_none_is_told(window: MainWindow, sides: tuple[Path, Path]) -> None:
    page = _filled(window, sides)
    page.tolerances.fields["input"].setText("much")
    assert not page.align.isEnabled() and "preprocessed input is no number" in page.call.text()


def test_another_tolerance_counts(window: MainWindow, qtbot: QtBot, sides: tuple[Path, Path]) -> None:
    page = _filled(window, sides)
    page.tolerances.fields["input"].setText("2")
    assert "--tolerance input=2" in page.call.text()
    _aligned(page, qtbot)
    assert page.found is not None and page.found.fault is None


def test_what_cannot_be_opened_is_a_sentence(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    page = _filled(window, (tmp_path / "empty", tmp_path / "empty"))
    page.align.click()
    qtbot.waitUntil(lambda: "called as a step" in page.verdict.text(), timeout=20_000)
    assert page.advice.text() and not page.save.isEnabled()


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_what_was_found_is_saved(
    window: MainWindow, qtbot: QtBot, sides: tuple[Path, Path], tmp_path: Path, suffix: str
) -> None:
    page = _aligned(_filled(window, sides), qtbot)
    target = tmp_path / f"out.{suffix}"
    page.save_to(target)
    qtbot.waitUntil(target.exists)
    text = target.read_text(encoding="utf-8")
    assert (json.loads(text)["fault"] == "input") if suffix == "json" else text.startswith("step,")


def test_the_model_on_view_is_taken_and_escape_leads_back(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot, SAMPLES[0].model)
    page = _page(window)
    assert page.paths["model"] == SAMPLES[0].model
    QTest.keyClick(page, Qt.Key.Key_Escape)
    assert window.stack.currentWidget() is window.pair


def test_raw_files_ask_for_their_shapes(window: MainWindow, qtbot: QtBot, sides: tuple[Path, Path]) -> None:
    values = np.load(sides[1] / "preprocessed.npy")
    (sides[1] / "preprocessed.npy").unlink()
    values.tofile(sides[1] / "preprocessed.bin")
    page = _filled(window, sides)
    assert not page.shapes.isHidden()
    page.shapes.field.setPlainText("preprocessed=1x3x32x32:float32")
    _aligned(page, qtbot)
    assert page.found is not None and page.found.fault == "input"


def test_what_runs_ends_when_something_else_is_chosen(window: MainWindow, sides: tuple[Path, Path]) -> None:
    page = _filled(window, sides)
    page.align.click()
    assert window.jobs.running(KEY)
    page.rows["a"].changed.emit(sides[1])
    assert not window.jobs.running(KEY) and page.found is None and not page.verdict.isVisible()


def test_what_was_found_goes_with_what_it_was_about(window: MainWindow, qtbot: QtBot, sides: tuple[Path, Path]) -> None:
    page = _aligned(_filled(window, sides), qtbot)
    assert page.verdict.isVisible() and page.save.isEnabled()
    page.tolerances.fields["output"].setText("1")
    assert page.found is None and not page.verdict.isVisible() and not page.save.isEnabled()
    _aligned(page, qtbot)
    assert page.found is not None
    assert {row.tolerance for row in page.found.rows if row.stage == "output"} == {1.0}


def test_the_model_is_that_on_view_until_the_user_chooses_one(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    opened(window, qtbot, SAMPLES[0].model)
    page = _page(window)
    page.left.emit()
    opened(window, qtbot, SAMPLES[1].model)
    _page(window)
    assert page.paths["model"] == SAMPLES[1].model
    own = tmp_path / "own.onnx"
    page.rows["model"].changed.emit(own)
    page.left.emit()
    opened(window, qtbot, SAMPLES[0].model)
    _page(window)
    assert page.paths["model"] == own
    page.rows["model"].changed.emit(None)
    page.left.emit()
    window.close_model()
    _page(window)
    assert "model" not in page.paths


def test_the_result_is_given_away_by_its_context_menu(
    window: MainWindow, qtbot: QtBot, sides: tuple[Path, Path]
) -> None:
    page = _aligned(_filled(window, sides), qtbot)
    menu = page.menu()
    next(action for action in menu.actions() if action.text() == COPY_TABLE).trigger()
    menu.close()

    assert page.found is not None
    assert len(QGuiApplication.clipboard().text().splitlines()) == 1 + len(page.found.rows)
