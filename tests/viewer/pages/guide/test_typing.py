"""Numbers are written down with the keyboard alone, though each of them may judge the step anew."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from errorflow.guides.table import flow_of
from errorflow_viewer.pages.guide.guide_page import GuidePage
from errorflow_viewer.window.window import MainWindow


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot) -> GuidePage:
    """At the step that asks for two accuracies, with the keyboard in the first."""
    window.show()
    qtbot.waitUntil(window.isVisible)
    window.activateWindow()
    window.guide()
    found = window.stack.currentWidget()
    assert isinstance(found, GuidePage)
    found.questions.ask(flow_of("horizon").answers)
    assert found.body is not None and found.body.checks is not None
    found.body.checks.fields["float_accuracy"].setFocus()
    return found


def type_both(last: Qt.Key) -> None:
    for text, key in (("0.78788", Qt.Key.Key_Tab), ("0.71138", last)):
        field = QApplication.focusWidget()
        assert field is not None
        QTest.keyClicks(field, text)
        QTest.keyClick(field, key)
        QApplication.processEvents()


@pytest.mark.usefixtures("page")
@pytest.mark.parametrize("last", [Qt.Key.Key_Tab, Qt.Key.Key_Return])
def test_both_accuracies_are_typed_and_one_stays_to_read_the_result(window: MainWindow, last: Qt.Key) -> None:
    """The key Tab leads to the next field; Enter says that a number is complete, and goes nowhere."""
    type_both(last)
    guide = window.document.session.guide
    assert guide is not None and guide.at == "accuracy"
    known = guide.step("accuracy")
    assert known.numbers == {"float_accuracy": 0.78788, "accuracy": 0.71138} and known.outcome == "failed"
