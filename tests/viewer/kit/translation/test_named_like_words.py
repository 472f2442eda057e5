"""Names of a user's model stay as they are in Chinese, also where they are texts of the interface."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from errorflow.base.language import ENGLISH, translated, use
from errorflow.case.scenarios.setup import Setup
from errorflow_viewer.kit.translation import door
from errorflow_viewer.pages.guide.page import ComparePage
from errorflow_viewer.window.window import MainWindow
from viewer.kit.translation.named_like_words import CULPRIT, NAMES, NODES, named_like_words
from viewer.kit.translation.walking import raw, texts_in
from viewer.simulated import open_model, simulate

NAME = re.compile("|".join(rf"(?<!\w){name}(?!\w)" for name in NAMES))


@pytest.fixture(autouse=True)
def english_after() -> Iterator[None]:
    yield
    door.close_door()
    use(ENGLISH.key)


def judged(window: MainWindow, qtbot: QtBot, folder: Path) -> None:
    """Compared, with all panels in place."""
    model, reference, candidate = named_like_words(folder)
    window.open(model)
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    window.comparisons.ask(Setup("runs", {"model": model, "candidate": candidate, "reference": reference}))
    page = window.stack.currentWidget()
    assert isinstance(page, ComparePage)
    page.compare.click()
    qtbot.waitUntil(lambda: window.document.state.findings is not None and not window.jobs.steps)
    window.panels.make_all()
    for key in window.panels.by_key:
        window.panels.show(key)
    qtbot.waitUntil(lambda: not window.jobs.steps)


def widgets_in(widget: QWidget, place: str = "") -> Iterator[tuple[str, QWidget]]:
    """Each with its place in the window, which is the same whatever language is spoken."""
    yield place, widget
    counted: Counter[str] = Counter()
    for child in widget.children():
        if isinstance(child, QWidget):
            kind = type(child).__name__
            yield from widgets_in(child, f"{place}/{kind}{counted[kind]}")
            counted[kind] += 1


def said_by(widget: QWidget) -> list[str]:
    tips = [raw(widget, each) for each in ("toolTip", "accessibleName", "accessibleDescription", "windowTitle")]
    actions = [raw(action, getter) for action in widget.actions() for getter in ("text", "toolTip", "statusTip")]
    return [*tips, "\n".join(texts_in(widget)), *actions]


def names_in(window: MainWindow) -> dict[str, Counter[str]]:
    """How often each name is said, by what says it."""
    return {place: Counter(NAME.findall("\n".join(said_by(each)))) for place, each in widgets_in(window)}


def test_all_of_them_are_words_of_the_interface() -> None:
    use("zh_CN")
    assert [name for name in NAMES if translated(name, label=True) == name] == []


def test_they_stay_wherever_they_are_shown(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    judged(window, qtbot, tmp_path)
    english = names_in(window)
    assert sum(map(len, english.values())) > 20
    window.speech.choose("zh_CN")
    qtbot.waitUntil(lambda: not window.jobs.steps)
    assert names_in(window) == english
    window.speech.choose("en")
    qtbot.waitUntil(lambda: not window.jobs.steps)
    assert names_in(window) == english


def test_they_stay_in_a_simulation_and_on_the_page_of_its_verdict(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    model, *_ = named_like_words(tmp_path)
    open_model(window, qtbot, model)
    simulate(window, qtbot)
    window.document.edit("Note", notes={CULPRIT: NODES[0]})
    window.panels.make_all()
    for key in window.panels.by_key:
        window.panels.show(key)
    window.commands.made["verdict.page"].trigger()
    qtbot.waitUntil(lambda: not window.jobs.steps)
    english = names_in(window)
    window.speech.choose("zh_CN")
    qtbot.waitUntil(lambda: not window.jobs.steps)
    assert names_in(window) == english
