"""What the tests of `errorflow.base.workers` let run in a process of its own, where they must be importable."""

import ctypes
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

from errorflow.base.errors import FormatError, UsageError
from errorflow.base.workers import Plain, run_apart


def echo(value: bytes, number: int) -> list[Plain]:
    return [value[::-1], number + 1]


def process_id() -> int:
    return os.getpid()


def refuse() -> None:
    raise FormatError("The file is odd.", "Take another.")


def refuse_usage() -> None:
    raise UsageError("There is no such thing.", "Look elsewhere.")


def forget() -> None:
    raise KeyError("a bug")


def count(kept: list[bytes] = []) -> int:  # noqa: B006 - it remembers on purpose
    """How often it was called; what it keeps grows."""
    kept.append(bytes(400 * 1024 * 1024))
    return len(kept)


def crash() -> None:
    ctypes.string_at(0)


def crash_on(data: bytes) -> bytes:
    return ctypes.string_at(0) + data


def be_killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def leave() -> None:
    os._exit(3)


def hang(path: str) -> None:
    """Leaves its number in `path`, then never comes back."""
    Path(path).write_text(str(os.getpid()), encoding="ascii")
    while True:
        signal.pause()


def hang_beside_another(path: str) -> None:
    """The number in `path` is that of a program that it started."""
    _begin_another(path)
    while True:
        signal.pause()


def leave_another(path: str) -> None:
    _begin_another(path)
    os._exit(3)


def _begin_another(path: str) -> None:
    other = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    Path(path).write_text(str(other.pid), encoding="ascii")


class _KillsThisProcess:
    """As soon as `path` is there and not empty."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def step(self, done: int, total: int, text: str) -> None:
        if self.path.exists() and self.path.read_text(encoding="ascii"):
            os.kill(os.getpid(), signal.SIGKILL)


def ask_another(data: bytes) -> list[Plain]:
    """A process that was started here starts one itself."""
    return run_apart(echo, data, 1, text="Echoing")


def be_killed_while_another_hangs(path: str) -> None:
    run_apart(hang, path, text="Waiting", progress=_KillsThisProcess(Path(path)))


def swallow(size: int) -> int:
    return len(bytearray(size))


def shout() -> None:
    os.write(1, b"noise on the output")
    os.write(2, b"noise on the errors")


def give_rubbish(model: bytes, follow_values: bool) -> bytes:
    return b"\x0a\xff"


def give_another_model(model: bytes, follow_values: bool) -> bytes:
    """One with no nodes."""
    return b"\x08\x08\x3a\x03\x12\x01g"


def ends(process: int) -> bool:
    """Waits for any process; False where it takes too long."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 30)[0])
    finally:
        os.close(handle)
