"""What is said by itself comes to readers that know of no announcements, and when they listen."""

import sys

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QDialog, QLabel, QStackedWidget, QWidget
from pytestqt.qtbot import QtBot

from errorflow_viewer.kit.accessible import regions, voice
from errorflow_viewer.kit.accessible.voice import Utterance, Voice

Role, Text = QAccessible.Role, QAccessible.Text


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    regions.install()
    found = QWidget()
    qtbot.addWidget(found)
    found.show()
    return found


@pytest.fixture
def spoken(monkeypatch: pytest.MonkeyPatch) -> Voice:
    """One that somebody listens to, as on a Linux desktop."""
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(sys, "platform", "linux")
    return Voice()


def said_in(window: QWidget) -> list[str]:
    return [each.accessibleName() for each in window.findChildren(Utterance)]


def test_a_notice_is_seen_by_readers_only(window: QWidget) -> None:
    notice = voice.notify(window, "Done.")
    face = QAccessible.queryAccessibleInterface(notice)
    assert face is not None and (face.role(), face.text(Text.Name)) == (Role.Notification, "Done.")
    assert not notice.isVisible()


def test_what_is_said_in_one_breath_is_one_notice(window: QWidget, spoken: Voice) -> None:
    first, second = QLabel("One", window), QLabel("Two", window)
    spoken.say(first, "Opening")
    spoken.say(second, "It is a small one.")
    spoken.say(first, "Opened")
    assert said_in(window) == []
    spoken.speak()
    assert said_in(window) == ["It is a small one. Opened."]
    spoken.speak()
    assert len(said_in(window)) == 1


def test_nothing_holds_up_what_is_urgent(window: QWidget, spoken: Voice) -> None:
    spoken.say(window, "It cannot be written.", urgent=True)
    due = spoken._calm.interval()
    for number in range(3):
        spoken.say(QLabel(f"Step {number}", window), f"Step {number}")
    assert spoken._calm.interval() == due
    spoken.speak()
    spoken.say(window, "Opened")
    assert spoken._calm.interval() > due


def test_what_a_dialog_said_stays_with_it(window: QWidget) -> None:
    dialog = QDialog(window)
    for number in range(8):
        voice.notify(dialog, f"Number {number}.")
    assert voice.notify(window, "Done.").window() is window
    assert len(said_in(dialog)) == 8


def test_of_a_widget_that_is_gone_nothing_is_said(window: QWidget, spoken: Voice) -> None:
    gone = QLabel("Gone")
    spoken.say(gone, "Too late")
    gone.deleteLater()
    del gone
    spoken.speak()
    assert said_in(window) == []


def test_what_was_said_is_kept_for_a_while(window: QWidget) -> None:
    for number in range(20):
        voice.notify(window, f"Number {number}.")
    assert said_in(window) == [f"Number {number}." for number in range(12, 20)]


def test_what_only_holds_pages_is_passed_over(window: QWidget) -> None:
    face = QAccessible.queryAccessibleInterface(QStackedWidget(window))
    assert face is not None and face.role() == Role.Client
