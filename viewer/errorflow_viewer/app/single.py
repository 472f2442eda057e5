"""Single running app per user and screen: a second start hands its files to the first and ends."""

import hashlib
import json
import logging
import os
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from enum import Enum
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, QStandardPaths, Qt, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from errorflow.base.files import is_folder
from errorflow.case.scenarios.setup import Setup
from errorflow_viewer.kit.surroundings import temporary_folder

LOG = logging.getLogger(__name__)
NAME = "errorflow"
# The first one may be busy starting: it is reachable before its window is. In ms; nobody waits longer for a window.
CONNECT, ANSWER, LOCK = 500, 2000, 1000
MOST_BYTES = 256 * 1024
MOST_PATHS = 100
# A path of a socket may not be longer on Linux.
LONGEST_PATH = 100
_ANSWER = b"ok\n"
# What the desktop gives a program so that its window may come to the front.
_TOKENS = ("XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID")
# A window on another screen, or with the settings of another home, is of no use to who starts the app here.
_SURROUNDINGS = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_CONFIG_HOME", "HOME", "APPDATA")


class Reply(Enum):
    """Reply to files that were offered to another start."""

    TAKEN = "taken"
    NOBODY = "nobody"  # is there
    BUSY = "busy"  # somebody is there, but does not answer


def address(folder: Path | None = None) -> str | None:
    """Finds where the first one on this screen listens; None: there is no folder that only this user can reach."""
    key = _surroundings()
    if os.name == "nt":
        return f"{NAME}-{os.environ.get('USERNAME', 'user')}-{key}"
    for place in _places(folder):
        path = place / f"{NAME}-{key}.socket"
        if len(os.fsencode(path)) <= LONGEST_PATH and _is_private(str(place)):
            return str(path)
    LOG.warning("no folder of one's own for a socket: each start has a window of its own")
    return None


def _places(folder: Path | None) -> Iterator[Path]:
    """The second is made only where the first will not do."""
    yield _runtime_folder() if folder is None else folder
    yield _temporary_folder()


def _surroundings() -> str:
    values = "\0".join(os.environ.get(name, "") for name in _SURROUNDINGS)
    return hashlib.sha256(os.fsencode(values)).hexdigest()[:12]


def have_runtime_folder() -> Path | None:
    """Gives Qt a private folder for sockets where the system has none; it would complain on the terminal.

    Returned is what was given: it is for `leave_runtime_folder` at the end.
    """
    # One that is there is kept, whatever its rights: the way to the screen may lie in it.
    if not sys.platform.startswith("linux") or is_folder(os.environ.get("XDG_RUNTIME_DIR", "-")):
        return None
    folder = str(_temporary_folder())
    try:
        os.environ["XDG_RUNTIME_DIR"] = folder if _is_private(folder) else tempfile.mkdtemp(prefix=NAME)
    except OSError as error:
        LOG.warning("no folder for sockets: %s", error)
        return None
    return Path(os.environ["XDG_RUNTIME_DIR"])


def leave_runtime_folder(given: Path | None) -> None:
    """Removes the folder, unless another start or a library has something in it."""
    if given is not None:
        with suppress(OSError):
            given.rmdir()


def _is_private(folder: str) -> bool:
    """Whether a folder is this user's alone; one of that name may have been laid out by another user."""
    try:
        found = os.lstat(folder)
    except (OSError, ValueError):
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and stat.S_IMODE(found.st_mode) == 0o700


def _runtime_folder() -> Path:
    runtime = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.RuntimeLocation)
    return Path(runtime) if runtime else _temporary_folder()


def _temporary_folder() -> Path:
    """Finds a folder where the system gives none for sockets. Another user may have laid one out: `_is_private`
    tells.
    """
    folder = temporary_folder() / f"{NAME}-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        LOG.warning("no folder for sockets: %s", error)
    return folder


