"""Drawings of graphs: what the user has switched on, a graph made ready for it, and its picture so far unfolded."""

from typing import TYPE_CHECKING, Literal, get_args
from weakref import WeakKeyDictionary

import numpy as np

from errorflow.base import SILENT, Progress, dataclass, replace
from errorflow.base.arrays import Ints
from errorflow.graph.model import Graph, Model
from errorflow.graph.quiet import Quiet, quiet
from errorflow.layout.drawing import Drawing
from errorflow.layout.folding import carried_over
from errorflow.layout.outline import Outline

if TYPE_CHECKING:  # comes with the first graph
    from errorflow.layout.prepare import PreparedGraph
    from errorflow.layout.prepare import View as CoreView

Groups = frozenset[int]
Tensors = frozenset[int]
View = Literal["auto", "columns", "down"]
VIEWS = get_args(View)
# Whether it runs from left to right, whether it is cut: what the layout calls that.
CORE_VIEWS: dict[tuple[bool, bool], "CoreView"] = {
    (False, False): "down",
    (False, True): "columns",
    (True, False): "right",
    (True, True): "rows",
}
# A drawing so many times as high as the window is cut into columns when nobody has chosen.
TALL = 1.6
# Below this zoom a drawing that is not cut is a hair.
HAIR = 0.12
# The room that a box with its lines and margins takes, in square pixels, and limits to how many are seen at first.
PER_BOX, FEWEST, MOST = 9_000, 40, 160


