"""The real window in real Chinese: nothing English is left on it but names."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from errorflow.base.language import ENGLISH, use
from errorflow.guides.table import flow_of
from errorflow_viewer.commands.verdict_bar import VerdictBar
from errorflow_viewer.kit.logs import RECENT
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.kit.translation import door
from errorflow_viewer.pages.guide.guide_page import GuidePage
from errorflow_viewer.window.window import MainWindow
from viewer.kit.translation.walking import compared, left_in, texts_of

# Products, formats, programs, types of operators, options and keys, which have no other name in Chinese.
NAMES = """
    amct ascend atc attr axera bilinear bicubic build caffe clip csv dump enter errorflow evaluate good_enough
    hb_compile hb_mapper high horizon imagenet kullback label leibler level low min mlir msaccucmp msprobe name new npu
    onnx or original pads pillow prototxt pulsar2 python reshape rknn run runtime smoothquant softmax tab tensor
    tensorrt top torchvision tpu transformer type
"""
COMMANDS = re.compile(r"`[^`]*`|(python3|atc|mkdir|errorflow|torch\.) .*|torch\.onnx.*", re.DOTALL)


@pytest.fixture
def window(qtbot: QtBot, settings: Settings, appearance: Appearance, tmp_path: Path) -> Iterator[MainWindow]:
    settings.switch("still", True)
    RECENT.clear()  # what others logged in this process is in the panel Log, and in English
    window = MainWindow(settings, appearance, tmp_path / "errorflow.log")
    window.resize(1280, 720)
    window.show()
    qtbot.waitExposed(window)
    window.panels.make_all()
    window.speech.choose("zh_CN")
    yield window
    window.close()
    window.deleteLater()
    door.close_door()
    use(ENGLISH.key)


def english_left(window: MainWindow) -> dict[str, str]:
    """Words and where they stand, but for what is in commands."""
    read = (COMMANDS.sub(" ", text) for text in texts_of(window))
    return {word: text for text in read for word in left_in(text) if word.lower() not in NAMES.split()}


def test_the_start_page(window: MainWindow) -> None:
    assert english_left(window) == {}


def test_a_guide_and_its_questions(window: MainWindow) -> None:
    window.commands.made["guide"].trigger()
    page = window.stack.currentWidget()
    assert isinstance(page, GuidePage)
    assert english_left(window) == {}
    page.questions.ask(flow_of("ascend-caffe").answers)
    for name, value in (("float_accuracy", 0.761), ("accuracy", 0.7555), ("calibration_images", 32.0)):
        assert page.body is not None
        page.body.written.emit(name, value)
    assert english_left(window) == {}


def test_a_comparison_with_all_panels_its_verdict_and_its_ticket(window: MainWindow, qtbot: QtBot) -> None:
    compared(window, qtbot)
    qtbot.waitUntil(lambda: not window.jobs.steps)
    assert english_left(window) == {}
    window.commands.made["verdict.page"].trigger()
    assert english_left(window) == {}
    window.commands.made["ticket"].trigger()
    qtbot.waitUntil(lambda: window.whole_pages.ticket.plan is not None)
    assert english_left(window) == {}


def test_the_verdict_in_one_row_is_one_sentence_with_links(window: MainWindow, qtbot: QtBot) -> None:
    compared(window, qtbot)
    (bar,) = window.findChildren(VerdictBar)
    qtbot.waitUntil(lambda: bar.shown is not None and not bar.shown.waits and not window.jobs.steps)
    window.resize(1920, 720)
    shown = bar.sentence.text().replace("&nbsp;", " ")
    assert ">probabilities</a> 处误差的 100 %：" in shown
    window.speech.choose("en")
    assert "brings" in bar.sentence.text() and "误差" not in bar.sentence.text()
