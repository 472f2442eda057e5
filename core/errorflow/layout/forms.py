"""Which groups look the same, so that they are laid out once."""

from errorflow.layout.levels import Levels
from errorflow.layout.patch import Sizes
from errorflow.layout.tree import STEPS
from errorflow.progress import Progress

OFTEN = 2000  # groups between two looks whether to go on


def forms(levels: Levels, sizes: Sizes, progress: Progress) -> list[int]:
    """Equal numbers for groups that look the same: members of equal sizes, joined alike, inside too."""
    children = levels.children.lists()
    found = [0] * len(levels)
    known: dict[tuple[object, ...], int] = {}
    atoms, nets, ends = levels.atoms.tolist(), levels.net_starts.tolist(), levels.sink_starts.tolist()
    net_columns = (levels.sources, levels.source_nets, levels.favoured)
    end_columns = (levels.sink_nets, levels.sinks, levels.inner_nets, levels.favoured_ends)
    for row in reversed(range(len(levels))):
        if row % OFTEN == 0:
            progress.step(5, STEPS, "Comparing groups")
        inner = children[row]
        key = (
            sizes.atoms[atoms[row] : atoms[row + 1]].tobytes(),
            tuple([found[child] for child in inner]),
            sizes.folds[inner].tobytes() if inner else b"",
            sizes.titles[row],
            row in levels.stacks,
            *[column[nets[row] : nets[row + 1]].tobytes() for column in net_columns],
            *[column[ends[row] : ends[row + 1]].tobytes() for column in end_columns],
        )
        found[row] = known.setdefault(key, len(known))
    return found
