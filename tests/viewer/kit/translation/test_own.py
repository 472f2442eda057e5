"""What users wrote themselves stays as they wrote it."""

from collections.abc import Iterator

import pytest

from errorflow.base.language import ENGLISH, keep, translated, use
from errorflow_viewer.kit.translation import door
from errorflow_viewer.window.window import MainWindow


@pytest.fixture
def chinese(window: MainWindow) -> Iterator[MainWindow]:
    window.speech.choose("zh_CN")
    yield window
    door.close_door()
    use(ENGLISH.key)
    keep([])


def test_a_note_is_not_translated(chinese: MainWindow) -> None:
    note = "Zoom in"
    assert translated(note) != note
    chinese.document.edit("Note", note=note)
    assert translated(note) == note
    chinese.document.undo()
    assert translated(note) != note
