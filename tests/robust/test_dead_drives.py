"""A network drive that does not answer: what lies there waits, the window does not."""

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from errorflow.case.session.file import read_session
from errorflow.case.session.model import Session
from errorflow_viewer.document.drafts import Drafts
from errorflow_viewer.document.reopening import Last
from errorflow_viewer.document.state import Place
from errorflow_viewer.kit.settings import Settings
from robust.dead_drives import dead_drive
from robust.started import CLOSE, SAMPLE, start, surroundings

# Opens what lies there, gives up, and opens something else; a window that waits for the drive would never end.
THEN = """
import time
from PySide6.QtCore import QTimer
from errorflow.case.session.model import Session
dead = window.recents.entries[-1]
seen = [time.monotonic()]
gaps = []
def begin():
    window.open_again(dead)
    window.commands.refresh()
    print('folder:', window.settings.last_folder, flush=True)
    QTimer.singleShot(600, go_on)
def go_on():
    print('opening:', window.jobs.running('open'), flush=True)
    window.cancel()
    window.open(pathlib.Path({sample!r}))
    timer.start()
def look():
    if window.document.model is not None and not window.jobs.steps:
        timer.stop()
        print('opened', flush=True)
        window.session_files.keep()
        window.close()
timer = QTimer(window, interval=30)
timer.timeout.connect(look)
QTimer.singleShot(0, begin)
"""


def left_behind(folder: Path, drive: Path) -> Drafts:
    """What was on view at the end of the last run, of a file on the drive."""
    drafts = Drafts(folder / "home" / ".local" / "state" / "Errorflow" / "errorflow" / "drafts")
    drafts.end(Session(notes={"conv1": "look here"}), drive / "case.errorflow")
    return drafts


@pytest.mark.slow
def test_the_window_waits_for_nothing_that_lies_there(tmp_path: Path) -> None:
    with dead_drive(tmp_path / "drive") as drive:
        if drive is None:
            pytest.skip("nobody may have a drive here")
        environment = surroundings(tmp_path)
        there = tmp_path / "there.onnx"
        there.write_bytes(SAMPLE.read_bytes())
        settings = Settings(
            QSettings(str(tmp_path / "home" / ".config" / "Errorflow" / "errorflow.conf"), QSettings.Format.IniFormat)
        )
        for path in (drive / "models" / "net.onnx", there):
            settings.add_recent(path)
        settings.last_model = Last(drive / "models" / "net.onnx", Place()).text()
        settings._store.setValue("files/folder", str(drive / "models"))
        settings.flush()
        drafts = left_behind(tmp_path, drive)
        done = start(environment, then=THEN.format(sample=str(there)))
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    assert f"folder: {tmp_path / 'home'}" in done.stdout
    assert [read_session(path).session.notes for path in drafts.aside()] == [{"conv1": "look here"}]
    assert "opening: True" in done.stdout and "opened" in done.stdout.splitlines()


@pytest.mark.slow
def test_a_window_that_opened_nothing_ends_without_it(tmp_path: Path) -> None:
    with dead_drive(tmp_path / "drive") as drive:
        if drive is None:
            pytest.skip("nobody may have a drive here")
        environment, drafts = surroundings(tmp_path), left_behind(tmp_path, drive)
        done = start(environment, then=CLOSE)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    assert [read_session(path).session.notes for path in drafts.aside()] == [{"conv1": "look here"}]
