"""The open model and what is looked at in it: the only shared thing that changes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from errorflow.graph.model import Graph, Model

if TYPE_CHECKING:
    from errorflow.compare import Comparison

HISTORY = 200


@dataclass(frozen=True, slots=True)
class Place:
    """A graph within a model: the main one, a body of a control-flow node, or a function."""

    path: tuple[int, ...] = ()
    function: int = -1

    def graph(self, model: Model) -> Graph:
        root = model.graph if self.function < 0 else model.functions[self.function].graph
        return root.at(self.path)

    def inside(self, position: int) -> "Place":
        return replace(self, path=(*self.path, position))

    def ancestors(self) -> Iterator["Place"]:
        """From the main graph down to this one."""
        if self.function >= 0:
            yield Place()
        for length in range(len(self.path) + 1):
            yield replace(self, path=self.path[:length])


@dataclass(frozen=True, slots=True)
class Sight:
    """What was to be seen: which groups were open, and the part of the drawing in the middle of the view."""

    groups: frozenset[int]
    x: float
    y: float
    zoom: float
    # Of the drawing: in one of another size the spot is another one.
    size: tuple[float, float]
    # All was in sight.
    fitted: bool = False


@dataclass(frozen=True, slots=True)
class Spot:
    """Where one was: a graph, what was selected there, and if known what of it was to be seen."""

    place: Place
    node: int | None = None
    tensor: int | None = None
    group: int | None = None
    sight: Sight | None = None


class Arrival(Enum):
    """How one came to what is selected: steps of one walk are one entry of the history, so are clicks in a row."""

    WENT = "went"
    WALKED = "walked"
    PICKED = "picked"


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """What two runs of the model differ in."""

    comparison: "Comparison"


@dataclass(frozen=True, slots=True)
class State:
    """All that the panels share. A change makes a new one."""

    model: Model | None = None
    # None: no runs of the model are loaded.
    compared: Compared | None = None
    place: Place = Place()
    node: int | None = None
    # A graph input, output or constant; a node is selected or a tensor or a group, never two of them.
    tensor: int | None = None
    # A group of the graph as it is drawn, closed or open.
    group: int | None = None
    # What the node list is narrowed to.
    search: str = ""
    # Grows when the same search finds more than before.
    findings: int = 0
    # Grows when other things of a graph are drawn than before.
    redrawn: int = 0
    # Grows each time the view is asked to travel: to what was seen, or if that is not known to what is selected.
    visit: int = 0
    sight: Sight | None = None
    back: tuple[Spot, ...] = ()
    forward: tuple[Spot, ...] = ()
    arrival: Arrival = Arrival.WENT

    @property
    def spot(self) -> Spot:
        return Spot(self.place, self.node, self.tensor, self.group)

    @property
    def is_bare(self) -> bool:
        """Whether nothing is selected."""
        return self.node is None and self.tensor is None and self.group is None


def _sees_nothing() -> Sight | None:
    return None


class Document(QObject):
    """Holds the `State`; `changed` names the fields that differ from before."""

    changed = Signal(object)  # frozenset of field names

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = State()
        # Asked what there is to see, before one travels elsewhere.
        self.look: Callable[[], Sight | None] = _sees_nothing

    @property
    def state(self) -> State:
        return self._state

    @property
    def model(self) -> Model | None:
        return self._state.model

    @property
    def graph(self) -> Graph | None:
        """The graph on view."""
        model = self._state.model
        return None if model is None else self._state.place.graph(model)

    def open(self, model: Model) -> None:
        """Shows a model from its beginning."""
        self._replace(State(model=model))

    def close(self) -> None:
        self._replace(State())

    @property
    def comparison(self) -> "Comparison | None":
        """Of two runs of the model, as far as any are loaded."""
        compared = self._state.compared
        return None if compared is None else compared.comparison

    def take_comparison(self, comparison: "Comparison | None") -> None:
        """Shows what two runs of the model differ in; None: nothing any more."""
        self._replace(replace(self._state, compared=None if comparison is None else Compared(comparison)))

    def refine(self, model: Model) -> None:
        """The same model with more known about it: place, selection and history stay."""
        self._replace(replace(self._state, model=model))

    def renew(self, model: Model) -> None:
        """The same file read again, which may have changed: what is selected stays as far as it is still there."""
        old, state = self.graph, self._state
        fresh = State(model=model, search=state.search)
        try:
            graph = state.place.graph(model)
        except IndexError:
            self._replace(fresh)
            return
        node = None
        if old is not None and state.node is not None:
            node = found_again(graph, state.node, old.node_names[state.node])
        self._replace(replace(fresh, place=state.place, node=node))

    # What is selected

    def select(self, node: int | None = None, tensor: int | None = None, group: int | None = None) -> None:
        """Selects in the graph on view; the view stays where it is, and the history what it is."""
        self._replace(replace(self._state, node=node, tensor=tensor, group=group))

    def pick(self, node: int | None = None, tensor: int | None = None, group: int | None = None) -> None:
        """A click. Where one went or walked to before stays on the way back; a click after a click takes its place."""
        state = self._state
        leaves = state.arrival is not Arrival.PICKED and not state.is_bare
        self._step(Spot(state.place, node, tensor, group), Arrival.PICKED, leaves)

    def walk(self, node: int | None = None, tensor: int | None = None, group: int | None = None) -> None:
        """One of many steps. `step_back` returns to where the walk began, `step_forward` then to its end."""
        state = self._state
        leaves = state.arrival is not Arrival.WALKED
        self._step(Spot(state.place, node, tensor, group), Arrival.WALKED, leaves)

    def show(self, node: int, walking: bool = False) -> None:
        """Goes to a node of the graph on view. `walking`: on the way through many."""
        if walking:
            self.walk(node)
            self._replace(replace(self._state, visit=self._state.visit + 1, sight=None))
        else:
            self.go(self._state.place, node)

    def begin_at(self, place: Place, node: int | None = None) -> None:
        """Shows a part of the model as if it had been opened there."""
        self._travel(Spot(place, node), self._state.back, self._state.forward)

    def note_redrawn(self) -> None:
        """The graph is drawn for the first time, or other things of it than before."""
        self._replace(replace(self._state, redrawn=self._state.redrawn + 1))

    def forget_groups(self) -> None:
        """Groups have other numbers now."""
        state = self._state
        back, forward = (tuple(map(_without_groups, way)) for way in (state.back, state.forward))
        self._replace(replace(state, group=None, sight=None, back=back, forward=forward))

    # What is searched for

    def search_for(self, text: str) -> None:
        self._replace(replace(self._state, search=text))

    def search_again(self) -> None:
        """More is known now that the search may find."""
        self._replace(replace(self._state, findings=self._state.findings + 1))

    # Journeys

    def go(self, place: Place, node: int | None = None, tensor: int | None = None) -> None:
        """Travels to a graph or a node; `step_back` returns."""
        state = self._state
        if Spot(place, node, tensor) == state.spot:
            self._replace(replace(state, visit=state.visit + 1, sight=None, arrival=Arrival.WENT))
        else:
            self._travel(Spot(place, node, tensor), self._left_behind(), ())

    def depart(self) -> None:
        """What is seen is about to change, by a jump or a group that opens; `step_back` returns to it."""
        back = self._left_behind()
        if self._state.back[-1:] != back[-1:]:
            self._replace(replace(self._state, back=back, forward=(), arrival=Arrival.WENT))

    def step_back(self) -> None:
        state = self._state
        if state.back:
            self._travel(state.back[-1], state.back[:-1], (*state.forward, self._here()))

    def step_forward(self) -> None:
        state = self._state
        if state.forward:
            self._travel(state.forward[-1], self._left_behind(), state.forward[:-1])

    def _step(self, spot: Spot, arrival: Arrival, leaves: bool) -> None:
        """Selects where one can see it. `leaves`: what was selected is one of the stops on the way back."""
        state = self._state
        if spot == state.spot:
            return
        here = replace(state, node=spot.node, tensor=spot.tensor, group=spot.group, arrival=arrival)
        self._replace(replace(here, back=self._left_behind(), forward=()) if leaves else here)

    def _left_behind(self) -> tuple[Spot, ...]:
        """The way back from where one goes now."""
        return (*self._state.back, self._here())[-HISTORY:]

    def _here(self) -> Spot:
        return replace(self._state.spot, sight=self.look())

    def _travel(self, spot: Spot, back: tuple[Spot, ...], forward: tuple[Spot, ...]) -> None:
        state = self._state
        self._replace(
            replace(
                state,
                place=spot.place,
                node=spot.node,
                tensor=spot.tensor,
                group=spot.group,
                sight=spot.sight,
                visit=state.visit + 1,
                back=back,
                forward=forward,
                arrival=Arrival.WENT,
            )
        )

    def _replace(self, state: State) -> None:
        old, self._state = self._state, state
        names = (row.name for row in fields(State))
        different = frozenset(name for name in names if _differ(getattr(old, name), getattr(state, name)))
        if different:
            self.changed.emit(different)


def found_again(graph: Graph, number: int, name: str) -> int | None:
    """A node of a graph that may be another one by now: by number if that has its name, for it may have none of its own
    or share it; else the first of that name."""
    if 0 <= number < len(graph) and graph.node_names[number] == name:
        return number
    return graph.node_index(name) if name else None


def _differ(old: object, new: object) -> bool:
    return old is not new and old != new


def _without_groups(spot: Spot) -> Spot:
    return replace(spot, group=None, sight=None)
