"""Runs a function in a process of its own: it can be stopped at any moment, and its crash is a sentence.

For code of others that crashes, hangs or takes all memory when a file is bad, and that does not ask whether to go on.
Nothing that comes back is trusted: it is plain data, never a pickle. A program that is frozen into one file must call
`multiprocessing.freeze_support()` before anything else.
"""

import contextlib
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple, Unpack

from errorflow.base import errors, processes
from errorflow.base.errors import ErrorflowError
from errorflow.base.process_tree import Family, begin_family, end_family
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, replace

# What can be sent. Tuples arrive as lists.
Plain = None | bool | int | float | str | bytes | list["Plain"] | dict[str, "Plain"]
Result = TypeVar("Result", bound=Plain)
Arguments = TypeVarTuple("Arguments")

TIMEOUT_SECONDS = 300.0
MEMORY_BYTES = 8 * 1024**3
POLL_SECONDS = 0.02
PIECE_BYTES = 1024 * 1024
MAX_MESSAGE_BYTES = 2 * 1024**3
# A process that answers again and again is replaced when it keeps so much more than it started with.
MAX_GROWTH_BYTES = 1024**3
DONE, ERROR, NO_MEMORY, BUG = "done", "error", "no memory", "bug"
# Of how many parts each kind of answer is made.
_PARTS = {DONE: 2, ERROR: 4, NO_MEMORY: 1, BUG: 3}


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
    """Returns what `function` returns. It must stand at the top of a module; its arguments and result are plain values.

    `text` says what is being done. An `ErrorflowError` of the function is raised here too; when `progress` cancels,
    the process ends.
    """
    watch = _Watch(text, progress, time.monotonic() + timeout)
    with _Worker.start(_serve_once, function, memory, watch) as worker:
        answer = worker.ask(_request(arguments))
    result: Result = _result(answer, text)
    return result


