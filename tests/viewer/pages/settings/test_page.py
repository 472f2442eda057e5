"""The settings page: each setting takes effect at once, is marked when it is changed, and goes back."""

import os
import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from errorflow.base.allowance import CACHE, CORES, MEMORY, cache_folder, cores, memory
from errorflow.graph.model import Model
from errorflow_viewer.kit.caches import cache_root
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.taking_effect import automatic_cores, automatic_memory
from errorflow_viewer.pages.settings.page import ROWS, SECTIONS, SettingsPage
from errorflow_viewer.pages.settings.row import Setting
from errorflow_viewer.window.window import MainWindow
from viewer.deep import deep_graph
from viewer.opened import opened

SETTINGS = [row for row in ROWS if isinstance(row, Setting)]


@pytest.fixture
def page(window: MainWindow, monkeypatch: pytest.MonkeyPatch, qapp: QApplication) -> SettingsPage:
    for name in (CORES, MEMORY, CACHE, "ERRORFLOW_FROM_SETTINGS"):
        monkeypatch.setenv(name, "")  # whatever a test sets is put back
    window.settings.theme = "system"
    window.settings.reduced_motion = "system"
    window.speech.choose("system")
    window.commands.made["settings"].trigger()
    return window.whole_pages.settings


def test_it_is_a_page_that_the_menu_opens_and_esc_leaves(page: SettingsPage, window: MainWindow) -> None:
    assert window.stack.currentWidget() is page
    QTest.keyClick(page.search, Qt.Key.Key_Escape)
    assert window.stack.currentWidget() is window.start


def test_it_makes_way_for_what_is_opened(page: SettingsPage, window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    assert window.stack.currentWidget() is not page and window.whole_pages.settings is page


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.key)
def test_a_row_has_words_and_a_section(row: Setting) -> None:
    assert row.section in SECTIONS and row.name and row.about.endswith(".")


def test_at_first_nothing_is_changed(page: SettingsPage) -> None:
    assert [key for key, row in page.rows.items() if row.is_changed] == [] and not page.all.isEnabled()


@pytest.mark.parametrize("setting", [row for row in SETTINGS if row.options], ids=lambda row: row.key)
def test_each_value_of_a_choice_takes_effect_and_the_first_comes_back(
    setting: Setting, page: SettingsPage, window: MainWindow
) -> None:
    row = page.rows[setting.key]
    assert setting.options is not None
    offered = [value for _, value in setting.options(window)]
    assert setting.default in offered
    values = offered[:3]
    for value in values:
        row.take(value)
        assert row.value == value and row.is_changed == (value != setting.default)
        assert row.reset.isVisible() == row.is_changed
    row.take(next(value for value in values if value != setting.default))
    row.reset.click()
    assert row.value == setting.default and not row.is_changed


@pytest.mark.parametrize("key", ["reopen", "recents"])
def test_a_switch_is_turned(page: SettingsPage, key: str, window: MainWindow) -> None:
    row = page.rows[key]
    row.control.click()  # type: ignore[union-attr]  # it is a box to tick
    assert row.value is False and row.is_changed
    row.reset.click()
    assert row.value is True


def test_the_theme_and_the_text_follow_at_once(page: SettingsPage, window: MainWindow) -> None:
    page.rows["theme"].take("dark")
    assert window.appearance.theme.dark and window.settings.theme == "dark"
    height = page.search.height()
    page.rows["text"].take(150)
    assert px(100) == 150 and page.search.maximumHeight() == round(height * 1.5)
    page.rows["text"].go_back()
    assert page.search.maximumHeight() == height


def test_a_new_session_is_painted_in_the_palette_and_is_not_unsaved(page: SettingsPage, window: MainWindow) -> None:
    page.rows["palette"].take("single")
    window.document.open(Model(Path("/models/deep.onnx"), "ONNX model", deep_graph()))
    assert window.document.session.painting.palette == "single"
    assert not window._sessions.modified


def test_motion_is_the_switch_of_the_menu(page: SettingsPage, window: MainWindow) -> None:
    page.rows["motion"].take("on")
    assert window.switches.is_on("still")
    page.rows["motion"].take("off")
    assert not window.switches.is_on("still")


