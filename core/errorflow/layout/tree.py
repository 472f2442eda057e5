"""The groups of a graph while they are being made, first of all from its scopes."""

import re
from ast import literal_eval
from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from errorflow.base import Progress, dataclass, field
from errorflow.base.arrays import Ints
from errorflow.graph.model import Graph
from errorflow.layout.level import Bools
from errorflow.layout.outline import Outline

ROOT = -1
DISSOLVED = -2
DIGITS = re.compile(r"\d+")
STEPS = 6  # that getting a graph ready takes: nodes, groups, path, stacks, blocks, forms
SCOPED = 0.3  # share of nodes with a path from which on names are believed
ROUNDS = 4  # how far a nameless node looks for named neighbours


@dataclass(slots=True)
class GroupTree:
    """Groups while they are being made; a group that was dissolved has no members."""

    nodes: Ints  # those that are drawn
    parents: list[int] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    group_of: dict[int, int] = field(default_factory=dict)
    copies: dict[int, int] = field(default_factory=dict)  # of the groups that are stacks

    def add(self, label: str, parent: int) -> int:
        self.parents.append(parent)
        self.labels.append(label)
        return len(self.parents) - 1

    def around(self, group: int) -> list[int]:
        """The group and all around it, outermost first."""
        found = []
        while group != ROOT:
            found.append(group)
            group = self.parents[group]
        return found[::-1]

    def common(self, groups: Sequence[int]) -> int:
        """The innermost group that all of these lie in."""
        paths = [self.around(group) for group in dict.fromkeys(groups)]
        common = ROOT
        for level in zip(*paths, strict=False):
            if len(set(level)) > 1:
                break
            common = level[0]
        return common

    def members(self) -> dict[int, list[int]]:
        """The nodes directly in each group."""
        members: dict[int, list[int]] = {ROOT: []}
        for node in self.nodes.tolist():
            members.setdefault(self.group_of[node], []).append(node)
        return members

    def inner(self) -> dict[int, list[int]]:
        """The groups directly in each group."""
        inner: dict[int, list[int]] = {}
        for group, parent in enumerate(self.parents):
            if parent != DISSOLVED:
                inner.setdefault(parent, []).append(group)
        return inner


def grow(graph: Graph, drawn: Bools, progress: Progress) -> GroupTree:
    tree = GroupTree(np.flatnonzero(drawn).astype(np.int32))
    paths = scopes(graph)
    progress.step(1, STEPS, "Finding groups")
    known = sum(paths[node] is not None for node in tree.nodes.tolist())
    if known >= SCOPED * max(1, len(tree.nodes)):
        _by_scopes(tree, graph, paths)
    else:
        tree.group_of = dict.fromkeys(tree.nodes.tolist(), ROOT)
    progress.step(1, STEPS, "Finding groups")
    dissolve_lonely(tree)
    return tree


# Where each node lives according to its exporter: paths such as model / layers.0 / self_attn.
#
# Taken, in this order, from the module paths that PyTorch's newer exporter writes into a node's metadata, from names
# with
# slashes (PyTorch's older exporter, TensorFlow, Caffe), and from the names of the source operators that a compiler
# fused;
# TensorFlow Lite writes these into one name.

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
    """Parses a `name_scopes` entry: the written form of a list of ever longer module paths, the node last."""
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


def _by_scopes(tree: GroupTree, graph: Graph, paths: list[Path | None]) -> None:
    known: dict[tuple[int, str], int] = {}
    of_path: dict[Path, int] = {(): ROOT}
    strays = []
    for node in tree.nodes.tolist():
        path = paths[node]
        if path is None:
            strays.append(node)
            continue
        group = of_path.get(path)
        if group is None:
            group = ROOT
            for label in path:
                if (group, label) not in known:
                    known[group, label] = tree.add(label, group)
                group = known[group, label]
            of_path[path] = group
        tree.group_of[node] = group
    if strays:
        _adopt(tree, graph, strays)


def _adopt(tree: GroupTree, graph: Graph, strays: list[int]) -> None:
    """Nodes without a path join the innermost scope that their neighbours have in common."""
    makers, consumers = graph.producers.tolist(), graph.consumers
    for _ in range(ROUNDS):
        rest = []
        for node in strays:
            inputs = [makers[t] for t in graph.node_inputs[node].tolist() if t >= 0]
            outputs = [t for t in graph.node_outputs[node].tolist() if t >= 0]
            near = inputs + [reader for t in outputs for reader in consumers[t].tolist()]
            groups = [tree.group_of[other] for other in near if other in tree.group_of]
            if groups:
                tree.group_of[node] = tree.common(groups)
            else:
                rest.append(node)
        strays = rest
    tree.group_of.update(dict.fromkeys(strays, ROOT))


