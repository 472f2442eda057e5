"""Which graph of a file lies below which operator of which other graph: always a tree, whatever the file says."""

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

# Deeper than any compiler nests control flow; whoever walks the tree recurses.
MAX_NESTING = 50


@dataclass(frozen=True, slots=True)
class Link:
    """Operator `owner` runs the graph at position `child` as its `role`."""

    owner: int
    role: str
    child: int


@dataclass(frozen=True, slots=True)
class Tree:
    """All graphs by position, parents before children; `roots` begin with the main graph, the others have no owner."""

    roots: tuple[int, ...]
    order: tuple[int, ...]
    below: tuple[tuple[Link, ...], ...]
    # What was odd, with examples.
    oddities: tuple[tuple[str, list[str]], ...]


def grow(names: Sequence[str], wanted: Sequence[Sequence[tuple[int, str, str]]]) -> Tree:
    """Links graphs by name, given for each graph which (owner, role, name) it asks for; graph 0 is the main one."""
    positions: dict[str, int] = {}
    for position, name in enumerate(names):
        positions.setdefault(name, position)
    missing = [name for asked in wanted for _, _, name in asked if name not in positions]
    links = [[Link(owner, role, positions[n]) for owner, role, n in asked if n in positions] for asked in wanted]
    tree = _Growth(links)
    tree.grow()
    oddities = [
        ("{} subgraphs are asked for but not in the file", list(dict.fromkeys(missing))),
        (
            "{} graphs are asked for by more than one operator and shown below one of them",
            [names[p] for p in tree.left],
        ),
        ("{} graphs belong to no operator", [names[p] for p in tree.roots[1:]]),
        ("{} graphs have a name that another one has", [n for n, count in Counter(names).items() if count > 1 and n]),
    ]
    return Tree(
        roots=tuple(tree.roots),
        order=tuple(tree.order),
        below=tuple(tuple(row) for row in tree.below),
        oddities=tuple((text.format(len(found)), found) for text, found in oddities if found),
    )


class _Growth:
    def __init__(self, links: list[list[Link]]) -> None:
        self.links = links
        self.roots: list[int] = []
        self.order: list[int] = []
        self.below: list[list[Link]] = [[] for _ in links]
        # Graphs that someone asked for who did not get them.
        self.left: list[int] = []
        self._seen: set[int] = set()

    def grow(self) -> None:
        asked_for = {link.child for row in self.links for link in row}
        self._take(0)
        for position in range(len(self.links)):
            if position not in asked_for:
                self._take(position)
        for position in range(len(self.links)):  # those in a circle, or nested too deep
            self._take(position)

    def _take(self, root: int) -> None:
        if root in self._seen:
            return
        self._seen.add(root)
        self.roots.append(root)
        queue = deque([(root, 0)])
        while queue:
            position, depth = queue.popleft()
            self.order.append(position)
            for link in self.links[position]:
                if link.child in self._seen or depth == MAX_NESTING:
                    self.left.append(link.child)
                    continue
                self._seen.add(link.child)
                self.below[position].append(link)
                queue.append((link.child, depth + 1))