_SAME: WeakKeyDictionary[Graph, WeakKeyDictionary[Graph, bool]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Form:
    """Form that the user wants for every graph, and the room there is for it."""

    view: View = "auto"
    constants: bool = False
    quiet: bool = False
    across: bool = False  # from left to right
    width: int = 1000
    height: int = 640

    def fits_at(self, drawing: Drawing) -> float:
        """Finds the zoom at which all of a drawing is seen along its flow."""
        width, height = drawing.size
        return self.width / max(width, 1.0) if self.across else self.height / max(height, 1.0)

    @property
    def aspect(self) -> float:
        return self.width / self.height

    @property
    def budget(self) -> int:
        """Number of boxes that one can read at once in that room."""
        return int(min(max(self.width * self.height / PER_BOX, FEWEST), MOST))

    def same_contents(self, other: "Form") -> bool:
        """Whether the same boxes are drawn, if in other places."""
        return (self.constants, self.quiet) == (other.constants, other.quiet)


@dataclass(frozen=True, eq=False)
class Draft:
    """A graph made ready to be drawn, as often and as far unfolded as one likes."""

    graph: Graph
    drawn: Graph  # what is drawn of it; tensors are numbered alike, nodes not
    prepared: "PreparedGraph"
    quiet: Quiet | None

    @property
    def outline(self) -> Outline:
        """Outline, with nodes numbered as in `drawn`."""
        return self.prepared.outline

    def drawn_node(self, node: int) -> int:
        """Finds what stands for a node in `drawn`; -1: nothing."""
        return node if self.quiet is None else int(self.quiet.stand_ins[node])

    def real_nodes(self, nodes: Ints) -> Ints:
        """Finds all nodes of the graph that these of `drawn` stand for, in file order."""
        if self.quiet is None:
            return nodes
        return np.flatnonzero(np.isin(self.quiet.stand_ins, nodes)).astype(np.int32)

    def real_node(self, node: int) -> int:
        """The node that one of `drawn` is in the graph."""
        return node if self.quiet is None or node < 0 else int(self.quiet.nodes[node])


@dataclass(frozen=True, eq=False)
class Unfolded:
    """The picture of a draft with some of its groups open. Nodes are numbered as in the graph, not as drawn."""

    draft: Draft
    groups: Groups
    columns: bool  # or rows
    whole: Tensors  # of these all lines are drawn, however many there are
    drawing: Drawing
    form: Form  # with the room that it was made for

    @property
    def outline(self) -> Outline:
        return self.draft.outline

    def box_of(self, node: int) -> int | None:
        """The box that shows a node: its own, or the one it is folded into."""
        return self.drawing.box_of_node(self.draft.drawn_node(node))

    def node_of(self, box: int) -> int | None:
        node = self.draft.real_node(int(self.drawing.nodes[box]))
        return node if node >= 0 else None

    def tensor_of(self, box: int) -> int | None:
        """The tensor of an input, an output or a constant."""
        tensor = int(self.drawing.tensors[box])
        return tensor if tensor >= 0 and self.drawing.nodes[box] < 0 else None

    def group_of(self, box: int) -> int | None:
        """The closed group that a box stands for."""
        group = int(self.drawing.folds[box])
        return group if group >= 0 else None

    def fold_of(self, group: int) -> int | None:
        """The box that a closed group is seen as."""
        boxes = np.flatnonzero(self.drawing.folds == group)
        return int(boxes[0]) if len(boxes) else None

    def boxes_of_nodes(self) -> Ints:
        """Finds for each node of the graph the box that shows it; -1: none."""
        shown, found = self.drawing.node_boxes, self.draft.quiet
        if found is None:
            return shown
        return np.where(found.stand_ins >= 0, shown[found.stand_ins], -1) if len(shown) else found.stand_ins


class Drawings:
    """The pictures of the open model's graphs that are made already, all in one form."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self._made: dict[Graph, Unfolded] = {}

    def get(self, graph: Graph) -> Unfolded | None:
        return self._made.get(graph)

    def put(self, graph: Graph, made: Unfolded) -> None:
        self._made[graph] = made

    def keep(self, graphs: "set[Graph]") -> None:
        """Forgets all but these."""
        self._made = {graph: made for graph, made in self._made.items() if graph in graphs}

    def forget(self, graph: Graph | None) -> None:
        """Forgets the drawing of that graph."""
        if graph is not None:
            self._made.pop(graph, None)

    def hand_on(self, old: Model, new: Model) -> None:
        """The same model with more known about it is drawn as before."""
        for before, after in zip(old.graphs(), new.graphs(), strict=False):
            made = self._made.get(before)
            if made is not None and same_form(before, after):
                self._made[after] = replace(made, draft=_handed_on(made.draft, after))


def same_form(one: Graph, other: Graph) -> bool:
    """Whether numbers of nodes and tensors mean the same in both. Remembered: large ones take a while."""
    if one is other:
        return True
    known = _SAME.setdefault(one, WeakKeyDictionary())
    if other not in known:
        known[other] = one.node_names == other.node_names and one.tensor_names == other.tensor_names
    return known[other]


def _handed_on(draft: Draft, graph: Graph) -> Draft:
    found = None if draft.quiet is None else quiet(graph)
    return replace(draft, graph=graph, drawn=graph if found is None else found.graph, quiet=found)


def make_draft(graph: Graph, form: Form, progress: Progress = SILENT) -> Draft:
    """Makes what takes longest; every picture after it is a matter of milliseconds."""
    from errorflow.layout.prepare import prepare

    found = quiet(graph) if form.quiet else None
    drawn = graph if found is None else found.graph
    return Draft(graph, drawn, prepare(drawn, constants=form.constants, progress=progress), found)


def unfold(
    draft: Draft,
    groups: Groups,
    form: Form,
    columns: bool | None = None,
    whole: Tensors = frozenset(),
    progress: Progress = SILENT,
) -> Unfolded:
    """The picture with these groups open. `columns` None: as the form says, or if it leaves that open, as fits.

    Where the form leaves it open, False lasts as long as it makes no hair.
    """
    if columns is None and form.view != "auto":
        columns = form.view == "columns"

    def drawn(cut: bool) -> Drawing:
        view = CORE_VIEWS[form.across, cut]
        return draft.prepared.draw(groups, view, form.aspect, progress, show_all=whole)

    drawing = drawn(bool(columns))
    if columns is None or (form.view == "auto" and not columns):
        columns = form.fits_at(drawing) < (1 / TALL if columns is None else HAIR)
        drawing = drawn(True) if columns else drawing
    return Unfolded(draft, groups, columns, whole, drawing, form)


def first_picture(graph: Graph, form: Form, before: Unfolded | None = None, progress: Progress = SILENT) -> Unfolded:
    """A graph as it is first seen: its largest groups open, as long as it stays an overview.

    Or, if it was seen `before` in another form or state, with the same groups open.
    """
    draft = make_draft(graph, form, progress)
    if before is None:
        return unfold(draft, draft.outline.at_first(form.budget), form, progress=progress)
    groups = carried_over(before.outline, before.groups, draft.outline)
    return unfold(draft, groups, form, before.columns, before.whole, progress)
