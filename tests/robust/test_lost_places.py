"""A disk that is full, a folder that goes away while it is used: nothing is lost, and it is said what to do."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from errorflow.case.session.file import read_session
from errorflow_viewer.kit.settings import Settings
from robust.started import SAMPLE, start, surroundings

# Steps one after the other, each when all that was begun before is over.
STEPS = """
from PySide6.QtCore import QTimer
from shutil import rmtree
case = pathlib.Path({case!r})
file = case / 'case.errorflow'
def note(text):
    window.document.edit('Note', notes={{window.document.graph.node_names[0]: text}})
def save():
    window._sessions.save(file)
def tell(what):
    print(what, *[(row.notice.text, row.notice.hint) for row in window.banners.rows if row.notice.kind == 'error'])
def is_kept():
    return 'second' in window._sessions._drafts.own.read_text()
{steps}
def go():
    if not window.jobs.steps and not window._sessions._calm.isActive():
        steps.pop(0)()
timer = QTimer(window, interval=50)
timer.timeout.connect(go)
timer.start()
"""
FULL = """
def fill():
    with open({filler!r}, 'wb', buffering=0) as file:
        try:
            while file.write(b'x' * 4096):
                pass
        except OSError as error:
            print('full:', error.strerror, flush=True)
    note('second')
steps = [
    lambda: note('first'), save, fill, save, lambda: tell('when full:'),
    lambda: window.settings.add_recent(case / 'other.onnx'), lambda: window.settings.flush(),
    lambda: window._thumbnailing.paint_now(), window.session_files.keep,
    lambda: print('on disk:', 'first' in file.read_text(), flush=True),
    lambda: os.remove({filler!r}), lambda: window.banners.dismiss('open'), save,
    lambda: tell('afterwards:'), window.close,
]
"""
GONE = """
def vanish():
    rmtree(case)
    note('second')
steps = [
    lambda: note('first'), save, vanish, save, lambda: tell('saved:'), lambda: print('draft:', is_kept(), flush=True),
    window.reload, lambda: tell('read again:'), window.start.refresh,
    lambda: print('nodes:', len(window.document.model.graph), window.isWindowModified(), flush=True), window.close,
]
"""


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own with little room."""
    disk = tmp_path / "small"
    disk.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m,mode=700", "errorflow-test", str(disk)],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("nobody may have a disk here")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def copied(folder: Path) -> Path:
    folder.mkdir()
    model = folder / "model.onnx"
    model.write_bytes(SAMPLE.read_bytes())
    return model


@pytest.mark.slow
def test_on_a_full_disk_what_was_saved_stays_and_it_is_said(small: Path) -> None:
    model = copied(small / "case")
    steps = FULL.format(filler=str(small / "filler"))
    done = start(surroundings(small), str(model), then=STEPS.format(case=str(model.parent), steps=steps))
    assert done.returncode == 0 and "Traceback" not in done.stderr, (done.stdout, done.stderr)
    said = dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)
    assert "No space left" in said["full"]
    assert "case.errorflow could not be written" in said["when full"] and "space" in said["when full"]
    assert said["on disk"] == "True"
    assert "afterwards:" in done.stdout.splitlines()
    assert set(read_session(model.with_name("case.errorflow")).session.notes.values()) == {"second"}
    kept = Settings(QSettings(str(next((small / "home").rglob("errorflow.conf"))), QSettings.Format.IniFormat))
    assert model in kept.recents


@pytest.mark.slow
def test_when_the_folder_of_what_is_open_goes_away_it_stays_open_and_is_kept(tmp_path: Path) -> None:
    model = copied(tmp_path / "case")
    environment = surroundings(tmp_path)
    done = start(environment, str(model), then=STEPS.format(case=str(model.parent), steps=GONE))
    assert done.returncode == 0 and "Traceback" not in done.stderr, (done.stdout, done.stderr)
    lines = done.stdout.splitlines()
    assert any(line.startswith("saved: ") and "could not be written" in line for line in lines)
    assert "draft: True" in lines and "nodes: 31 True" in lines
    assert any(line.startswith("read again: ") and "model.onnx" in line for line in lines)
