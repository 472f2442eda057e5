"""One running app per user."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalServer, QLocalSocket
from pytestqt.qtbot import QtBot

from errorflow_viewer.app.single import (
    ANSWER,
    CONNECT,
    LOCK,
    MOST_PATHS,
    Listener,
    Reply,
    address,
    asks_for_guide,
    first_or_hand_over,
    hand_over,
    have_runtime_folder,
    leave_runtime_folder,
    lock_file,
    parse,
)


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for temporary files; sockets need short paths."""
    with tempfile.TemporaryDirectory(prefix="ef") as folder:
        monkeypatch.setattr("tempfile.tempdir", folder)
        yield Path(folder)


posix = pytest.mark.skipif(os.name == "nt", reason="Windows has pipes, which lie in no folder")


def start_second(where: str, *paths: str) -> "subprocess.Popen[str]":
    """Another start of the app, as far as it gets."""
    code = (
        "import sys; from pathlib import Path; from PySide6.QtCore import QCoreApplication;"
        "from errorflow_viewer.app.single import hand_over;"
        "app = QCoreApplication([]); print(hand_over(sys.argv[1], [Path(p) for p in sys.argv[2:]]).value)"
    )
    return subprocess.Popen([sys.executable, "-c", code, where, *paths], stdout=subprocess.PIPE, text=True)


def test_a_second_start_hands_its_files_over(qtbot: QtBot, first: Listener, where: str) -> None:
    with qtbot.waitSignal(first.received) as received:
        second = start_second(where, "/models/a b ü.onnx", "/c")
    assert received.args == [[Path("/models/a b ü.onnx"), Path("/c")]]
    assert second.communicate()[0].strip() == "taken"


def test_a_second_start_without_files_asks_for_the_window(qtbot: QtBot, first: Listener, where: str) -> None:
    with qtbot.waitSignal(first.received) as received:
        second = start_second(where)
    second.communicate()
    assert received.args == [[]]


def test_a_second_start_asks_for_the_guide(qtbot: QtBot, first: Listener, where: str) -> None:
    code = (
        "import sys; from PySide6.QtCore import QCoreApplication; from errorflow_viewer.app.single import hand_over;"
        "app = QCoreApplication([]); print(hand_over(sys.argv[1], [], guide=True).value)"
    )
    with qtbot.waitSignals([first.received, first.guide_asked]):
        second = subprocess.Popen([sys.executable, "-c", code, where], stdout=subprocess.PIPE, text=True)
    assert second.communicate()[0].strip() == "taken"


@pytest.mark.parametrize(
    "line", [b'{"paths": [], "tokens": {}}', b'{"guide": null}', b'{"guide": 1}', b'{"guide": {}}']
)
def test_nobody_is_led_without_a_wish(line: bytes) -> None:
    assert not asks_for_guide(line)


def test_where_nobody_listens_nothing_is_handed_over(qapp: object, where: str) -> None:
    assert hand_over(where, []) is Reply.NOBODY


def test_a_socket_that_a_crash_left_over_is_taken(qapp: object, where: str) -> None:
    code = (
        "import os, sys; from PySide6.QtCore import QCoreApplication; from PySide6.QtNetwork import QLocalServer;"
        "app = QCoreApplication([]); server = QLocalServer(); assert server.listen(sys.argv[1]); os._exit(1)"
    )
    subprocess.run([sys.executable, "-c", code, where], check=False)
    assert Path(where).exists()
    listener = first_or_hand_over(where, [])
    assert isinstance(listener, Listener)
    listener.close()


def test_nobody_waits_long_for_one_that_is_busy(qapp: object, first: Listener, where: str) -> None:
    assert hand_over(where, [Path("/a")], answer=10) is Reply.BUSY  # nobody runs the event loop of the first one
    assert CONNECT + ANSWER + LOCK <= 3500


def test_what_was_given_up_is_not_opened_by_the_busy_one_later(qtbot: QtBot, first: Listener, where: str) -> None:
    assert hand_over(where, [Path("/given/up")], answer=10) is Reply.BUSY
    received: list[list[Path]] = []
    first.received.connect(received.append)
    with qtbot.waitSignal(first.received):
        second = start_second(where, "/later")
    second.communicate()
    assert received == [[Path("/later")]]


@posix
def test_no_folder_is_made_beside_one_that_will_do(temporary: Path) -> None:
    given = temporary / "runtime"
    given.mkdir(mode=0o700)
    assert str(address(given)).startswith(str(given))
    assert list(temporary.iterdir()) == [given]


@posix
@pytest.mark.parametrize("mode", [0o755, 0o777, 0o750])
def test_a_folder_that_others_can_reach_is_not_used(temporary: Path, mode: int) -> None:
    given, own = temporary / "runtime", temporary / f"errorflow-{os.getuid()}"
    given.mkdir(mode=mode)
    given.chmod(mode)
    where = address(given)
    assert where is not None and Path(where).parent == own and own.stat().st_mode & 0o777 == 0o700
    own.chmod(mode)
    assert address(given) is None


@posix
def test_a_link_in_the_place_of_the_folder_is_not_followed(temporary: Path) -> None:
    (temporary / "elsewhere").mkdir(mode=0o700)
    (temporary / f"errorflow-{os.getuid()}").symlink_to(temporary / "elsewhere")
    assert address(temporary / "missing") is None


