"""Groups of problems as the model of lists has them: a line is made when it is painted, however many there are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from PySide6.QtGui import QIcon

from errorflow_viewer.commands.copy_save.cells import Table
from errorflow_viewer.document.state import Place
from errorflow_viewer.kit.tables.column import Column
from errorflow_viewer.kit.tables.table import Index
from errorflow_viewer.kit.tables.tree import TreeGroup, TreeModel

if TYPE_CHECKING:
    from errorflow.explain.findings.problems import Group

# What stands in place of the number of a problem.
HEADING, HINT = -2, -1


@dataclass(frozen=True, slots=True)
class Branch:
    """A group, and the graphs that its items are in; () is the one on view."""

    group: "Group"
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class BranchLine:
    """A line of a branch: its heading, what to do about it, or a problem, by its number."""

    branch: Branch
    number: int

    @property
    def text(self) -> str:
        group = self.branch.group
        if self.number == HEADING:
            return f"{group.title} ({len(group.items):,})"
        return group.hint if self.number == HINT else group.items[self.number].text

    @property
    def tip(self) -> str:
        group = self.branch.group
        return (group.hint or group.title) if self.number == HEADING else self.text


class _Inside(Sequence[BranchLine]):
    """What to do about it first, if that is known, then the problems."""

    def __init__(self, branch: Branch) -> None:
        self._branch = branch
        self._first = HINT if branch.group.hint else 0

    def __len__(self) -> int:
        return len(self._branch.group.items) - self._first

    @overload
    def __getitem__(self, place: int) -> BranchLine: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[BranchLine]: ...
    def __getitem__(self, place: int | slice) -> BranchLine | Sequence[BranchLine]:
        if isinstance(place, slice):
            return [self[at] for at in range(*place.indices(len(self)))]
        return BranchLine(self._branch, place + self._first)


class ProblemTree(TreeModel[BranchLine]):
    """Two levels: the reasons, and below each what to do about it and the tensors."""

    branches: tuple[Branch, ...] = ()

    def show_branches(self, branches: tuple[Branch, ...], icon: QIcon) -> None:
        self.branches = branches
        column: Column[BranchLine] = Column(
            "Problems",
            lambda line: line.text,
            cell_tip=lambda line: line.tip,
            icon=lambda line: icon if line.number == HEADING else None,
            strong=lambda line: line.number == HEADING,
            muted=lambda line: line.number == HINT,
        )
        self.show([TreeGroup(BranchLine(branch, HEADING), _Inside(branch)) for branch in branches], [column])

    def target(self, index: Index) -> tuple[Place | None, int] | None:
        """The graph, None for the one on view, and the node that a line is about."""
        line = self.item(index)
        if line is None or line.number < 0:
            return None
        node, places = line.branch.group.items[line.number].node, line.branch.places
        if node is None:
            # The graph is known even where nothing in it is.
            return (places[line.number], -1) if places else None
        return (places[line.number] if places else None), node

    def as_table(self) -> Table:
        """A row per problem, with its reason and what to do about it."""
        groups = [branch.group for branch in self.branches]
        rows = [[group.title, item.text, group.hint] for group in groups for item in group.items]
        return Table(("Reason", "Problem", "What to do"), rows)
