"""The window in another language: chosen in a menu, remembered, and switched while everything stays open."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QAbstractTableModel, QIdentityProxyModel, Qt, QTranslator
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QTableView, QWidget
from pytestqt.qtbot import QtBot

from errorflow.base.language import ENGLISH, LANGUAGES, current, use
from errorflow.base.language.model import CHINESE
from errorflow.base.language.tongue import speak
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.kit.translation import door
from errorflow_viewer.kit.translation.speech import HeldTexts
from errorflow_viewer.window.window import MainWindow
from made_up_language import made_up
from viewer.kit.translation.walking import compared, raw, texts_of, untranslated


@pytest.fixture
def window(qtbot: QtBot, settings: Settings, appearance: Appearance, tmp_path: Any) -> Iterator[MainWindow]:
    settings.switch("still", True)
    window = MainWindow(settings, appearance, tmp_path / "errorflow.log")
    window.resize(1280, 720)
    window.show()
    qtbot.waitExposed(window)
    window.panels.make_all()
    yield window
    window.close()
    window.deleteLater()
    door.close_door()
    use(ENGLISH.key)


def in_made_up(window: MainWindow, qtbot: QtBot) -> None:
    held = HeldTexts()
    door.close_door()
    speak(CHINESE, made_up())
    door.open_door()
    held.tell()
    for told in (window.speech.changed, window.speech.chosen):
        told.emit()
    qtbot.waitUntil(lambda: not window.jobs.steps)


def test_the_start_page_and_the_menus_are_translated(window: MainWindow, qtbot: QtBot) -> None:
    in_made_up(window, qtbot)
    assert untranslated(window) == {}


def test_the_page_where_a_comparison_is_put_together_is_translated(window: MainWindow, qtbot: QtBot) -> None:
    window.compare()
    in_made_up(window, qtbot)
    assert untranslated(window) == {}


def test_all_panels_of_a_comparison_are_translated(window: MainWindow, qtbot: QtBot) -> None:
    compared(window, qtbot)
    in_made_up(window, qtbot)
    assert untranslated(window) == {}


def test_what_is_made_after_the_switch_is_translated_too(window: MainWindow, qtbot: QtBot) -> None:
    in_made_up(window, qtbot)
    compared(window, qtbot)
    qtbot.waitUntil(lambda: not window.jobs.steps)
    assert untranslated(window) == {}


def test_another_language_and_back_again_changes_nothing(window: MainWindow, qtbot: QtBot) -> None:
    compared(window, qtbot)
    qtbot.waitUntil(lambda: not window.jobs.steps)
    before = set(texts_of(window))
    session, steps = window.document.state, window.document.undo_text
    window.speech.choose("zh_CN")
    assert current().key == "zh_CN"
    assert "打开(&O)…" in set(texts_of(window))
    window.speech.choose("en")
    qtbot.waitUntil(lambda: not window.jobs.steps)
    assert {text for text in before ^ set(texts_of(window)) if "<style>" not in text} == set()
    assert (window.document.state, window.document.undo_text) == (session, steps)


def test_a_table_that_qt_has_read_before_is_translated(window: MainWindow) -> None:
    """Not as Python sees it, which knows every change: as Qt does."""

    class Table(QAbstractTableModel):
        __module__ = "errorflow_viewer.panels.of_a_test"

        def rowCount(self, _parent: Any = None) -> int:
            return 1

        def columnCount(self, _parent: Any = None) -> int:
            return 1

        def data(self, _index: Any, _role: int = 0) -> None:
            return None

        def headerData(self, _section: int, _orientation: Any, _role: int = 0) -> str:
            return "Name"

    view, read = QTableView(window), QIdentityProxyModel(window)
    table = Table(window)
    view.setModel(table)
    read.setSourceModel(table)
    assert read.headerData(0, Qt.Orientation.Horizontal) == "Name"
    window.speech.choose("zh_CN")
    assert read.headerData(0, Qt.Orientation.Horizontal) == "名称"


def test_the_choice_is_remembered(window: MainWindow, settings: Settings) -> None:
    assert settings.language == "system"
    window.commands.made["language.zh_CN"].trigger()
    assert (settings.language, window.commands.made["language.zh_CN"].isChecked()) == ("zh_CN", True)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda each: each.key)
def test_each_language_is_in_the_menu_by_its_own_name(window: MainWindow, language: Any) -> None:
    action: QAction = window.commands.made[f"language.{language.key}"]
    assert action.text() == f"&{language.name}"


def test_a_variable_chooses_for_one_run(qtbot: QtBot, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    from errorflow_viewer.kit.translation.speech import Speech

    monkeypatch.setenv("ERRORFLOW_LANGUAGE", "zh_CN")
    parent = QWidget()
    qtbot.addWidget(parent)
    assert Speech(settings, parent).choice == "zh_CN"
    assert (settings.language, current().key) == ("system", "zh_CN")
    door.close_door()
    use(ENGLISH.key)


def test_rubbish_in_the_settings_is_the_language_of_the_system(settings: Settings) -> None:
    settings.language = "tlh"
    assert settings.language == "system"


def test_what_qt_lacks_of_its_own_texts_is_ours(window: MainWindow) -> None:
    """Its dialog for files, where the system has none."""
    window.speech.choose("zh_CN")
    dialog = QFileDialog(window, "Save report")
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    told = [raw(label, "text") for label in dialog.findChildren(QLabel)]
    assert {"查找范围(&L)：", "文件类型(&T)："} <= set(told)
    assert raw(dialog, "windowTitle") == "保存报告"


def test_what_qt_lacks_is_compiled_as_it_is_written() -> None:
    """By `pyside6-lrelease`, which makes the file that Qt reads."""
    file = CHINESE.file.with_name("qt_zh_CN.ts")
    read = QTranslator()
    assert read.load(str(file.with_suffix(".qm")))
    for context in ET.parse(file).getroot().iter("context"):
        name = context.findtext("name", "")
        for message in context.iter("message"):
            source = message.findtext("source", "")
            assert read.translate(name, source) == message.findtext("translation"), (name, source)


def test_qts_own_texts_are_translated(window: MainWindow, qtbot: QtBot) -> None:
    window.speech.choose("zh_CN")
    assert QApplication.translate("QPlatformTheme", "Cancel") == "取消"
    window.speech.choose("en")
    assert QApplication.translate("QPlatformTheme", "Cancel") == "Cancel"