@posix
def test_a_folder_of_somebody_else_is_not_used(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getuid", lambda: temporary.stat().st_uid + 1)  # all folders are somebody else's now
    assert address(temporary) is None


def test_only_this_user_can_reach_it(first: Listener, where: str) -> None:
    assert Path(where).stat().st_mode & 0o077 == 0


def test_of_starts_at_the_same_moment_one_is_first(tmp_path: Path) -> None:
    """The others hand over, as long as the first one runs."""
    code = (
        "import sys; from pathlib import Path; from PySide6.QtCore import QCoreApplication, QTimer;"
        "from errorflow_viewer.app.single import Reply, first_or_hand_over;"
        "app = QCoreApplication([]); first = first_or_hand_over(sys.argv[1], [Path(sys.argv[2])]);"
        "print('over') if first is Reply.TAKEN else (print('first', flush=True),"
        "first.received.connect(lambda paths: print('got', paths[0].name, flush=True)),"
        "sys.stdin.readline, QTimer.singleShot(0, lambda: None), app.exec())"
    )
    where = str(address(tmp_path))
    starts = [
        subprocess.Popen([sys.executable, "-c", code, where, f"/{i}"], stdout=subprocess.PIPE, text=True)
        for i in range(4)
    ]
    said: list[str] = []
    for process in starts:
        assert process.stdout is not None
        said.append(process.stdout.readline().strip())
    winner = starts[said.index("first")]
    assert winner.stdout is not None
    others = {winner.stdout.readline().strip() for _ in range(3)}
    winner.kill()
    for process in starts:
        process.communicate()
    assert sorted(said) == ["first", "over", "over", "over"]
    assert others == {f"got {i}" for i in range(4) if i != said.index("first")}


def test_rubbish_on_the_socket_is_dropped(qtbot: QtBot, first: Listener, where: str) -> None:
    socket = QLocalSocket()
    socket.connectToServer(where)
    assert socket.waitForConnected(1000)
    with qtbot.assertNotEmitted(first.received), qtbot.waitSignal(socket.disconnected):
        socket.write(b"rubbish\n")
        socket.flush()


def test_the_window_does_not_wait_for_a_message_that_never_ends(qtbot: QtBot, first: Listener, where: str) -> None:
    socket = QLocalSocket()
    socket.connectToServer(where)
    assert socket.waitForConnected(1000)
    with qtbot.assertNotEmitted(first.received), qtbot.waitSignal(socket.disconnected):
        socket.write(b"x" * 1_000_000)
        socket.flush()


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"3",
        b"{}",
        b'{"paths": 3, "tokens": {}}',
        b'{"paths": [], "tokens": []}',
        b"[" * 100_000,
    ],
)
def test_a_message_that_is_not_ours_is_none(line: bytes) -> None:
    assert parse(line) is None


def test_only_paths_are_taken_from_a_message() -> None:
    assert parse(b'{"paths": ["/a", 3, null, "b\\u0000c"], "tokens": {}}') == [Path("/a")]


@pytest.mark.skipif(os.name == "nt", reason="Windows takes halves of characters")
def test_halves_of_characters_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKTOP_STARTUP_ID", "before")
    line = b'{"paths": ["/a\\ud800", "/b\\udcff"], "tokens": {"DESKTOP_STARTUP_ID": "\\ud800"}}'
    assert parse(line) == [Path(os.fsdecode(b"/b\xff"))]
    assert os.environ["DESKTOP_STARTUP_ID"] == "before"


def test_the_lock_lies_beside_the_socket_or_with_temporary_files(where: str) -> None:
    assert lock_file(where) == Path(f"{where}.lock")
    assert lock_file("errorflow-pipe") == Path(tempfile.gettempdir()) / "errorflow-pipe.lock"


def test_where_no_socket_can_lie_the_app_starts_all_the_same(qapp: object, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    listener = first_or_hand_over(str(tmp_path / "file" / "socket"), [])
    assert isinstance(listener, Listener)
    listener.close()


def test_a_message_holds_a_limited_number_of_paths() -> None:
    import json

    line = json.dumps({"paths": ["/a"] * 1000, "tokens": {}}).encode()
    assert len(parse(line) or []) == MOST_PATHS


def test_a_long_folder_name_still_gives_an_address_that_works(qapp: object, tmp_path: Path) -> None:
    server = QLocalServer()
    where = address(tmp_path / ("x" * 200))
    assert where is not None
    QLocalServer.removeServer(where)
    assert server.listen(where)
    server.close()


@pytest.mark.parametrize("name", ["DISPLAY", "WAYLAND_DISPLAY", "HOME", "XDG_CONFIG_HOME"])
def test_another_screen_or_home_has_a_window_of_its_own(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "one")
    one = address(tmp_path)
    assert address(tmp_path) == one
    monkeypatch.setenv(name, "another")
    assert address(tmp_path) != one


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have no such folder")
@pytest.mark.parametrize("made_before", [False, True])
def test_without_a_runtime_folder_there_is_a_private_one(
    made_before: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "missing"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    if made_before:  # by someone who wants to look in
        (tmp_path / f"errorflow-{os.getuid()}").mkdir(mode=0o755)
    given = have_runtime_folder()
    folder = Path(os.environ["XDG_RUNTIME_DIR"])
    assert folder.parent == tmp_path and folder.stat().st_mode & 0o777 == 0o700
    (folder / "in use").touch()
    leave_runtime_folder(given)
    assert folder.exists()
    (folder / "in use").unlink()
    leave_runtime_folder(given)
    assert not folder.exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have no such folder")
def test_the_runtime_folder_of_the_system_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    leave_runtime_folder(have_runtime_folder())
    assert os.environ["XDG_RUNTIME_DIR"] == str(tmp_path) and tmp_path.is_dir()
