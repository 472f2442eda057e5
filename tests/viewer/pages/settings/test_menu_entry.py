"""The app in the menu of the desktop, put there and taken out from its own window."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from errorflow_viewer.kit.banner import BannerRow
from errorflow_viewer.kit.desktop_entry.linux import install
from errorflow_viewer.kit.desktop_entry.present import ENTRY
from errorflow_viewer.kit.desktop_entry.program import program
from errorflow_viewer.pages.settings.menu_entry import KEY
from errorflow_viewer.pages.settings.page import InMenu
from errorflow_viewer.window.actions import ACTIONS
from errorflow_viewer.window.window import MainWindow

BY_KEY = {action.key: action for action in ACTIONS}
ADD, TAKE = BY_KEY["desktop.install"], BY_KEY["desktop.remove"]


@pytest.fixture(autouse=True)
def share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_DIRS", str(tmp_path / "system"))
    return tmp_path / "share"


def told(window: MainWindow, qtbot: QtBot) -> BannerRow:
    qtbot.waitUntil(lambda: not window.jobs.running(KEY), timeout=60_000)
    (row,) = [row for row in window.banners.rows if row.notice.key == KEY]
    return row


def test_it_says_what_was_put_where_and_takes_it_back(window: MainWindow, share: Path, qtbot: QtBot) -> None:
    assert ADD.enabled(window) and not TAKE.enabled(window)
    ADD.run(window)
    row = told(window, qtbot)
    assert row.notice.kind == "info"
    entry = share / "applications" / ENTRY
    assert f"Wrote {entry}" in row.notice.details
    assert entry.is_file()
    assert TAKE.enabled(window)
    assert row.notice.pressed is not None
    row.notice.pressed()
    assert "no longer in the menu" in told(window, qtbot).notice.text
    assert not share.exists()


def test_the_settings_say_whether_it_is_there_and_act_both_ways(
    window: MainWindow, share: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    window.whole_pages.show_settings()
    row = window.whole_pages.settings.rows["menu"].extra
    assert isinstance(row, InMenu)
    assert (row.state.isHidden(), row.button.text()) == (True, "Add to menu")
    row.button.click()
    assert not row.button.isEnabled()
    told(window, qtbot)
    assert (share / "applications" / ENTRY).is_file()
    assert (row.state.isHidden(), row.button.text(), row.button.isEnabled()) == (False, "Remove", True)
    row.button.click()
    told(window, qtbot)
    assert not share.exists()
    assert (row.state.isHidden(), row.button.text()) == (True, "Add to menu")
    install(program(), tmp_path / "package")
    (tmp_path / "package/share").rename(tmp_path / "system")
    row.refresh()
    assert (row.state.isHidden(), row.button.isHidden()) == (False, True)


def test_where_it_cannot_be_written_the_window_says_so_without_options(
    window: MainWindow, share: Path, qtbot: QtBot
) -> None:
    share.touch()
    ADD.run(window)
    row = told(window, qtbot)
    assert row.notice.kind == "error"
    assert "--" not in row.notice.hint


def test_what_a_package_did_is_not_done_again(window: MainWindow, tmp_path: Path) -> None:
    install(program(), tmp_path / "package")
    (tmp_path / "package/share").rename(tmp_path / "system")
    assert not ADD.enabled(window)
    assert ADD.lack
