"""Short names of comparisons: `resnet50.onnx · cpu ↔ npu`."""

import os
from collections.abc import Sequence
from pathlib import Path

from errorflow.case.scenarios.setup import Setup

# Who is compared with whom, from what is trusted to what is in question; models stand for their runs.
_RUNS = ("reference", "simulator", "candidate", "table")
_MODELS = ("original", "quantized")


def title_of(setup: Setup) -> str:
    """The model and what is compared on it, by names that tell the files apart."""
    sides = _RUNS if setup.file("quantized") is None else _MODELS
    names = " ↔ ".join(_told_apart([path for side in sides if (path := setup.file(side)) is not None]))
    shown = setup.shown if sides is _RUNS else None
    return names if shown is None else f"{shown.name} · {names}" if names else shown.name


def place_of(setup: Setup) -> Path | None:
    """The folder around all of its files; None: there is none."""
    folders = [str(path.parent) for path in setup.files.values()]
    try:
        return Path(os.path.commonpath(folders)) if folders else None
    except ValueError:  # on several drives
        return None


def _told_apart(paths: Sequence[Path]) -> list[str]:
    """The last parts of each, as many as it takes."""
    named = [_named(path) for path in paths]
    names = [path.name for path in named]
    for count in range(2, max((len(path.parts) for path in named), default=0) + 1):
        if len(set(names)) == len(names):
            break
        names = ["/".join(path.parts[-count:]) for path in named]
    return names


def _named(path: Path) -> Path:
    """A dump lies in {time}/{device}/{model}/{model id}/{step}: numbers are no names."""
    while path.name.isdecimal() and path.parent.name:
        path = path.parent
    return path
