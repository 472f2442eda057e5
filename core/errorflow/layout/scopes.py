"""Where each node lives according to its exporter: paths such as model / layers.0 / self_attn.

Taken, in this order, from the module paths that PyTorch's newer exporter writes into a node's metadata, from names with
slashes (PyTorch's older exporter, TensorFlow, Caffe), and from the names of the source operators that a compiler fused;
TensorFlow Lite writes these into one name.
"""

from ast import literal_eval
from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from errorflow.graph.model import Graph

Path = tuple[str, ...]

NAME_SCOPES = "pkg.torch.onnx.name_scopes"
FUSED = ";"  # between the names of operators that became one
LONGEST_ENTRY = 20_000  # characters of metadata that are looked at
DEEPEST = 24  # levels; what lies deeper is written as one


@runtime_checkable
class HasMetadata(Protocol):
    """Attributes that can also tell one metadata entry of all nodes at once."""

    def metadata(self, key: str) -> dict[int, str]: ...


def scopes(graph: Graph) -> list[Path | None]:
    """The path of each node, without its own name. None: nothing is known; (): outermost."""
    known: dict[str, Path] = {}
    found: list[Path | None] = []
    for name, origin in zip(graph.node_names, graph.origins, strict=True):
        if FUSED in name and "/" in name:
            found.append(_of_origins(tuple(name.split(FUSED))))
        elif "/" in name:
            outer = name.rpartition("/")[0]
            if outer not in known:
                known[outer] = _limited(part for part in outer.split("/") if part)
            found.append(known[outer])
        else:
            found.append(_of_origins(origin) if origin else None)
    for node, path in _from_metadata(graph).items():
        found[node] = path
    return found


def _limited(parts: Iterable[str]) -> Path:
    path = tuple(parts)
    return path if len(path) <= DEEPEST else (*path[: DEEPEST - 1], "/".join(path[DEEPEST - 1 :]))


def _of_origins(origins: tuple[str, ...]) -> Path | None:
    """The innermost scope that all source operators of a fused one lie in."""
    paths = [[part for part in name.split("/") if part][:-1] for name in origins if "/" in name]
    if not paths:
        return None
    common = paths[0]
    for path in paths[1:]:
        length = next((i for i, (a, b) in enumerate(zip(common, path, strict=False)) if a != b), None)
        common = common[: min(len(common), len(path)) if length is None else length]
    return _limited(common)


def _from_metadata(graph: Graph) -> dict[int, Path]:
    if not isinstance(graph.attributes, HasMetadata):
        return {}
    known: dict[str, Path | None] = {}
    found = {}
    for node, entry in graph.attributes.metadata(NAME_SCOPES).items():
        if entry not in known:
            known[entry] = module_path(entry)
        path = known[entry]
        if path is not None:
            found[node] = path
    return found


def module_path(entry: str) -> Path | None:
    """What a `name_scopes` entry says: the written form of a list of ever longer module paths, the node last."""
    try:
        names = literal_eval(entry[:LONGEST_ENTRY])
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    parts, before = [], ""
    for name in names[:-1]:
        if name and name != before:
            parts.append(name[len(before) + 1 :] if before and name.startswith(f"{before}.") else name)
            before = name
    return _limited(parts)
