"""Keeps two views of two graphs in step: what is selected, what the pointer is on, where one looks, what is open."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, QTimer

from errorflow.base.arrays import Ints
from errorflow_viewer.canvas.outlines import NONE, Outlines
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.second_graph import Second, Which
from errorflow_viewer.kit.drawings import Groups
from errorflow_viewer.window.graph_view import GraphView
from errorflow_viewer.window.second_graph_links import BoxLinks, boxes_of, lonely_boxes, nodes_of, opened_with

# By these a user takes the lead.
_TOUCHES = frozenset((QEvent.Type.MouseButtonPress, QEvent.Type.Wheel, QEvent.Type.KeyPress, QEvent.Type.NativeGesture))
# Of the way from the middle of the view to its edge, the last part, in which a selected box loosens its hold.
_LOOSENS = 0.25
_NO_NODES: Ints = np.zeros(0, np.int32)


def other_of(which: Which) -> Which:
    return "second" if which == "main" else "main"


class Following(QObject):
    """The view that was touched last leads, the other one follows."""

    def __init__(
        self,
        second: Second,
        views: Mapping[Which, GraphView],
        documents: Mapping[Which, Document],
        outlines: Mapping[Which, Outlines],
        in_step: Callable[[], bool],
    ) -> None:
        # What is waited for ends with the views: a timer that outlives them would look at what is gone.
        super().__init__(views["second"].canvas)
        self.leader: Which = "main"
        self._second = second
        self._views = views
        self._documents = documents
        self._outlines = outlines
        self._in_step = in_step
        self._following = False
        # The groups that were asked for on behalf of the other view.
        self._asked: dict[Which, Groups | None] = {"main": None, "second": None}
        self._box_links: dict[Which, BoxLinks] = {}
        self._catching_up = QTimer(self, singleShot=True, interval=0)
        self._catching_up.timeout.connect(self._follow_view)
        # The view whose folds the other one is to follow: drawn apart, both do not hold the window up together.
        self._unfolded: Which = "main"
        self._folding = QTimer(self, singleShot=True, interval=0)
        self._folding.timeout.connect(self._follow_unfolded)
        self._wires = [second.changed.connect(self._on_second), documents["main"].pointed.connect(self._on_pointed)]
        self._connect("main")
        self._connect("second")
        self.refresh()

    def end(self) -> None:
        """Ends: nothing is followed any more."""
        self._catching_up.stop()
        self._folding.stop()
        for wire in self._wires:
            QObject.disconnect(wire)
        for view in self._views.values():
            view.canvas.removeEventFilter(self)

    def refresh(self) -> None:
        """Refreshes: both pictures or the links are others than before."""
        self._box_links.clear()
        self._mark_lonely("main")
        self._mark_lonely("second")
        self._show_partners()

    @property
    def nodes(self) -> Ints:
        """Nodes that are selected in the leading graph."""
        return self._selected(self.leader)

    # What happens

    def _connect(self, which: Which) -> None:
        view, document = self._views[which], self._documents[which]
        view.canvas.installEventFilter(self)
        self._wires += [
            view.canvas.moved.connect(lambda: self._on_moved(which)),
            view.canvas.hovered.connect(lambda box: self._on_hovered(which, box)),
            view.unfolded.connect(lambda: self._on_unfolded(which)),
            document.changed.connect(lambda fields: self._on_changed(which, fields)),
        ]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _TOUCHES:
            self._second.returned = False
            self.leader = "main" if watched is self._views["main"].canvas else "second"
        return super().eventFilter(watched, event)

    def _on_changed(self, which: Which, fields: Collection[str]) -> None:
        if not self._following and {"node", "group", "tensor", "visit"} & set(fields):
            self.leader = which
            self._select()

    def _on_second(self, fields: Collection[str]) -> None:
        if "links" not in fields:
            return
        self.leader = "main"
        self.refresh()
        if self._second.returned:  # both are as they were left
            self._select(stay=True)
        else:
            self._follow_folds("main")
            self._select()
            self._catching_up.start()

    def _on_unfolded(self, which: Which) -> None:
        self.refresh()
        asked, self._asked[which] = self._asked[which], None
        if asked is None or asked != self._views[which].groups:
            self._unfolded = which
            self._folding.start()
        if which != self.leader:
            self._catching_up.start()

    def _on_moved(self, which: Which) -> None:
        if which == self.leader and not self._following:
            self._catching_up.start()

    def _on_hovered(self, which: Which, box: object) -> None:
        shown = self._views[which].shown
        nodes = nodes_of(shown, box) if shown is not None and isinstance(box, int) else _NO_NODES
        self._point(which, nodes)
        if which == "second":  # lists and curves are about the main graph
            partners = self._second.partners(which, nodes)
            with self._on_behalf():
                self._documents["main"].pointed.emit(int(partners[-1]) if len(nodes) == 1 and len(partners) else None)

    def _on_pointed(self, node: int | None) -> None:
        """Follows the pointer in a list or a curve."""
        if not self._following:
            self._point("main", _nodes(node))

    # Selection

    def _select(self, stay: bool = False) -> None:
        """Selects in the other graph what belongs to what is selected in the leading one. `stay`: wherever that is."""
        lead, other = self.leader, other_of(self.leader)
        if not self._second.linked:
            return
        partners = self._second.partners(lead, self._selected(lead))
        state, document = self._documents[lead].state, self._documents[other]
        with self._on_behalf():
            if state.tensor is not None:
                document.select(tensor=self._same_tensor(lead, state.tensor))
            elif state.group is not None:
                document.select(group=self._same_group(lead, state.group))
            else:
                document.select(int(partners[-1]) if len(partners) else None)
        self._show_partners()
        if not stay:
            self._bring_into_sight(other, partners)

    def _show_partners(self) -> None:
        """Rings what belongs to what is selected, in both graphs where it is several nodes there."""
        lead, other = self.leader, other_of(self.leader)
        partners = self._second.partners(lead, self._selected(lead))
        ours = self._second.partners(other, partners) if self._documents[lead].state.group is None else _NO_NODES
        for which, nodes in ((other, partners), (lead, ours if len(ours) > 1 else _NO_NODES)):
            shown = self._views[which].shown
            self._outlines[which].set_partners(NONE if shown is None else boxes_of(shown, nodes), len(nodes))

    def _selected(self, which: Which) -> Ints:
        state, shown = self._documents[which].state, self._views[which].shown
        if state.node is not None:
            return _nodes(state.node)
        if state.group is None or shown is None:
            return _NO_NODES
        groups = shown.outline.node_groups
        inside = np.flatnonzero((groups >= state.group) & (groups < shown.outline.ends[state.group]))
        return shown.draft.real_nodes(inside.astype(np.int32))

    def _same_tensor(self, which: Which, tensor: int) -> int | None:
        mine, other = self._documents[which].graph, self._documents[other_of(which)].graph
        return None if mine is None or other is None else other.tensor_index(mine.tensor_names[tensor])

    def _same_group(self, which: Which, group: int) -> int | None:
        mine, other = self._views[which].shown, self._views[other_of(which)].shown
        if mine is None or other is None:
            return None
        name = mine.outline.scope(group)
        return next((each for each in range(len(other.outline)) if other.outline.scope(each) == name), None)

    def _bring_into_sight(self, which: Which, nodes: Ints) -> None:
        view = self._views[which]
        boxes = [] if view.shown is None else boxes_of(view.shown, nodes).tolist()
        if boxes and not any(view.canvas.in_sight(box) for box in boxes):
            with self._on_behalf():
                view.canvas.centre_on(boxes[len(boxes) // 2])

    def _point(self, which: Which, nodes: Ints) -> None:
        shown = self._views[other_of(which)].shown
        if shown is not None:
            self._outlines[other_of(which)].set_hovered(boxes_of(shown, self._second.partners(which, nodes)))

    # Unmatched nodes, folds, and the view

    def _mark_lonely(self, which: Which) -> None:
        shown, links = self._views[which].shown, self._second.links
        known = shown is not None and links is not None and self._second.linked
        boxes = lonely_boxes(links, self._second.side_of(which), shown) if known and links and shown else NONE
        self._outlines[which].set_lonely(None if shown is None else shown.drawing, boxes)

    def _follow_folds(self, lead: Which) -> None:
        other, links = other_of(lead), self._second.links
        mine, theirs = self._views[lead].shown, self._views[other].shown
        if links is None or mine is None or theirs is None or not self._second.linked:
            return
        view = self._views[other]
        groups = opened_with(links, self._second.side_of(lead), mine, self._views[lead].groups, theirs)
        if groups != view.groups:
            self._asked[other] = groups
            with self._on_behalf():
                view.open_groups(groups, view.anchor())

    def _follow_unfolded(self) -> None:
        self._follow_folds(self._unfolded)

    def _follow_view(self) -> None:
        """Looks at what belongs to what is in the middle of the leading view, at the same zoom."""
        lead, other = self._views[self.leader].canvas, self._views[other_of(self.leader)].canvas
        if not self._in_step() or not self._second.linked or not other.isVisible() or (lead.held and other.held):
            return
        with self._on_behalf():
            if lead.fitted:
                if not other.fitted:
                    other.fit()
                return
            links, middle = self._links_of(self.leader), lead.middle()
            held = lead.selected()
            hold = 0.0 if held is None else _hold(lead, held)
            goal = None if links is None else links.goal(middle.x(), middle.y(), held, hold)
            if goal is not None:
                other.zoom_to(lead.zoom)
                other.look_at(QPointF(*goal), lead.zoom, animate=False)

    def _links_of(self, which: Which) -> BoxLinks | None:
        mine, theirs, links = self._views[which].shown, self._views[other_of(which)].shown, self._second.links
        if mine is None or theirs is None or links is None:
            return None
        if which not in self._box_links:
            self._box_links[which] = BoxLinks.of(links, self._second.side_of(which), mine, theirs)
        return self._box_links[which]

    @contextmanager
    def _on_behalf(self) -> Iterator[None]:
        """Marks changes that the user did not make: they are not followed in turn."""
        before, self._following = self._following, True
        try:
            yield
        finally:
            self._following = before


def _hold(canvas: Canvas, box: int) -> float:
    """Measures how strongly a selected box holds the other view: fully in the middle of the view, not at all at its
    edge.
    """
    place, sight = canvas.place_of(box).center(), canvas.sight()
    across = abs(place.x() - sight.center().x()) / max(sight.width() / 2, 1.0)
    down = abs(place.y() - sight.center().y()) / max(sight.height() / 2, 1.0)
    return min(max((1.0 - max(across, down)) / _LOOSENS, 0.0), 1.0)


def _nodes(node: int | None) -> Ints:
    return _NO_NODES if node is None else np.array([node], np.int32)
