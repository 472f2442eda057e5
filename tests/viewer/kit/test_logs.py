"""The log file."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QtMsgType, qWarning

from errorflow_viewer.kit.logs import KEPT, SIZE, Logs


@pytest.fixture
def logs(tmp_path: Path) -> Iterator[Logs]:
    logs = Logs(tmp_path / "state")
    logs.start()
    yield logs
    logs.stop()


def test_what_is_logged_is_in_the_file(logs: Logs) -> None:
    logging.getLogger("errorflow").info("hello from here")
    assert "INFO errorflow: hello from here" in logs.file.read_text("utf-8")


def test_what_qt_says_is_in_the_file(logs: Logs) -> None:
    qWarning("Qt is worried")
    assert "Qt is worried" in logs.file.read_text("utf-8")


def test_the_file_does_not_grow_for_ever(logs: Logs) -> None:
    for _ in range(60):
        logging.getLogger("errorflow").info("x" * 100_000)
    files = list(logs.file.parent.glob("errorflow.log*"))
    assert len(files) == KEPT + 1
    assert all(path.stat().st_size <= SIZE + 200_000 for path in files)


def test_where_no_file_can_be_written_the_app_works_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    logs = Logs(tmp_path / "file")
    logs.start()
    logging.getLogger("errorflow").warning("nobody asked")
    logging.getLogger("errorflow").error("to stderr")
    logs.stop()
    said = capsys.readouterr().err
    assert "to stderr" in said and "nobody asked" not in said
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("said", ["The X11 connection broke (error 1). Did the X11 server die?"], ids=["display"])
def test_what_qt_says_before_it_ends_the_process_is_kept(tmp_path: Path, said: str) -> None:
    heard: list[str] = []
    logs = Logs(tmp_path, heard.append)
    logs.start()
    qWarning("Qt is worried")
    qWarning(said)
    logs.stop()
    assert heard == [f"Qt: {said}"]


def test_a_full_disk_is_no_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "errorflow.log").symlink_to("/dev/full")
    logs = Logs(tmp_path)
    logs.start()
    logging.getLogger("errorflow").warning("nowhere")
    logs.stop()
    assert capsys.readouterr().err == ""


def test_afterwards_qt_speaks_to_whom_it_spoke_before(tmp_path: Path) -> None:
    heard: list[str] = []
    from PySide6.QtCore import qInstallMessageHandler

    def listen(kind: QtMsgType, context: object, message: str) -> None:
        heard.append(message)

    before = qInstallMessageHandler(listen)
    logs = Logs(tmp_path)
    logs.start()
    logs.stop()
    qWarning("back again")
    qInstallMessageHandler(before)
    assert heard == ["back again"]
