"""Names of files made of names of tensors, forward only: what was replaced cannot be told from the file."""

import re
from collections.abc import Iterable

from errorflow.graph.model import Problem

_REPLACED = re.compile(r"[^A-Za-z0-9_-]")


def stem_of(tensor: str) -> str:
    """The name with every character replaced that Pulsar2 replaces, and that no dump of an NPU may have in its name."""
    return _REPLACED.sub("_", tensor)


def tensors_by_stem(tensors: Iterable[str]) -> tuple[dict[str, str], tuple[Problem, ...]]:
    """The tensors by the stems of their files; of those that share one, the first, and a problem says so."""
    found: dict[str, str] = {}
    clashes: list[Problem] = []
    for name in tensors:
        stem = stem_of(name)
        if found.setdefault(stem, name) != name:
            clashes.append(Problem(f"{found[stem]} and {name} have the same file name; the first is taken.", stem))
    return found, tuple(clashes)
