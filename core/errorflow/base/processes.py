"""Starts of our processes: where the system can, as copies of one that has loaded the libraries already.

Half a second of each start is the loading of libraries. A process of its own loads them once; it does nothing else and
has no threads at work, so that a copy of it is as clean as a process that was begun anew.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

LIBRARIES = ("msgspec", "numpy", "numpy.ma", "onnx", "onnx.numpy_helper", "onnxruntime")
# What most processes of ours are at work on.
OWN = ("errorflow.run.collecting", "errorflow.run.replaying", "errorflow.run.engine.serving")
_broken = False
# Of the environment, while a process begins.
_LOCK = threading.Lock()


def pipe() -> tuple[Any, Any]:
    return get_context("spawn").Pipe()


def begin(target: Callable[..., None], arguments: tuple[object, ...], name: str) -> BaseProcess:
    """A process at work on `target`, which stands at the top of a module. An `OSError` says why there is none."""
    global _broken
    if _can_copy():
        try:
            return _started(_copying(), target, arguments, name)
        except (OSError, EOFError):  # no room for its socket, or a library that crashes when it is loaded
            _broken = True
    return _started(get_context("spawn"), target, arguments, name)


def _can_copy() -> bool:
    return sys.platform.startswith("linux") and not _broken


def _copying() -> ForkServerContext:
    context = get_context("forkserver")
    context.set_forkserver_preload([*LIBRARIES, *OWN])
    return context


def _started(
    context: ForkServerContext | SpawnContext, target: Callable[..., None], arguments: tuple[object, ...], name: str
) -> BaseProcess:
    with _LOCK:
        _stand_somewhere()
        here = dict(os.environ)
        process = context.Process(target=_as_here, args=(here, target, *arguments), daemon=True, name=name)
        with nullcontext() if _begins_no_python(context) else _same_modules():
            process.start()
    return process


def _stand_somewhere() -> None:
    """Leaves a folder that was removed: nothing can begin in it, nor be found by its name alone."""
    try:
        Path.cwd()
    except OSError:
        os.chdir(Path(sys.executable).anchor)


def _begins_no_python(context: ForkServerContext | SpawnContext) -> bool:
    """True where what is copied, and what Python has beside it, live: the environment is left alone then, which other
    threads read meanwhile, and which programs that they start are given.
    """
    if not isinstance(context, ForkServerContext):
        return False
    from multiprocessing import forkserver, resource_tracker

    copied, beside = vars(forkserver).get("_forkserver"), vars(resource_tracker).get("_resource_tracker")
    return _lives(getattr(copied, "_forkserver_pid", None)) and _lives(getattr(beside, "_pid", None))


def _lives(child: int | None) -> bool:
    """Whether the child lives; one that has ended is started anew by its caller."""
    try:
        return child is not None and os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except OSError:
        return False


@contextmanager
def _same_modules() -> Iterator[None]:
    """Makes processes that are started meanwhile find modules where this process does.

    Python would look into the folder one works in first, where models of others lie and a file may be called onnx.py.
    """
    paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    before = {name: os.environ.get(name) for name in ("PYTHONSAFEPATH", "PYTHONPATH")}
    os.environ.update(PYTHONSAFEPATH="1", PYTHONPATH=paths)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _as_here(environment: Mapping[str, str], target: Callable[..., None], *arguments: object) -> None:
    """A copy has the environment of what it is a copy of, which may be older."""
    if dict(os.environ) != environment:
        os.environ.clear()
        os.environ.update(environment)
    target(*arguments)