class Standing:
    """Runs one function again and again, as `run_apart` does, in one process that stays until `stop`.

    It starts with the first call and ends with this process. After a crash, a cancel or a call that took too long, the
    next call starts another one.
    """

    def __init__(
        self,
        function: Callable[..., object],
        text: str,
        memory: int = MEMORY_BYTES,
        growth: int = MAX_GROWTH_BYTES,
        *,
        family: bool = False,
    ) -> None:
        """Replaces the process when more than `growth` bytes are kept. `family`: what it starts ends with it."""
        self._function = function
        self._text = text
        self._memory = memory
        self._serve = partial(_serve_on, growth=growth, family=family)
        self._is_family = family
        self._worker: _Worker | None = None

    def call(self, *arguments: Plain, progress: Progress = SILENT, timeout: float = TIMEOUT_SECONDS) -> Plain:
        request = _request(arguments)
        watch = _Watch(self._text, progress, time.monotonic() + timeout)
        try:
            answer = self._listening(watch).ask(request)
        except BaseException:  # also a cancel: whatever it is, nobody waits for this answer any more
            self.stop()
            raise
        result: Plain = _result(answer, self._text)
        return result

    def stop(self) -> None:
        """Ends the process, if there is one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()

    def _listening(self, watch: "_Watch") -> "_Worker":
        """The process of the last call; another one if that one ended after it had answered."""
        if self._worker is not None:
            self._worker = replace(self._worker, watch=watch)
            if self._worker.is_ready():
                return self._worker
            self.stop()
        self._worker = _Worker.start(self._serve, self._function, self._memory, watch, family=self._is_family)
        self._worker.wait_ready()
        return self._worker


def _request(arguments: tuple[object, ...]) -> bytes:
    import msgspec

    return msgspec.msgpack.encode(list(arguments))


def _result(answer: list[Any], text: str) -> Any:
    if answer[0] != DONE:
        raise _failure(*answer, text=text)
    return answer[1]


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
_NO_ROOM = "Close other programs, or give smaller inputs or fewer at a time; everything else goes on without it."


@dataclass(frozen=True, slots=True)
class _Watch:
    """Time limit of waiting."""

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
    # None: what it starts is its own affair.
    family: Family | None = None

    @classmethod
    def start(
        cls,
        serve: Callable[..., None],
        function: Callable[..., object],
        memory: int,
        watch: _Watch,
        *,
        family: bool = False,
    ) -> "_Worker":
        own = multiprocessing.current_process()
        if own.daemon:
            # As workers of a cluster are. A daemon may start no others, since they would outlive it: ours do not.
            own.daemon = False
        ours, theirs = processes.pipe()
        try:
            process = processes.begin(serve, (theirs, function, memory), watch.text)
        except OSError as error:
            ours.close()
            raise WorkerError(
                f"{watch.text}: no process could be started: {error}.", "Close other programs."
            ) from error
        finally:
            theirs.close()
        return cls(process, ours, watch, Family(process) if family else None)

    def __enter__(self) -> "_Worker":
        self.wait_ready()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        if self.family is not None:
            if self.process.is_alive():
                self.family.end()
            self.family.close()
        self.process.kill()
        self.process.join()
        self.process.close()
        self.line.close()

    def wait_ready(self) -> None:
        self._take()

    def is_ready(self) -> bool:
        """False for one that ended after its last answer."""
        try:
            self.wait_ready()
        except WorkerError:
            self.watch.check()
            return False
        # Who has ended has closed its end, which is seen sooner than that it has ended.
        return self.process.is_alive() and not self.line.poll()

    def ask(self, request: bytes) -> list[Any]:
        """The answer to one request, once it is ready: the kind, and what belongs to it."""
        import msgspec

        self.send(request)
        try:
            answer = msgspec.msgpack.decode(self.receive(), type=list[Any])
        except msgspec.MsgspecError:
            answer = []
        if not answer or answer[0] not in _PARTS or len(answer) != _PARTS[answer[0]]:
            raise WorkerError(f"{self.watch.text} gave an answer that makes no sense.", _GO_ON)
        return answer

    def send(self, data: bytes) -> None:
        """Sends in pieces, each taken before the next is sent: a process that does not listen can be given up."""
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
        was_killed = self.process.exitcode == -9  # SIGKILL; on Windows no process ends with it
        if self.family is not None:
            self.family.end()
        self.process.kill()  # it closed the line, or sent what is no answer, and lives on
        self.process.join()
        code = self.process.exitcode
        if was_killed:
            return WorkerError(
                f"{self.watch.text} was ended from outside (SIGKILL), as the system does when memory runs out.",
                _NO_ROOM,
            )
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


def _serve_once(line: "Connection[Any, Any]", function: Callable[..., object], memory: int) -> None:
    """Serves one call in the process: takes the arguments, calls, answers."""
    _prepare(memory)
    _serve(line, function)


def _serve_on(
    line: "Connection[Any, Any]", function: Callable[..., object], memory: int, growth: int, family: bool
) -> None:
    """Serves calls until no more come, or until it holds too much: what was forgotten is given back so."""
    _prepare(memory, family=family)
    size = _held_bytes()
    with contextlib.suppress(EOFError, OSError):  # the other side is gone
        while _serve(line, function) != NO_MEMORY and _held_bytes() - size < growth:
            pass
    if family:
        end_family()


def _serve(line: "Connection[Any, Any]", function: Callable[..., object]) -> object:
    """Serves one call and gives the kind of the answer."""
    import msgspec

    line.send_bytes(b"ready")
    size = int.from_bytes(line.recv_bytes(), "little")
    request = bytearray()
    while len(request) < size:
        request += line.recv_bytes(PIECE_BYTES)
    arguments = msgspec.msgpack.decode(bytes(request))
    del request
    answer = _answer(function, arguments)
    _send(line, msgspec.msgpack.encode(answer), lambda: None)
    return answer[0]


def _prepare(memory: int, *, family: bool = False) -> None:
    if family:
        begin_family()
    end_with_parent(family=family)
    _be_quiet()
    _limit(memory)


def end_with_parent(*, family: bool = False) -> None:
    """Ends this process from now on as soon as the one that started it is gone: its work has no use then."""
    threading.Thread(target=_end_after_parent, args=(family,), daemon=True).start()


def _end_after_parent(family: bool) -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        if family:
            end_family()
        os._exit(1)


def _held_bytes() -> int:
    """Counts the bytes that the limit of memory counts; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # Windows and macOS
        return 0


def _answer(function: Callable[..., object], arguments: list[object]) -> list[object]:
    try:
        return [DONE, function(*arguments)]
    except ErrorflowError as error:
        return [ERROR, type(error).__name__, str(error.message), str(error.hint)]
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
    """Limits memory where the system can, so that one bad file does not bring down everything else."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for kind, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(ValueError, OSError):  # a lower limit is in force, or the system has none
            resource.setrlimit(kind, (most, resource.getrlimit(kind)[1]))
