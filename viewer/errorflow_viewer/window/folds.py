"""Folds that the user opens and closes: the commands on groups of the graph on view."""

from errorflow.layout import folding
from errorflow_viewer.document.document import Document
from errorflow_viewer.kit.drawings import Unfolded
from errorflow_viewer.window.anchors import Anchor
from errorflow_viewer.window.graph_view import GraphView


class Folds:
    """Works on what is selected: a closed group, an open one, or the group that a box is in."""

    def __init__(self, document: Document, view: GraphView) -> None:
        self._document = document
        self._view = view
        view.group_opened.connect(self.open_group)
        view.canvas.group_activated.connect(self.close_group)

    @property
    def any(self) -> bool:
        """Whether there are groups at all."""
        return self._view.shown is not None and len(self._view.shown.outline) > 0

    @property
    def can_open(self) -> bool:
        return self._closed() is not None

    @property
    def can_close(self) -> bool:
        return self._open() is not None

    def open(self) -> None:
        """The selected group."""
        group = self._closed()
        if group is not None:
            self.open_group(group)

    def open_group(self, group: int) -> None:
        """Back returns to what was seen before."""
        shown = self._view.shown
        if shown is not None:
            self._document.depart()
            self._change(folding.opened(shown.outline, self._view.groups, group), group)

    def close(self) -> None:
        """The selected group, or the one round what is selected."""
        group = self._open()
        if group is not None:
            self.close_group(group)

    def close_group(self, group: int) -> None:
        """Closes a group, which stays selected, so that one can open it again or go on outwards."""
        shown = self._view.shown
        if shown is not None:
            self._document.pick(group=group)
            self._change(folding.closed(shown.outline, self._view.groups, group), group)

    def open_inside(self) -> None:
        """Opens everything in the selected group."""
        shown, group = self._view.shown, self._group()
        if shown is not None and group is not None:
            self._change(folding.opened_inside(shown.outline, self._view.groups, group), group)

    def close_others(self) -> None:
        shown, group = self._view.shown, self._group()
        if shown is not None and group is not None:
            self._change(folding.alone(shown.outline, self._view.groups, group), group)

    def open_all(self) -> None:
        shown = self._view.shown
        if shown is not None:
            self._change(shown.outline.everything)

    def close_all(self) -> None:
        self._change(frozenset())

    def more(self) -> None:
        """Opens one level more."""
        shown = self._view.shown
        if shown is not None:
            self._change(folding.one_more(shown.outline, self._view.groups))

    def less(self) -> None:
        """Closes one level."""
        shown = self._view.shown
        if shown is not None:
            self._change(folding.one_less(shown.outline, self._view.groups))

    @property
    def has_stubs(self) -> bool:
        """Whether what is selected makes something that so many read that not all lines are drawn."""
        return bool(self._stubs())

    @property
    def is_whole(self) -> bool:
        """Whether all lines of what is selected are drawn at wish."""
        shown = self._view.shown
        return shown is not None and bool(shown.whole & self._stubs())

    def turn_whole(self) -> None:
        """Draws all lines of what is selected, or only their ends again."""
        shown, stubs = self._view.shown, self._stubs()
        if shown is not None and stubs:
            whole = shown.whole - stubs if self.is_whole else shown.whole | stubs
            self._view.draw_whole(whole, self._view.anchor())

    def _stubs(self) -> frozenset[int]:
        found = self._selected()
        if found is None:
            return frozenset()
        shown, box = found
        made = self._view.canvas.tensors_out_of(box)
        return frozenset(made) & (shown.whole | frozenset(shown.drawing.stub_tensors.tolist()))

    def _change(self, groups: folding.Groups, group: int | None = None) -> None:
        """Changes groups; what the change is about stays where it is, or if it is about everything, all that was in
        sight.
        """
        self._view.open_groups(groups, self._view.anchor() if group is None else Anchor(group))

    def _selected(self) -> tuple[Unfolded, int] | None:
        """The box that is selected."""
        shown, box = self._view.shown, self._view.canvas.selected()
        return None if shown is None or box is None else (shown, box)

    def _closed(self) -> int | None:
        found = self._selected()
        return None if found is None else found[0].group_of(found[1])

    def _open(self) -> int | None:
        group = self._view.canvas.selected_group()
        found = self._selected()
        if group is not None or found is None:
            return group
        around = int(found[0].drawing.groups[found[1]])
        return around if around >= 0 else None

    def _group(self) -> int | None:
        closed = self._closed()
        return self._open() if closed is None else closed
