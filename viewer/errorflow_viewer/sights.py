"""What is to be seen of the graph, as a session keeps it, and the way back."""

from collections import Counter

from errorflow.layout.outline import Outline
from errorflow.session.model import Sights
from errorflow_viewer.drawings import Groups, Unfolded, View
from errorflow_viewer.state import Place, Sight

# Between the labels of a name, and before the number of those of several groups that have the same one.
_WITHIN, _AMONG = "\x1f", "\x1e"


def sights_of(place: Place, view: View, shown: Unfolded | None, sight: Sight | None) -> Sights:
    """What is seen now."""
    here = Sights(view=view, bodies=place.path, function=place.function)
    if shown is None or sight is None:
        return here
    names = names_of(shown.outline)
    groups = tuple(names[group] for group in sorted(shown.groups))
    zoom = 0.0 if sight.fitted else sight.zoom
    width, height = sight.size
    return Sights(view, place.path, place.function, groups, zoom, sight.x, sight.y, width, height)


def place_of(sights: Sights) -> Place:
    return Place(sights.bodies, sights.function)


def sight_of(sights: Sights, shown: Unfolded) -> Sight | None:
    """What was seen then, as far as the groups are still there; None: nobody wrote it down."""
    if sights.open_groups is None:
        return None
    size = sights.width, sights.height
    return Sight(groups_of(sights.open_groups, shown.outline), sights.x, sights.y, sights.zoom, size, not sights.zoom)


def names_of(outline: Outline) -> tuple[str, ...]:
    """A name for each group that another start finds it by: labels from the outside in, and if several have the same
    ones, which of them it is."""
    found: list[str] = []
    count: Counter[str] = Counter()
    for group, label in enumerate(outline.labels):  # a group comes behind the one that it is in
        parent = int(outline.parents[group])
        name = label if parent < 0 else f"{found[parent]}{_WITHIN}{label}"
        count[name] += 1
        found.append(name if count[name] == 1 else f"{name}{_AMONG}{count[name]}")
    return tuple(found)


def groups_of(names: tuple[str, ...], outline: Outline) -> Groups:
    """The groups that are still there."""
    wanted = frozenset(names)
    return frozenset(group for group, name in enumerate(names_of(outline)) if name in wanted)
