"""Viewpoint of the graph, as a session keeps it, and the way back."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from errorflow.base import SILENT, ErrorflowError, Progress
from errorflow.case.session.model import Sights
from errorflow.graph.model import Graph, Model
from errorflow.layout.outline import Outline
from errorflow_viewer.document.state import Place, Sight, Spot
from errorflow_viewer.kit.drawings import VIEWS, Form, Groups, Unfolded, View, first_picture, make_draft, unfold

# Between the labels of a name, and before the number of those of several groups that have the same one.
_WITHIN, _AMONG = "\x1f", "\x1e"
# No room is smaller or larger, in px, whatever a file says.
_LEAST, _MOST = 80, 16_384


def sights_of(spot: Spot, view: View, shown: Unfolded | None, sight: Sight | None) -> Sights:
    """Makes what is seen now, and of it selected."""
    here = Sights(view=view, bodies=spot.place.path, function=spot.place.function)
    if shown is None or sight is None:
        return here
    names, form, graph = names_of(shown.outline), shown.form, shown.draft.graph
    width, height = sight.size
    return replace(
        here,
        open_groups=tuple(names[group] for group in sorted(shown.groups)),
        zoom=0.0 if sight.fitted else sight.zoom,
        x=sight.x,
        y=sight.y,
        width=width,
        height=height,
        room_width=form.width,
        room_height=form.height,
        cut=shown.columns,
        constants=form.constants,
        quiet=form.quiet,
        across=form.across,
        whole=tuple(graph.tensor_names[tensor] for tensor in sorted(shown.whole)),
        tensor="" if spot.tensor is None else graph.tensor_names[spot.tensor],
        group="" if spot.group is None else names[spot.group],
    )


def place_of(sights: Sights) -> Place:
    return Place(sights.bodies, sights.function)


def sight_of(sights: Sights, shown: Unfolded) -> Sight | None:
    """Finds what was seen then, as far as the groups are still there; None: it was not recorded."""
    if sights.open_groups is None:
        return None
    groups, size = groups_of(sights.open_groups, shown.outline), (sights.width, sights.height)
    return Sight(groups, sights.x, sights.y, sights.zoom, size, fitted=not sights.zoom, stays=True)


def spot_of(sights: Sights, node: int | None, shown: Unfolded | None) -> Spot:
    """Finds where one was then, and what was selected there if no node was."""
    place = place_of(sights)
    if shown is None or node is not None:
        return Spot(place, node, sight=None if shown is None else sight_of(sights, shown))
    tensor = shown.draft.graph.tensor_index(sights.tensor) if sights.tensor else None
    groups = groups_of((sights.group,), shown.outline) if sights.group else ()
    return Spot(place, None, tensor, next(iter(groups), None), sight_of(sights, shown))


def form_of(sights: Sights, form: Form) -> Form:
    """Finds how it was drawn then; what was not recorded is as it is now."""
    if sights.open_groups is None:
        return form
    view = cast(View, sights.view) if sights.view in VIEWS else form.view
    if not _has_room(sights):
        return replace(form, view=view)
    width, height = (min(max(length, _LEAST), _MOST) for length in (sights.room_width, sights.room_height))
    return Form(
        view,
        form.constants if sights.constants is None else sights.constants,
        form.quiet if sights.quiet is None else sights.quiet,
        form.across if sights.across is None else sights.across,
        width,
        height,
    )


def pictures_of(
    model: Model, form: Form, sights: Sights | None, before: Unfolded | None = None, progress: Progress = SILENT
) -> Mapping[Graph, Unfolded]:
    """Draws the main graph, and the one that was on view then just as it was, if it is in that form.

    `before`: how the main graph was seen until now. Empty where a graph cannot be drawn: the model can be looked at
    without a picture, and the window tries again and says why.
    """
    then = None if sights is None or not _has_room(sights) else _graph_of(sights, model)
    try:
        made = {} if then is None or sights is None else {then: _picture(then, form, sights, progress)}
        if model.graph not in made:
            made[model.graph] = first_picture(model.graph, form, before, progress)
    except ErrorflowError:
        return {}
    return made


def _has_room(sights: Sights) -> bool:
    """Whether it was recorded what the drawing was made for: an older session says only which groups were open."""
    return sights.open_groups is not None and sights.room_width > 0 and sights.room_height > 0


def _graph_of(sights: Sights, model: Model) -> Graph | None:
    try:
        return place_of(sights).graph(model)
    except IndexError:  # the model has changed
        return None


def _picture(graph: Graph, form: Form, sights: Sights, progress: Progress) -> Unfolded:
    draft = make_draft(graph, form, progress)
    groups = groups_of(() if sights.open_groups is None else sights.open_groups, draft.outline)
    tensors = map(graph.tensor_index, sights.whole)
    whole = frozenset(tensor for tensor in tensors if tensor is not None)
    return unfold(draft, groups, form, sights.cut, whole, progress)


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
