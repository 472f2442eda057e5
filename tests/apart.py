"""What the tests of `errorflow.workers` let run in a process of its own: such functions must be importable there."""

import ctypes
import os
import signal
from pathlib import Path

from errorflow.errors import FormatError, UsageError
from errorflow.workers import Plain


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