def test_processors_and_memory_count_for_the_next_work(page: SettingsPage) -> None:
    page.rows["cores"].take(1)
    page.rows["memory"].take(512)
    assert cores() == 1 and memory() == 512 << 20
    page.rows["cores"].go_back()
    page.rows["memory"].go_back()
    assert cores() == automatic_cores() and memory() == automatic_memory()


def test_what_the_environment_says_cannot_be_changed(page: SettingsPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CORES, "3")
    page.refresh()
    row = page.rows["cores"]
    assert not row.control.isEnabled() and "ERRORFLOW_CORES" in row.note.text()  # type: ignore[union-attr]  # it has a note
    row.take(1)
    assert os.environ[CORES] == "3"


def test_a_cache_folder_is_chosen_unless_nothing_can_be_written_there(page: SettingsPage, tmp_path: Path) -> None:
    control = page.rows["cache"].control
    control.take(str(tmp_path / "cache"))  # type: ignore[union-attr]  # it is a folder
    assert cache_root() == cache_folder() == tmp_path / "cache"
    (tmp_path / "file").touch()
    control.take(str(tmp_path / "file"))  # type: ignore[union-attr]  # it is a folder
    assert cache_root() == tmp_path / "cache" and "Choose another folder" in page.rows["cache"].note.text()
    page.rows["cache"].go_back()
    assert cache_root() != tmp_path / "cache"


def test_what_is_kept_is_counted_and_cleared(page: SettingsPage, tmp_path: Path, qtbot: QtBot) -> None:
    page.rows["cache"].take(str(tmp_path))
    picture = tmp_path / "thumbnails" / "0a-dark.png"
    picture.parent.mkdir()
    picture.write_bytes(b"x" * 2048)
    os.utime(picture, (time.time() - 60, time.time() - 60))
    table = page.rows["kept"].extra
    table.count()  # type: ignore[union-attr]  # it is the table
    size, button = table.sizes["thumbnails"], table.buttons["thumbnails"]  # type: ignore[union-attr]  # it is the table
    qtbot.waitUntil(lambda: size.text() == "2 KB")
    button.click()
    qtbot.waitUntil(lambda: size.text() == "Nothing")
    assert not picture.exists() and not button.isEnabled()


def test_recent_files_are_not_remembered_if_the_user_does_not_want_it(page: SettingsPage, window: MainWindow) -> None:
    page.rows["recents"].take(False)
    window.settings.add_recent(Path("/models/a.onnx"))
    assert window.settings.recents == ()


@pytest.mark.parametrize(
    ("text", "key"),
    [("dark", "theme"), ("font size", "text"), ("telemetry", "private"), ("ram", "memory"), ("中文", "language")],
)
def test_settings_are_found_by_other_words(page: SettingsPage, text: str, key: str) -> None:
    page.search.setText(text)
    assert page.rows[key].isVisible() and not page.rows["keys"].isVisible()


def test_what_nobody_finds_is_told(page: SettingsPage) -> None:
    page.search.setText("blockchain")
    assert page.nothing.isVisible() and not any(lead.isEnabled() for lead in page.leads.values())
    QTest.keyClick(page.search, Qt.Key.Key_Escape)
    assert not page.nothing.isVisible() and page.isVisible()


def test_all_are_reset_and_that_is_taken_back(page: SettingsPage, window: MainWindow) -> None:
    page.rows["theme"].take("dark")
    page.rows["cores"].take(1)
    page.all.click()
    assert [page.rows[key].is_changed for key in ("theme", "cores")] == [False, False]
    assert page.all.text() == "Undo reset"
    page.all.click()
    assert [page.rows[key].value for key in ("theme", "cores")] == ["dark", 1]


def test_a_menu_changes_what_the_page_shows(page: SettingsPage, window: MainWindow) -> None:
    window.commands.made["theme.dark"].trigger()
    assert page.rows["theme"].is_changed


def test_a_section_is_brought_into_view(page: SettingsPage, qtbot: QtBot) -> None:
    page.leads["Files"].click()
    qtbot.waitUntil(lambda: page.area.verticalScrollBar().value() > 0)
