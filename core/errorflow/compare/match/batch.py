"""A folder of fusion rules against everything that was dumped at one time: each model with its own file."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from errorflow.base.values import dataclass
from errorflow.compare.match.codes import WRONG_PATH, RefusedError
from errorflow.formats import read_listing
from errorflow.formats.folders.scan import listing

_NUMBER = re.compile(r"\d+")
_LAYOUT = "A time folder holds {device}/{model name}/{model id}/{step}, and each step the dump files."


@dataclass(frozen=True, slots=True)
class BatchRun:
    """One model on one device: its fusion rules, its dumps, and what the result's name starts with."""

    fusion: Path
    candidate: Path
    prefix: str


def batch(fusions: Path, dumps: Path) -> tuple[BatchRun, ...]:
    """Pairs each file in `fusions` with a folder in `dumps` of the same model, by the graphs' names."""
    top = Path(os.path.realpath(dumps))
    if not top.name.isdigit():
        raise RefusedError(f"{dumps} is not named after a time, such as 20260131235959.", _LAYOUT, WRONG_PATH)
    files = _files_by_graph(fusions)
    steps = _steps_by_model(top)
    found: dict[Path, list[Path]] = {}
    for graph, file in files.items():
        folders = steps[graph] if graph in steps else _of_another_time(graph, steps)
        if folders:
            found[file] = folders
    if not found:
        raise RefusedError(
            f"No model in {dumps} has the name of a graph in {fusions}.",
            "The folder below the device is called as the graph in the JSON that ATC prints.",
            WRONG_PATH,
        )
    return tuple(
        BatchRun(file, folder, _prefix(folder.relative_to(top)))
        for file, folders in found.items()
        for folder in folders
    )


def _files_by_graph(fusions: Path) -> dict[str, Path]:
    names = [name for name in listing(fusions).files if name.endswith(".json")]
    if not names:
        raise RefusedError(f"There is no .json in {fusions}.", "Give the folder of files that ATC printed.", WRONG_PATH)
    return {graph: fusions / name for name in names for graph in read_listing(fusions / name).names}


def _steps_by_model(top: Path) -> dict[str, list[Path]]:
    """The last step of every model on every device."""
    found: dict[str, list[Path]] = {}
    for model in (model for device in _inside(top) for model in _inside(device)):
        for number in _inside(model):
            steps = sorted(listing(number).folders)
            if steps:
                found.setdefault(model.name, []).append(number / steps[-1])
    if not found:
        raise RefusedError(f"{top} is not laid out as an NPU dumps.", _LAYOUT, WRONG_PATH)
    return found


def _inside(folder: Path) -> Iterator[Path]:
    return (folder / name for name in listing(folder).folders)


def _of_another_time(graph: str, steps: Mapping[str, list[Path]]) -> list[Path]:
    """Names such as ge_default_20210420113944_73 hold a time, which may differ by a moment; the number counts."""
    wanted = _NUMBER.findall(graph)
    alike = [name for name in steps if len(wanted) == 2 and _NUMBER.findall(name)[1:] == wanted[1:]]
    return steps[alike[-1]] if alike else []


def _prefix(inside: Path) -> str:
    """Device, model and step: the model's number says nothing."""
    device, model, _, step = inside.parts
    return f"{device}_{model}_{step}_"