def hand_over(
    where: str, paths: Sequence[Path], answer: int = ANSWER, setup: Setup | None = None, guide: bool = False
) -> Reply:
    """Gives the files, what is to be compared, or the wish for the guide to a running app, which has so many ms."""
    socket = QLocalSocket()
    socket.connectToServer(where)
    if not socket.waitForConnected(CONNECT):
        return Reply.NOBODY
    tokens = {name: os.environ[name] for name in _TOKENS if name in os.environ}
    wanted = None if setup is None else setup.plain
    message = json.dumps({"paths": [str(path) for path in paths], "tokens": tokens, "compare": wanted, "guide": guide})
    socket.write(message.encode("utf-8", "surrogateescape") + b"\n")
    socket.flush()
    while socket.bytesAvailable() < len(_ANSWER):
        if not socket.waitForReadyRead(answer):
            LOG.warning("the running app does not answer: %s", socket.errorString())
            socket.abort()
            return Reply.BUSY
    return Reply.TAKEN if bytes(socket.readAll().data()).startswith(_ANSWER) else Reply.BUSY


class Listener(QObject):
    """Takes the files of later starts."""

    received = Signal(object)  # list of Path
    asked = Signal(object)  # Setup: what is to be compared
    guide_asked = Signal()

    def __init__(self, where: str) -> None:
        super().__init__()
        self._where = where
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._accept)

    def listen(self) -> bool:
        """Takes over an address where no process answers any more."""
        QLocalServer.removeServer(self._where)
        listening = self._server.listen(self._where)
        if not listening:
            LOG.warning("other starts cannot reach this one: %s", self._server.errorString())
        return listening

    def close(self) -> None:
        self._server.close()

    def _accept(self) -> None:
        socket = self._server.nextPendingConnection()
        if socket is None:
            return
        socket.setParent(self)
        socket.disconnected.connect(socket.deleteLater, Qt.ConnectionType.QueuedConnection)
        socket.readyRead.connect(lambda: self._read(socket))
        self._read(socket)

    def _read(self, socket: QLocalSocket) -> None:
        if socket.bytesAvailable() > MOST_BYTES:
            socket.abort()
            return
        if not socket.canReadLine():
            return
        line = bytes(socket.readLine().data())
        paths, setup = parse(line), parse_setup(line)
        if paths is None:
            socket.abort()
            return
        socket.write(_ANSWER)
        socket.flush()
        # Who has lost patience meanwhile shows the files itself.
        if socket.state() == QLocalSocket.LocalSocketState.ConnectedState:
            self.received.emit(paths)
            if setup is not None:
                self.asked.emit(setup)
            if asks_for_guide(line):
                self.guide_asked.emit()


def parse(line: bytes) -> list[Path] | None:
    """The files in a message; None: it is not one of ours."""
    try:
        message = json.loads(line.decode("utf-8", "surrogateescape"))
        paths, tokens = message["paths"], message["tokens"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(paths, list) or not isinstance(tokens, dict):
        return None
    for name in _TOKENS:
        if _is_sound(tokens.get(name)):
            os.environ[name] = tokens[name]
    return [Path(path) for path in paths[:MOST_PATHS] if _is_sound(path)]


def parse_setup(line: bytes) -> Setup | None:
    """Parses what a message wants to compare; None: nothing, or rubbish."""
    try:
        setup = Setup.of_plain(json.loads(line.decode("utf-8", "surrogateescape"))["compare"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return setup if setup is not None and all(_is_sound(str(path)) for path in setup.files.values()) else None


def asks_for_guide(line: bytes) -> bool:
    """Whether a message that `parse` has taken wants the guide; an older start does not say it."""
    return json.loads(line.decode("utf-8", "surrogateescape")).get("guide") is True


def _is_sound(text: object) -> bool:
    """Whether the system takes it: no NUL, and no half of a character that it could not have given."""
    if not isinstance(text, str) or "\0" in text:
        return False
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


def lock_file(where: str) -> Path:
    """Lies beside the socket; on Windows, whose pipes lie in no folder, with the temporary files."""
    return temporary_folder() / f"{where}.lock"  # an absolute path stays what it is


def first_or_hand_over(
    where: str, paths: Sequence[Path], setup: Setup | None = None, guide: bool = False
) -> Listener | Reply:
    """Listens if this is the first start, else tells whether a running one took the files and this one may end.

    Two starts at the same moment agree by a lock on who is first.
    """
    reply = hand_over(where, paths, setup=setup, guide=guide)
    if reply is not Reply.NOBODY:
        return reply
    lock = QLockFile(str(lock_file(where)))
    locked = lock.tryLock(LOCK)
    try:
        reply = hand_over(where, paths, setup=setup, guide=guide)
        if reply is not Reply.NOBODY:
            return reply
        listener = Listener(where)
        listener.listen()
        return listener
    finally:
        if locked:
            lock.unlock()
