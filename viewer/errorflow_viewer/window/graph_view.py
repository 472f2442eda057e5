"""Keeps the picture of the graph and the document in step."""

from collections.abc import Callable, Collection
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, QPointF, QSize, QTimer, Signal

from errorflow.base import ErrorflowError, Progress, dataclass, replace
from errorflow.graph.model import Graph
from errorflow.layout.folding import Groups, box_count, hidden_by, revealing
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.document.derived import Deriving
from errorflow_viewer.document.derived_table import looked
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.node_rows import rows_of
from errorflow_viewer.document.state import Place, Sight
from errorflow_viewer.kit.drawings import HAIR, Drawings, Form, Tensors, Unfolded, first_picture, unfold
from errorflow_viewer.kit.look import Theme
from errorflow_viewer.window.anchors import Anchor, beginning, spots, spots_of_drafts
from errorflow_viewer.window.error_painting import ErrorPainting
from errorflow_viewer.window.stand_ins import reader_of

# A node that is travelled to is to be read.
READABLE = 0.7
# Milliseconds after a key until what is found is marked: the list comes first.
CALM = 30


# The picture of the graph on view: what is shown, what is asked for, and how the one becomes the other.

KEY = "layout"
# So many boxes and tensors are drawn within a frame or two; more in the background.
AT_ONCE = 2_000
# In graphs with more nodes than this even few boxes take longer.
SMALL = 200_000


def nowhere() -> Anchor | None:
    """Finds no anchor: everything is to be seen."""
    return None


@dataclass(frozen=True, slots=True)
class PictureRequest:
    """A picture of the same graph that is asked for."""

    groups: Groups
    whole: Tensors
    # None: cut into columns as suits it.
    columns: bool | None
    # Asked when the picture is there: what stays in place.
    anchor: Callable[[], Anchor | None] = nowhere
    # Other things of the graph are drawn, so that it takes another draft.
    refills: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """A picture that takes long. `wish` None: it is the first one of its graph."""

    text: str
    make: Callable[[Progress], Unfolded]
    wish: PictureRequest | None


