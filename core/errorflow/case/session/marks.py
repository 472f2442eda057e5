"""Mark of a comparison: all that its result depends on, so that it is known again before anything is run.

Of models and of what they are fed with the bytes count; of dumps, which may be huge, names, sizes and times do. Where
all of it lies does not matter.
"""

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from errorflow.base import SILENT, ErrorflowError, Progress
from errorflow.base.files import Source, is_folder
from errorflow.case.scenarios.call import SEED
from errorflow.case.scenarios.setup import Setup, is_model
from errorflow.compare.journal import VERSION
from errorflow.formats import read_model
from errorflow.formats.onnx.external import beside

# What models are fed with.
_INPUTS = "inputs"
_RUNTIME = "onnxruntime"
# Files of one folder that are looked at; with more it is not known again.
_MOST_FILES = 200_000


def mark_of(setup: Setup, shown: Path | None = None, progress: Progress = SILENT) -> str:
    """Changes with whatever changes a result; "": some file cannot be read. `shown`: the model that is painted."""
    digest = hashlib.sha256(repr((VERSION, _runtime(), setup.scenario, setup.shapes, SEED)).encode())
    files = dict(setup.files) if shown is None else {**setup.files, "": shown}
    try:
        for need, path in sorted(files.items()):
            digest.update(f"|{need}|".encode())
            for part in _parts(need, path, progress):
                digest.update(part)
    except (ErrorflowError, OSError, ValueError):  # whoever opens it next says what is wrong with it
        return ""
    return digest.hexdigest()


def _parts(need: str, path: Path, progress: Progress) -> Iterator[bytes]:
    if is_model(path):
        yield from _content(path, progress)
        for file in _values_beside(path, progress):
            yield file.name.encode(errors="surrogatepass")
            yield from _content(file, progress)
    elif need == _INPUTS and not is_folder(path):
        yield from _content(path, progress)
    else:
        yield from _stamps(path)


def _content(path: Path, progress: Progress) -> Iterator[bytes]:
    """Yields a digest rather than all of the content: what two files hold must not run into each other."""
    digest = hashlib.sha256()
    with Source(path) as source:
        for piece in source.pieces():
            progress.step(0, 0, f"Looking at {path.name}")
            digest.update(piece)
    yield digest.digest()


def _values_beside(model: Path, progress: Progress) -> list[Path]:
    """The files beside a model that hold some of its weights."""
    weights = read_model(model, progress).graph.weights
    places = {weights.info(name).location for name in weights.names()} - {""}
    return [beside(model, place) for place in sorted(places)]


def _stamps(path: Path) -> Iterator[bytes]:
    files = sorted(path.rglob("*")) if is_folder(path) else [path]
    if len(files) > _MOST_FILES:
        raise ValueError(path)
    for file in files:
        status = file.stat()
        name = file.relative_to(path.parent)
        if not is_folder(file):
            yield f"{name}|{status.st_size}|{status.st_mtime_ns}\n".encode(errors="surrogatepass")


@cache  # to look it up takes a walk through the folders of all packages, whose lists stay
def _runtime() -> str:
    from importlib.metadata import PackageNotFoundError, version  # it brings a reader of mails along

    try:
        return version(_RUNTIME)
    except PackageNotFoundError:
        return ""