def dissolve_lonely(tree: GroupTree) -> None:
    """A group with one member is none: its node goes to the group around it, its only group takes its place."""
    members, inner = tree.members(), tree.inner()
    living = [group for group, parent in enumerate(tree.parents) if parent != DISSOLVED]
    for group in sorted(living, key=lambda group: -len(tree.around(group))):
        nodes, groups, parent = members.get(group, []), inner.get(group, []), tree.parents[group]
        if len(nodes) + len(groups) > 1:
            continue
        inner[parent].remove(group)
        if nodes:
            tree.group_of[nodes[0]] = parent
            members.setdefault(parent, []).append(nodes[0])
        if groups:
            only = groups[0]
            tree.labels[only] = f"{tree.labels[group]}/{tree.labels[only]}"
            tree.parents[only] = parent
            inner[parent].append(only)
        tree.parents[group] = DISSOLVED


def outline(tree: GroupTree, graph: Graph) -> tuple[Outline, list[int]]:
    """The tree with groups numbered from the outside in, in the order of their first nodes; and their old numbers."""
    order, ends = _numbered(tree)
    number = {old: new for new, old in enumerate(order)}
    number[ROOT] = ROOT
    parents = np.array([number[tree.parents[old]] for old in order], np.int32)
    node_groups = np.full(len(graph), ROOT - 1, np.int32)
    renumbered = np.full(len(tree.parents) + 1, ROOT, np.int32)  # its last entry stands for the root
    renumbered[order] = np.arange(len(order), dtype=np.int32)
    nodes = np.fromiter(tree.group_of.keys(), np.int64, len(tree.group_of))
    node_groups[nodes] = renumbered[np.fromiter(tree.group_of.values(), np.int64, len(tree.group_of))]
    labels = tuple(tree.labels[old] for old in order)
    depths = np.zeros(len(order), np.int32)
    for group, parent in enumerate(parents.tolist()):
        depths[group] = 0 if parent == ROOT else depths[parent] + 1
    own = np.bincount(node_groups[node_groups >= 0], minlength=len(order))
    before = np.concatenate([[0], np.cumsum(own)])
    kinds: dict[str, int] = {}
    made = Outline(
        parents=parents,
        ends=np.array(ends, np.int32),
        depths=depths,
        labels=labels,
        counts=(before[ends] - before[: len(order)]).astype(np.int32),
        node_count=len(nodes),
        node_groups=node_groups,
        copies=np.array([tree.copies.get(old, 0) for old in order], np.int32),
        kinds=np.array([kinds.setdefault(DIGITS.sub("#", label), len(kinds)) for label in labels], np.int32),
        boxes=np.zeros(len(order) + 1, np.int32),
    )
    return made, order


def _numbered(tree: GroupTree) -> tuple[list[int], list[int]]:
    """Groups in the new order, and for each the number behind its last inner group."""
    nodes = tree.nodes.tolist()
    innermost = [tree.group_of[node] for node in nodes]
    first = dict(zip(reversed(innermost), reversed(nodes), strict=True))
    first.pop(ROOT, None)
    for group, node in list(first.items()):
        around = tree.parents[group]
        while around != ROOT and first.get(around, node + 1) > node:
            first[around] = node
            around = tree.parents[around]
    inner: dict[int, list[int]] = {}
    for group in sorted(first, key=lambda group: first[group]):
        inner.setdefault(tree.parents[group], []).append(group)
    order: list[int] = []
    ends: dict[int, int] = {}
    stack = [(group, False) for group in reversed(inner.get(ROOT, []))]
    while stack:
        group, left = stack.pop()
        if left:
            ends[group] = len(order)
            continue
        order.append(group)
        stack.append((group, True))
        stack.extend((child, False) for child in reversed(inner.get(group, [])))
    return order, [ends[group] for group in order]


def stack_name(names: list[str]) -> str:
    """Finds what the members of a stack have in common in their names, or else the first two of them."""
    forms = list(dict.fromkeys(DIGITS.sub("", name).strip("._/ ") for name in names))
    return " · ".join(form for form in forms[:2] if form)