class Pictures:
    """Makes them at once or in the background. Wishes that come while one is under way are fulfilled together.

    `arrived` hears of each: the picture before, if there was one, the new one, and what stays in place.
    """

    def __init__(
        self,
        derived: Deriving,
        drawings: Drawings,
        form: Callable[[], Form],
        arrived: Callable[[Unfolded | None, Unfolded, Anchor | None], None],
        failed: Callable[[ErrorflowError], None],
        key: str = KEY,
    ) -> None:
        self.graph: Graph | None = None
        self.shown: Unfolded | None = None
        self._derived = derived
        # Of its row: each view has its own.
        self._key = key
        self._drawings = drawings
        self._form = form
        self._arrived = arrived
        self._asked: _Asked | None = None
        # What is shown has not the form that is wanted by now.
        self._outdated = False
        asked = looked(key, "", lambda _: self._asked, lambda asked, progress: asked.make(progress), self._take, failed)
        derived.add(replace(asked, text=lambda asked: asked.text))

    def end(self) -> None:
        """Ends: nothing is drawn any more."""
        self._derived.remove(self._key)

    @property
    def busy(self) -> bool:
        return self._derived.running(self._key) is not None

    @property
    def wish(self) -> PictureRequest | None:
        """Wish that is under way, else what is shown: the next wish is a change of it."""
        if self.busy and self._asked is not None:
            return self._asked.wish
        shown = self.shown
        return None if shown is None else PictureRequest(shown.groups, shown.whole, shown.columns)

    def turn_to(self, graph: Graph | None) -> PictureRequest | None:
        """Shows another graph. If it is the same with more known about it, what was under way is returned."""
        left, before, old = self.wish if self.busy else None, self.shown, self.graph
        self._ask(None)
        self.graph = graph
        self.shown = None if graph is None else self._drawings.get(graph)
        same = before is not None and self.shown is not None and self.shown.drawing is before.drawing
        if graph is None:
            self._drawings.keep(set())
        elif self._outdated and not same:
            self._drawings.forget(old)
            self._outdated = False
        if graph is not None and self.shown is None:
            self._draw(graph, None)
        return left if same else None

    def open(self, groups: Groups, anchor: Anchor | None) -> None:
        """Just these groups. `anchor` stays where it is; None: everything is to be seen."""
        wish = self.wish
        if wish is not None and groups != wish.groups:
            # What is seen as a whole is laid out as suits it.
            self.pursue(
                replace(wish, groups=groups, columns=None if anchor is None else wish.columns, anchor=lambda: anchor)
            )

    def draw_whole(self, tensors: Tensors, anchor: Anchor | None) -> None:
        """Draws all lines of just these tensors, however many nodes read them."""
        wish = self.wish
        if wish is not None:
            self.pursue(replace(wish, whole=tensors, anchor=lambda: anchor))

    def reform(self, form: Form, anchor: Callable[[], Anchor | None]) -> None:
        """Draws all graphs in another form; the old picture stays until the new one is there."""
        old, self._drawings.form = self._drawings.form, form
        if replace(old, width=form.width, height=form.height) == form:
            return
        wish = self.wish
        self._drawings.keep({self.graph} if self.graph is not None else set())
        self._outdated = self.shown is not None
        if wish is not None:
            refills = wish.refills or not old.same_contents(form)
            self.pursue(replace(wish, columns=None, anchor=anchor, refills=refills))
        elif self.graph is not None:
            self._draw(self.graph, None)

    def pursue(self, wish: PictureRequest) -> None:
        shown, graph, form = self.shown, self.graph, self._form()
        assert shown is not None and graph is not None, "only what is shown can be shown otherwise"
        if wish.refills:
            self._draw(graph, wish)
            return
        draft = shown.draft
        few = max(box_count(draft.outline, wish.groups), len(shown.drawing)) <= AT_ONCE
        if few and len(draft.drawn) <= SMALL:
            self._ask(None)
            self._put(unfold(draft, wish.groups, form, wish.columns, wish.whole), wish)
            return
        make = partial(unfold, draft, wish.groups, form, wish.columns, wish.whole)
        self._ask(_Asked("Unfolding", make, wish))

    def _draw(self, graph: Graph, wish: PictureRequest | None) -> None:
        """Draws from the beginning: as it is first seen, or with what is wished for."""
        form, before = self._form(), self.shown
        if wish is not None and before is not None:
            before = replace(before, groups=wish.groups, whole=wish.whole)
        self._ask(_Asked("Drawing the graph", partial(first_picture, graph, form, before), wish))

    def _ask(self, asked: _Asked | None) -> None:
        self._asked = asked
        self._derived.follow(self._key)

    def _take(self, made: Unfolded) -> None:
        asked, self._asked = self._asked, None
        self._put(made, None if asked is None else asked.wish)

    def _put(self, made: Unfolded, wish: PictureRequest | None) -> None:
        assert self.graph is not None, "what belongs to a graph that is left was cancelled"
        before, anchor = self.shown, None if wish is None else wish.anchor()
        self._drawings.put(self.graph, made)
        self._outdated = False
        self.shown = made
        self._arrived(before, made, anchor)


