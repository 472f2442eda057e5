"""What is remembered of what came on view."""

from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from errorflow.graph.model import Model
from errorflow_viewer.document.document import Document
from errorflow_viewer.kit.banner import Banners
from errorflow_viewer.kit.look import LIGHT
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.translation.speech import Speech
from errorflow_viewer.window.file_banners import News
from errorflow_viewer.window.sessions import Sessions
from viewer.models import chain

MODEL, CASE = Path("/case/net.onnx"), Path("/case/net.errorflow")


@dataclass
class Kept:
    """What is on view belongs to this file."""

    file: Path | None
    modified: bool = False


@pytest.mark.parametrize("file", [None, CASE])
def test_a_session_that_was_restored_is_what_was_opened_last(
    settings: Settings, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, file: Path | None
) -> None:
    monkeypatch.setattr("errorflow_viewer.kit.settings.time.time", lambda: 1_000.0)
    for recent in (CASE, Path("/case/other.onnx")):
        settings.add_recent(recent)
    monkeypatch.setattr("errorflow_viewer.kit.settings.time.time", lambda: 9_000.0)
    window, document, banners = QMainWindow(), Document(), Banners(LIGHT)
    for widget in (window, banners):
        qtbot.addWidget(widget)
    news = News(window, document, cast(Sessions, Kept(file)), banners, settings, Speech(settings, window))
    document.open(Model(MODEL, "made", chain(3)))
    news.tell_opened(MODEL)
    latest = MODEL if file is None else file
    assert settings.recents[0] == latest
    assert settings.opened_at(latest) == 9_000
