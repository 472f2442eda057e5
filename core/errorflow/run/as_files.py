"""A run as the folder of files that msaccucmp wants of the original model: `operator.output.time.npy`."""

import re
from pathlib import Path
from time import time_ns

import numpy as np

from errorflow.base.files import arriving
from errorflow.base.progress import SILENT, Progress
from errorflow.formats import read_model, read_tensors
from errorflow.formats.npu.names import written
from errorflow.graph.dump import Dump
from errorflow.graph.model import Graph, Problem

# Of a file's name on every common disk.
_LONGEST = 255
# What a file's name may hold there.
_STRANGE = re.compile(r"[^A-Za-z0-9_.-]")


def write_beside(model: Path, run: Path, progress: Progress = SILENT) -> tuple[Path, tuple[Problem, ...]]:
    """Writes a folder beside a run of a model; returns it, and what was left out. Files of an earlier run are gone: of
    two times of one tensor it would be unknown which is meant.
    """
    place = run.with_name(f"{run.stem}_npy")
    place.mkdir(exist_ok=True)
    for old in place.glob("*.npy"):
        old.unlink()
    dump, graph = read_tensors(run), read_model(model).graph
    return place, write_npy_folder(dump, graph, place, time_ns() // 1000, progress)[1]


def write_npy_folder(
    dump: Dump, graph: Graph, folder: Path, time: int, progress: Progress = SILENT
) -> tuple[int, tuple[Problem, ...]]:
    """Writes files; returns how many, and which tensors have no name that such a file can have."""
    names = _names(graph)
    taken: set[str] = set()
    problems: list[Problem] = []
    with arriving(folder) as beside:
        for at, tensor in enumerate(dump.names()):
            progress.step(at, len(names), f"Writing {folder.name}")
            file = f"{names[tensor]}.{time}.npy" if tensor in names else ""
            if not file or file in taken or len(file) > _LONGEST:
                problems.append(Problem(f"{tensor} has no name of its own as a file and was left out.", tensor))
                continue
            taken.add(file)
            np.save(beside / file, dump.read(tensor), allow_pickle=False)
    return len(taken), tuple(problems)


def _names(graph: Graph) -> dict[str, str]:
    """Names by tensor the operator and the number of its output; inputs of the model are operators of their own
    there.
    """
    names = graph.tensor_names
    found = {names[tensor]: f"{_plain(names[tensor])}.0" for tensor in graph.inputs.tolist()}
    for node, name in enumerate(graph.node_names):
        for place, tensor in enumerate(graph.node_outputs[node].tolist()):
            if tensor >= 0:
                operator = name if name else names[tensor]
                found[names[tensor]] = f"{_plain(operator)}.{place}"
    return found


def _plain(name: str) -> str:
    return _STRANGE.sub("_", written(name))