class GraphView(QObject):
    """Shows the graph of the document on a canvas and passes clicks back."""

    failed = Signal(object)  # ErrorflowError
    unfolded = Signal()  # other groups are open than before, or another graph is on view
    too_long = Signal()  # seen as a whole it would be a hair: the view is at its beginning instead
    group_opened = Signal(int)  # a closed group: double click or Enter

    def __init__(self, document: Document, derived: Deriving, drawings: Drawings, theme: Theme, key: str = KEY) -> None:
        super().__init__()
        self.canvas = Canvas()
        self._document = document
        self._drawings = drawings
        self._pictures = Pictures(derived, drawings, lambda: self.form, self._on_picture, self.failed.emit, key)
        # Where one is to travel to is not drawn yet.
        self._due = False
        self._finding = QTimer(self.canvas, singleShot=True, interval=CALM)
        self._finding.timeout.connect(self._mark_found)
        self.errors = ErrorPainting(document, self.canvas, lambda: self.shown, theme)
        self.canvas.picked.connect(lambda box: document.pick(*self._subject(box)))
        self.canvas.walked.connect(lambda box: document.walk(*self._subject(box)))
        self.canvas.went.connect(self._on_went)
        self.canvas.jumping.connect(document.depart)
        self.canvas.stepped.connect(lambda step: document.step_back() if step < 0 else document.step_forward())
        self.canvas.opened.connect(self._on_opened)
        self.canvas.group_picked.connect(lambda group: document.pick(group=group))
        document.changed.connect(self._on_changed)
        document.look = self._sight
        self.unfolded.connect(self.errors.refresh)

    def end(self) -> None:
        """Hears of nothing any more; the canvas goes with the widget that it is in."""
        self._document.look = lambda: None
        self._document.changed.disconnect(self._on_changed)
        self._pictures.end()
        self.errors.deleteLater()
        self.deleteLater()

    @property
    def shown(self) -> Unfolded | None:
        return self._pictures.shown

    @property
    def groups(self) -> Groups:
        """Groups that are open or about to be: what is opened next adds to them."""
        wish = self._pictures.wish
        return frozenset() if wish is None else wish.groups

    def anchor(self) -> Anchor | None:
        """Finds what stays in place when the picture changes: what is selected, else the middle; None: all is in
        sight.
        """
        shown, box = self.shown, self.canvas.selected()
        if shown is None or self.canvas.fitted:
            return None
        if box is None or not self.canvas.in_sight(box):
            return Anchor.middle(self.canvas)
        return Anchor.of_box(shown, box)

    def set_theme(self, theme: Theme) -> None:
        self.errors.set_theme(theme)

    def box_title(self, box: object) -> str:
        """Writes what the status bar says about the box under the pointer."""
        shown, graph = self.shown, self._pictures.graph
        if shown is None or graph is None or not isinstance(box, int):
            return ""
        node, tensor = shown.node_of(box), shown.tensor_of(box)
        if node is not None:
            return f"{graph.node(node).title}  ·  {graph.op_types[node]}"
        if tensor is not None:
            return graph.tensor_names[tensor]
        group = shown.group_of(box)
        count = len(shown.drawing.nodes_of_box(box))
        return f"{shown.drawing.labels[box] if group is None else shown.outline.scope(group)}  ·  {count:,} nodes"

    def centre_on_selection(self) -> None:
        box, group = self.canvas.selected(), self.canvas.selected_group()
        if group is not None:
            self.canvas.show_group(group)
        elif box is not None:
            self.canvas.centre_on(box, None if self.canvas.zoom >= READABLE else 1.0)

    # Form

    @property
    def form(self) -> Form:
        """Form of graphs from now on: the window may have another size than when this one was."""
        canvas, form = self.canvas, self._drawings.form
        return replace(form, width=canvas.width(), height=canvas.height()) if canvas.isVisible() else form

    def form_in(self, room: QSize, share: float) -> Form:
        """The same before the graph is seen for the first time, when it will get a share of some room's width."""
        if self.canvas.isVisible():
            return self.form
        return replace(self._drawings.form, width=max(round(room.width() * share), 1), height=max(room.height(), 1))

    # Folding

    def open_groups(self, groups: Groups, anchor: Anchor | None) -> None:
        """Shows the graph with just these groups open. `anchor` stays where it is; None: everything is to be seen."""
        self._due = self._due and self._pictures.busy  # who has cancelled the way somewhere is not to be taken there
        self._pictures.open(groups, anchor)

    def draw_whole(self, tensors: Tensors, anchor: Anchor | None) -> None:
        """Draws all lines of just these tensors, however many nodes read them."""
        self._pictures.draw_whole(tensors, anchor)

    def reform(self, form: Form) -> None:
        """Draws all graphs in another form; what was in the middle stays there."""
        self._pictures.reform(form, self.anchor)

    # From the document

    def _on_changed(self, fields: Collection[str]) -> None:
        if {"model", "place"} & set(fields):
            self._show(self._document.graph)
        if "visit" in fields:
            self._reveal()
        if {"model", "place", "node", "tensor", "group"} & set(fields):
            self._mark()
        if "visit" in fields:
            self._travel()
        if {"model", "place", "search", "hits"} & set(fields):
            self._finding.start()

    def _show(self, graph: Graph | None) -> None:
        if graph is self._pictures.graph:
            return
        before, left = self.shown, self._pictures.turn_to(graph)
        made = self.shown
        if made is None:
            self.canvas.clear()
            self.unfolded.emit()
            return
        same = before is not None and made.drawing is before.drawing
        self.canvas.show_drawing(made.drawing, made.draft.drawn, keep_view=same)
        self.unfolded.emit()
        if left is not None:
            self._pictures.pursue(left)

    def _on_picture(self, before: Unfolded | None, made: Unfolded, anchor: Anchor | None) -> None:
        if before is None:
            self._document.note_redrawn()
            self.canvas.show_drawing(made.drawing, made.draft.drawn)
            self._after_change()
            self._avoid_hair(made)
            self._reveal()
            self._travel()
        elif before.draft is made.draft:
            self._change(made, None if anchor is None else spots(before, made, anchor))
        else:
            self.canvas.select(None)  # its box has another number, and whoever hears of the new picture asks for it
            self._document.forget_groups()
            self._document.note_redrawn()
            self._change(made, None if self.canvas.fitted else spots_of_drafts(before, made, self.canvas.middle()))

    def _change(self, made: Unfolded, found: tuple[QPointF, QPointF] | None) -> None:
        """Shows another picture of the same graph. `found`: a spot before and now, which stays where it is."""
        if found is None:
            self.canvas.change_drawing(made.drawing, made.draft.drawn)
        else:
            self.canvas.change_drawing(made.drawing, made.draft.drawn, *found)
        self._after_change()
        if found is None:
            self._avoid_hair(made)

    def _avoid_hair(self, made: Unfolded) -> None:
        """Goes to what is selected or to the beginning, where nothing could be made out of the whole."""
        drawing, canvas = made.drawing, self.canvas
        if made.columns or not len(drawing) or self.form.fits_at(drawing) >= HAIR:
            return
        if canvas.selected() is None and canvas.selected_group() is None:
            zoom = min(max(canvas.width() / drawing.size[0], READABLE), 1.0)
            canvas.look_at(beginning(drawing, canvas.width(), canvas.height(), zoom), zoom, animate=False)
        else:
            self.centre_on_selection()
        self.too_long.emit()

    def _after_change(self) -> None:
        self._mark()
        self._mark_found()
        self.unfolded.emit()
        if self._due:
            self._travel()

    # What is selected

    def _mark(self) -> None:
        shown, group = self.shown, self._document.state.group
        if shown is not None and group is not None and group in shown.drawing.group_ids:
            if group != self.canvas.selected_group():
                self.canvas.select_group(group)
            return
        box = self._box()
        if box != self.canvas.selected() or self.canvas.selected_group() is not None:
            self.canvas.select(box)

    def _box(self) -> int | None:
        """The box of what is selected."""
        state, shown, graph = self._document.state, self.shown, self._pictures.graph
        if shown is None or graph is None:
            return None
        if state.group is not None:
            return shown.fold_of(hidden_by(shown.outline, shown.groups, state.group))
        boxes = [] if state.tensor is None else (shown.drawing.tensors == state.tensor).nonzero()[0]
        if len(boxes):
            return int(boxes[0])
        node = self._node_drawn()
        return None if node is None else shown.box_of(node)

    def _node_drawn(self) -> int | None:
        """The node that is selected, or is drawn in the place of what is."""
        state, shown, graph = self._document.state, self.shown, self._pictures.graph
        if shown is None or graph is None:
            return None
        reader = reader_of(shown, graph, state.node, state.tensor)
        return state.node if reader is None else reader

    # Journeys

    def _sight(self) -> Sight | None:
        shown, canvas = self.shown, self.canvas
        if shown is None:
            return None
        spot, zoom = canvas.gaze()
        return Sight(shown.groups, spot.x(), spot.y(), zoom, shown.drawing.size, canvas.fitted)

    def _reveal(self) -> None:
        """Opens what was open then, or what hides the node that is travelled to."""
        state, shown = self._document.state, self.shown
        if shown is None:
            return
        if state.sight is not None:
            self.open_groups(state.sight.groups & shown.outline.everything, Anchor.middle(self.canvas))
        else:
            real = self._node_drawn()
            node, box = (-1, None) if real is None else (shown.draft.drawn_node(real), shown.box_of(real))
            if node >= 0 and box is not None and shown.group_of(box) is not None:
                self.open_groups(revealing(shown.outline, shown.groups, node), Anchor.of_box(shown, box))

    def _travel(self) -> None:
        """Travels to what was seen then, or to what is selected."""
        sight, shown = self._document.state.sight, self.shown
        self._due = self._pictures.busy
        if self._due:
            return
        if sight is not None and sight.fitted:
            self.canvas.fit()
        elif sight is None or shown is None or shown.drawing.size != sight.size:
            self.centre_on_selection()
        elif sight.stays:
            self.canvas.hold(QPointF(sight.x, sight.y), sight.zoom)
        else:
            self.canvas.look_at(QPointF(sight.x, sight.y), sight.zoom)

    # What is found

    def _mark_found(self) -> None:
        """Counts for each box the nodes in it that the search has found; an input or an output counts itself."""
        shown, graph, text = self.shown, self._pictures.graph, self._document.state.search
        if shown is None or graph is None or not text.strip():
            self.canvas.set_matches(None)
            return
        rows, tensors = rows_of(graph), shown.drawing.tensors
        boxes = shown.boxes_of_nodes()[rows.search(text)]
        counts = np.bincount(boxes[boxes >= 0], minlength=len(shown.drawing))
        ends = np.flatnonzero(tensors >= 0)
        counts[ends] += rows.find_tensors(text)[tensors[ends]]
        self.canvas.set_matches(counts)

    # From the canvas

    def _subject(self, box: object) -> tuple[int | None, int | None, int | None]:
        """The node, the tensor or the closed group that a box stands for."""
        shown = self.shown
        if shown is None or not isinstance(box, int):
            return None, None, None
        return shown.node_of(box), shown.tensor_of(box), shown.group_of(box)

    def _on_went(self, box: object) -> None:
        state, subject = self._document.state, self._subject(box)
        if subject != (state.node, state.tensor, state.group):
            self._document.depart()
            self._document.select(*subject)

    def _on_opened(self, box: object) -> None:
        """A double click opens a group, or goes into the body of a control-flow node or into a function."""
        shown, model, graph = self.shown, self._document.model, self._pictures.graph
        if shown is None or model is None or graph is None or not isinstance(box, int):
            return
        group = shown.group_of(box)
        if group is not None:
            self.group_opened.emit(group)
            return
        number = shown.node_of(box)
        if number is None:
            return
        node = graph.node(number)
        if node.subgraphs:
            self._document.go(self._document.state.place.inside(node.subgraphs[0]))
            return
        for position, function in enumerate(model.functions):
            if (function.domain, function.name) == (node.domain, node.op_type):
                self._document.go(Place(function=position))
                return
        self.centre_on_selection()
