"""The picture of the graph on view: what is shown, what is asked for, and how the one becomes the other."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import Progress
from errorflow.graph.model import Graph
from errorflow.layout.folding import Groups, box_count
from errorflow_viewer.document.derived_table import looked
from errorflow_viewer.document.deriving import Deriving
from errorflow_viewer.kit.drawings import Drawings, Form, Tensors, Unfolded, first_picture, unfold
from errorflow_viewer.window.anchors import Anchor

KEY = "layout"
# So many boxes and tensors are drawn within a frame or two; more in the background.
AT_ONCE = 2_000
# In graphs with more nodes than this even few boxes take longer.
SMALL = 200_000


def nowhere() -> Anchor | None:
    """Nothing stays in place: everything is to be seen."""
    return None


@dataclass(frozen=True, slots=True)
class Wish:
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
    wish: Wish | None


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
        """Nothing is drawn any more."""
        self._derived.remove(self._key)

    @property
    def busy(self) -> bool:
        return self._derived.running(self._key) is not None

    @property
    def wish(self) -> Wish | None:
        """What is under way, else what is shown: the next wish is a change of it."""
        if self.busy and self._asked is not None:
            return self._asked.wish
        shown = self.shown
        return None if shown is None else Wish(shown.groups, shown.whole, shown.columns)

    def turn_to(self, graph: Graph | None) -> Wish | None:
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
        """All lines of just these tensors, however many nodes read them."""
        wish = self.wish
        if wish is not None:
            self.pursue(replace(wish, whole=tensors, anchor=lambda: anchor))

    def reform(self, form: Form, anchor: Callable[[], Anchor | None]) -> None:
        """All graphs in another form; the old picture stays until the new one is there."""
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

    def pursue(self, wish: Wish) -> None:
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

    def _draw(self, graph: Graph, wish: Wish | None) -> None:
        """From the beginning: as it is first seen, or with what is wished for."""
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

    def _put(self, made: Unfolded, wish: Wish | None) -> None:
        assert self.graph is not None, "what belongs to a graph that is left was cancelled"
        before, anchor = self.shown, None if wish is None else wish.anchor()
        self._drawings.put(self.graph, made)
        self._outdated = False
        self.shown = made
        self._arrived(before, made, anchor)
