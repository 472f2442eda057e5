"""A picture as it is asked for, on the command line and from one process to another."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, get_args

from errorflow.base import SILENT, ErrorflowError, Progress, UsageError, dataclass
from errorflow.base.files import arriving
from errorflow.base.language import ENGLISH
from errorflow.case.session.model import Palette
from errorflow.layout.prepare import View
from errorflow.report.colors import ThemeName
from errorflow.report.paint import PAINTED

Kind = Literal["svg", "png", "pdf"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# Levels of groups that are open; "all", or "start": as many as a reader is shown at first.
Expand = int | Literal["all", "start"]


@dataclass(frozen=True, slots=True)
class Request:
    """Request: what to draw, how, and where to write it. None: what suits the picture."""

    file: str
    output: str
    view: View = "columns"
    expand: Expand = "start"
    theme: ThemeName = "light"
    title: str | None = None
    shapes: bool = False
    # Whether it says what was compared, when it was made, and by what.
    caption: bool = True
    scale: float | None = None
    width: int | None = None
    tile: int | None = None
    # A result table of another tool to paint by, and which of its columns.
    results: str | None = None
    column: str | None = None
    # A comparison to paint by: the table of tensors of one, or two runs and what it takes to match them.
    compared: str | None = None
    # The same of another run, which it is compared with.
    against: str | None = None
    candidate: str | None = None
    reference: str | None = None
    fusion: str = ""
    quantization: str = ""
    # How it is painted; limits as METRIC=GOOD,BAD.
    metric: str = PAINTED.key
    limits: tuple[str, ...] = ()
    preset: str = ""
    palette: Palette = "ember"
    swap: bool = False
    # What its words are in.
    language: str = ENGLISH.key

    @property
    def kind(self) -> Kind:
        return kind_of(Path(self.output))

    def scale_for(self, width: float) -> float | None:
        """Computes px per unit of a page of that width; None: not set."""
        return self.scale if self.width is None else self.width / width


def kind_of(path: Path) -> Kind:
    """Chooses what sort of picture a file is to hold, by its ending."""
    ending = path.suffix.lower().removeprefix(".")
    for kind in KINDS:
        if ending == kind:
            return kind
    raise UsageError(
        f"A picture cannot be written as .{ending}." if ending else f"{path.name} has no ending.",
        "Give the file a name that ends in .svg, .png or .pdf.",
    )


def request_of(data: bytes) -> Request:
    """Reads what another process wrote as JSON."""
    import msgspec

    try:
        return msgspec.convert(json.loads(data), Request)  # names of files may hold what msgspec's own reader refuses
    except (ValueError, msgspec.MsgspecError) as error:
        raise UsageError(f"The request for a picture is broken: {error}.", "Ask by `errorflow render`.") from error


# PNG and PDF need Qt: the viewer draws them, headless, in a process of its own that can be stopped at any moment.

# Nobody waits longer for a picture; 100 000 nodes as a PDF take half a minute.
TIMEOUT_SECONDS = 3600.0
_POLL_SECONDS = 0.05
# Of what the process said last, so much is shown when it crashed.
_LAST_WORDS = 2000
_NEEDS = ("PySide6", "errorflow_viewer")
_WITHOUT_QT = "Write an .svg instead: it needs neither the viewer nor Qt."


def render_by_viewer(request: Request, progress: Progress = SILENT, command: Sequence[str] = ()) -> str:
    """Has the picture drawn; says what was written. `command` starts the renderer, the installed one by default."""
    target = Path(request.output)
    # What it writes comes to its place when all is well: it may be stopped at any moment.
    with arriving(target.parent) as folder:
        name, words = _rendered(replace(request, output=str(folder / target.name)), progress, command)
    return f"{target.with_name(name)}: {words}"


def _rendered(request: Request, progress: Progress, command: Sequence[str]) -> tuple[str, str]:
    """The name of the file to look at, and what is in it."""
    with _started(command if command else _renderer()) as process:
        try:
            out, err = _answer(process, json.dumps(asdict(request)).encode(), progress)
        finally:
            process.kill()
    for line in reversed(out.splitlines()):
        match _message(line):
            case {"done": [str(name), str(words)]}:
                return Path(name).name, words
            case {"error": [str(text), str(hint)]}:
                raise ErrorflowError(text, hint)
    last = err.decode(errors="replace").strip()[-_LAST_WORDS:]
    raise ErrorflowError(
        f"The renderer crashed ({_how(process.returncode)}).", "Try a smaller --scale, or write an .svg."
    ) from (RuntimeError(last) if last else None)


def _renderer() -> list[str]:
    """Finds how to start the viewer as a renderer."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--render"]
    missing = [name for name in _NEEDS if find_spec(name) is None]
    if missing:
        raise UsageError(f"PNG and PDF are drawn by the viewer, and {missing[0]} is not installed.", _WITHOUT_QT)
    # -P: what happens to lie in the current folder must not stand in for a library.
    return [sys.executable, "-P", "-m", "errorflow_viewer.export.main"]


def _started(command: Sequence[str]) -> "subprocess.Popen[bytes]":
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        )
    except OSError as error:
        raise ErrorflowError(f"The renderer could not be started: {error}.", "Close other programs.") from error


def _answer(process: "subprocess.Popen[bytes]", request: bytes, progress: Progress) -> tuple[bytes, bytes]:
    """Reads all that the process says, waited for in short steps."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    sent: bytes | None = request
    while True:
        try:
            return process.communicate(sent, _POLL_SECONDS)
        except subprocess.TimeoutExpired as expired:
            sent = None
            progress.step(*_step(expired.stdout))
        if time.monotonic() > deadline:
            raise ErrorflowError("The picture took longer than an hour and was given up.", "Ask for a smaller one.")


def _step(said: bytes | None) -> tuple[int, int, str]:
    """Reads how far it is, by what it said last (not all systems tell before the end)."""
    for line in reversed((said if said is not None else b"").splitlines()):
        step = _message(line).get("step")
        if isinstance(step, list) and len(step) == 3:
            return int(step[0]), int(step[1]), str(step[2])
    return 0, 0, "Drawing the picture"


def _message(line: bytes) -> dict[str, object]:
    with contextlib.suppress(ValueError):  # half a line, or what a library printed
        message = json.loads(line)
        if isinstance(message, dict):
            return message
    return {}


def _how(code: int) -> str:
    names = {number.value: number.name for number in signal.Signals}
    return names.get(-code, f"code {code}")
