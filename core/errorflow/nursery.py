"""How processes of ours begin: where the system can, as copies of one that has loaded the libraries already.

Half a second of each start is the loading of libraries. A process of its own loads them once; it does nothing else and
has no threads at work, so that a copy of it is as clean as a process that was begun anew.
"""

import os
import sys
from collections.abc import Callable, Mapping
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from typing import Any

# Libraries of others only: our own modules may come from another folder than the one that is found first.
LIBRARIES = ("msgspec", "numpy", "onnx", "onnx.numpy_helper", "onnxruntime")
_broken = False


def pipe() -> tuple[Any, Any]:
    return get_context("spawn").Pipe()


def begin(target: Callable[..., None], arguments: tuple[object, ...], name: str) -> BaseProcess:
    """A process at work on `target`, which stands at the top of a module. An `OSError` says why there is none."""
    global _broken
    if _can_copy():
        process = _process(_copying(), target, arguments, name)
        try:
            process.start()
        except (OSError, EOFError):  # no room for its socket, or a library that crashes when it is loaded
            _broken = True
        else:
            return process
    process = _process(get_context("spawn"), target, arguments, name)
    process.start()
    return process


def _can_copy() -> bool:
    return sys.platform.startswith("linux") and not _broken


def _copying() -> ForkServerContext:
    context = get_context("forkserver")
    context.set_forkserver_preload(list(LIBRARIES))
    return context


def _process(
    context: ForkServerContext | SpawnContext, target: Callable[..., None], arguments: tuple[object, ...], name: str
) -> BaseProcess:
    return context.Process(target=_as_here, args=(dict(os.environ), target, *arguments), daemon=True, name=name)


def _as_here(environment: Mapping[str, str], target: Callable[..., None], *arguments: object) -> None:
    """A copy has the environment of what it is a copy of, which may be older."""
    if dict(os.environ) != environment:
        os.environ.clear()
        os.environ.update(environment)
    target(*arguments)
