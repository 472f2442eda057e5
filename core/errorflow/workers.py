"""Runs a function in a process of its own: it can be stopped at any moment, and its crash is a sentence.

For code of others that crashes, hangs or takes all memory when a file is bad, and that does not ask whether to go on.
Nothing that comes back is trusted: it is plain data, never a pickle. A program that is frozen into one file must call
`multiprocessing.freeze_support()` before anything else.
"""

import contextlib
import multiprocessing
import os
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar, TypeVarTuple, Unpack

from errorflow import errors
from errorflow.errors import ErrorflowError
from errorflow.progress import SILENT, Progress

# What can be sent. Tuples arrive as lists.
Plain = None | bool | int | float | str | bytes | list["Plain"] | dict[str, "Plain"]
Result = TypeVar("Result", bound=Plain)
Arguments = TypeVarTuple("Arguments")

TIMEOUT_SECONDS = 300.0
MEMORY_BYTES = 8 * 1024**3
POLL_SECONDS = 0.02
PIECE_BYTES = 1024 * 1024
MAX_MESSAGE_BYTES = 2 * 1024**3
DONE, ERROR, NO_MEMORY, BUG = "done", "error", "no memory", "bug"


class WorkerError(ErrorflowError):
    """The process crashed, was killed, took too long or needed too much memory."""


def run_apart(
    function: Callable[[Unpack[Arguments]], Result],
    *arguments: *Arguments,
    text: str,
    progress: Progress = SILENT,
    timeout: float = TIMEOUT_SECONDS,
    memory: int = MEMORY_BYTES,
) -> Result:
    """What `function` returns. It must stand at the top of a module; its arguments and result are plain values.

    `text` says what is being done. An `ErrorflowError` of the function is raised here too; when `progress` cancels,
    the process ends.
    """
    import msgspec

    request = msgspec.msgpack.encode(list(arguments))
    with _Worker.start(function, memory, _Watch(text, progress, time.monotonic() + timeout)) as worker:
        worker.send(request)
        answer = msgspec.msgpack.decode(worker.receive())
    if answer[0] != DONE:
        raise _failure(*answer, text=text)
    result: Result = answer[1]
    return result


def _failure(kind: str, name: str = "", message: str = "", hint: str = "", *, text: str) -> Exception:
    if kind == ERROR:
        return _ERRORS.get(name, ErrorflowError)(message, hint)
    if kind == NO_MEMORY:
        return WorkerError(f"{text} needs more memory than there is.", _GO_ON)
    return RuntimeError(f"{text} failed in its own process:\n{message}")


_ERRORS = {
    kind.__name__: kind
    for kind in (
        errors.FileError,
        errors.FormatError,
        errors.WrongFileError,
        errors.UnknownFormatError,
        errors.UsageError,
    )
}


_GO_ON = "The file is unusually large or broken; everything else goes on without it."


@dataclass(frozen=True, slots=True)
class _Watch:
    """When to give up waiting."""

    text: str
    progress: Progress
    deadline: float

    def check(self) -> None:
        self.progress.step(0, 0, self.text)
        if time.monotonic() > self.deadline:
            raise WorkerError(f"{self.text} took too long and was stopped.", _GO_ON)


@dataclass(frozen=True, slots=True)
class _Worker:
    """The process and the line to it; as a context manager it ends the process, whatever happens."""

    process: BaseProcess
    line: "Connection[Any, Any]"
    watch: _Watch

    @classmethod
    def start(cls, function: Callable[..., object], memory: int, watch: _Watch) -> "_Worker":
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, function, memory), daemon=True, name=watch.text)
        try:
            process.start()
        except OSError as error:
            ours.close()
            raise WorkerError(
                f"{watch.text}: no process could be started: {error}.", "Close other programs."
            ) from error
        finally:
            theirs.close()
        return cls(process, ours, watch)

    def __enter__(self) -> "_Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.join()
        self.process.close()
        self.line.close()

    def send(self, data: bytes) -> None:
        """In pieces, each taken before the next is sent: a process that does not listen can be given up."""
        self._take()  # it is ready
        try:
            _send(self.line, data, self.watch.check)
        except OSError as error:
            raise self._ended() from error

    def receive(self) -> bytes:
        size = int.from_bytes(self._take(), "little")
        if size > MAX_MESSAGE_BYTES:
            raise WorkerError(f"{self.watch.text} gave an answer of {size:,} bytes.", _GO_ON)
        data = bytearray()
        while len(data) < size:
            data += self._take()
        return bytes(data)

    def _take(self) -> bytes:
        try:
            while not self.line.poll(POLL_SECONDS):
                self.watch.check()
            return self.line.recv_bytes(PIECE_BYTES)
        except (EOFError, OSError) as error:
            raise self._ended() from error

    def _ended(self) -> WorkerError:
        self.process.join(1)
        self.process.kill()  # it closed the line, or sent what is no answer, and lives on
        self.process.join()
        code = self.process.exitcode
        how = _signal_name(-code) if code is not None and code < 0 else f"code {code}"
        return WorkerError(f"{self.watch.text} crashed in its own process ({how}).", _GO_ON)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _send(line: "Connection[Any, Any]", data: bytes, check: Callable[[], None]) -> None:
    line.send_bytes(len(data).to_bytes(8, "little"))
    for start in range(0, len(data), PIECE_BYTES):
        check()
        line.send_bytes(data[start : start + PIECE_BYTES])


def _serve(line: "Connection[Any, Any]", function: Callable[..., object], memory: int) -> None:
    """What the process does: take the arguments, call, answer."""
    import msgspec

    _be_quiet()
    _limit(memory)
    line.send_bytes(b"ready")
    size = int.from_bytes(line.recv_bytes(), "little")
    request = bytearray()
    while len(request) < size:
        request += line.recv_bytes(PIECE_BYTES)
    arguments = msgspec.msgpack.decode(bytes(request))
    del request
    _send(line, msgspec.msgpack.encode(_answer(function, arguments)), lambda: None)


def _answer(function: Callable[..., object], arguments: list[object]) -> list[object]:
    try:
        return [DONE, function(*arguments)]
    except ErrorflowError as error:
        return [ERROR, type(error).__name__, error.message, error.hint]
    except MemoryError:
        return [NO_MEMORY]
    except Exception:  # noqa: BLE001 - the boundary of the process: whatever it is, it is told on the other side
        return [BUG, "", traceback.format_exc()]


def _be_quiet() -> None:
    """Libraries that abort write to the terminal, which is not theirs; Ctrl-C is for the one who waits."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError):  # a program with a window may have no outputs
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)


def _limit(memory: int) -> None:
    """Where the system can, so that one bad file does not bring down everything else."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for kind, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(ValueError, OSError):  # a lower limit is in force, or the system has none
            resource.setrlimit(kind, (most, resource.getrlimit(kind)[1]))
