"""What the test of an installed app says when something is wrong; where all is well, see test_app.py."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, QTimer
from PySide6.QtWidgets import QApplication

from errorflow_viewer.app import self_test
from errorflow_viewer.app.self_test import SelfTest, SelfTestStep
from errorflow_viewer.kit.banner import Notice
from errorflow_viewer.window.window import MainWindow

Outcome = Callable[[SelfTest], tuple[int, str]]


@pytest.fixture
def outcome(qapp: QApplication, capsys: pytest.CaptureFixture[str]) -> Outcome:
    """What the process would end with, and what it printed last."""

    def outcome(test: SelfTest) -> tuple[int, str]:
        QTimer.singleShot(0, test.start)
        code = qapp.exec()
        return code, capsys.readouterr().out.splitlines()[-1]

    return outcome


def test_a_bug_of_ours_fails_it(window: MainWindow, outcome: Outcome) -> None:
    code, said = outcome(SelfTest(window, lambda: "ValueError: no such thing"))
    assert code == 1
    assert said == "self-test: failed, files that belong to it: ValueError: no such thing"


def test_what_the_window_reports_fails_it(window: MainWindow, outcome: Outcome) -> None:
    window.banners.show_notice(Notice("error", "The disk is full."))
    assert outcome(SelfTest(window, str)) == (1, "self-test: failed, files that belong to it: The disk is full.")


def test_a_step_that_never_ends_is_given_up(window: MainWindow, outcome: Outcome) -> None:
    code, said = outcome(SelfTest(window, str, [SelfTestStep("waiting", lambda: None, str)], give_up=0))
    assert (code, said.partition(" after")[0]) == (1, "self-test: failed, waiting: it was not done")


def test_files_and_settings_of_the_user_are_not_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    format_before = QSettings.defaultFormat()
    with self_test.kept_apart():
        apart = Path(os.environ["XDG_DATA_HOME"])
        assert Path(os.environ["XDG_CONFIG_HOME"]) != tmp_path
        QSettings("Errorflow", "errorflow").setValue("theme", "dark")
    assert os.environ["XDG_CONFIG_HOME"] == str(tmp_path)
    assert "XDG_DATA_HOME" not in os.environ
    assert not apart.parent.exists()
    assert QSettings.defaultFormat() == format_before
    assert list(tmp_path.iterdir()) == []
