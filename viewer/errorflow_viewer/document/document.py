"""The open model and what is looked at in it: the only shared thing that changes."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from errorflow.base.sample import folder as sample_folder
from errorflow.base.values import dataclass, fields, replace
from errorflow.case.session.model import Painting, Session, Sights
from errorflow.compare.model import Comparison
from errorflow.explain.findings.model import Findings
from errorflow.graph.model import Graph, Model
from errorflow_viewer.document.node_rows import forget_rows
from errorflow_viewer.document.state import Arrival, Before, Place, Sight, Simulated, Spot, State

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.explain.outliers.model import OutlierTable
    from errorflow.study.rank.curves import Curves
    from errorflow.study.rank.model import Ranking
    from errorflow.study.simulate.bench import Bench


HISTORY = 200
# Questions whose curves are kept.
CURVES = 12


def _sees_nothing() -> Sight | None:
    return None


def _shows_no_other() -> Sights | None:
    return None


class Document(QObject):
    """Holds the `State`; `changed` names the fields that differ from before."""

    changed = Signal(object)  # frozenset of field names
    # Another model is about to come; whether nothing was decided about it.
    begins = Signal(bool)
    # The node that the pointer is on, in whatever panel; None: on none.
    pointed = Signal(object)
    # Something was worked out that is no part of the state: curves, how two pipelines agree.
    worked_out = Signal(object)
    # A view of the inspector is asked for by its key, and the tensor that it is to show; "": the one on view.
    looked_for = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = State()
        self._undo = Undo()
        # The tensor that was chosen last in the list of outliers; "": the selection came from elsewhere since.
        self.outlier = ""
        # How a session that is new is painted, and how the one on view was when it was new.
        self.first_painting: Callable[[], Painting] = Painting
        self.painting = Painting()
        # Asked what there is to see, before one travels elsewhere.
        self.look: Callable[[], Sight | None] = _sees_nothing
        # Asked what there is to see of the second graph, for the session.
        self.look_beside: Callable[[], Sights | None] = _shows_no_other

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

    @property
    def folder(self) -> Path | None:
        """Folder of the model, or of what is compared; None: it is built in, or there is nothing."""
        session = self._state.session
        paths = [] if session.setup is None else list(session.setup.files.values())
        near = next((path for path in (session.bundle, session.model, *paths) if path is not None), None)
        return None if near is None or sample_folder() in near.parents else near.parent

    def open(self, model: Model, session: Session | None = None) -> None:
        """Shows a model from its beginning, with what was decided about it at another time."""
        new = replace(self.new_session(), model=model.path) if session is None else session
        self.begins.emit(session is None)
        self._begin(State(model=model, session=new))

    def close(self) -> None:
        self._begin(State())

    # What the user decided

    @property
    def session(self) -> Session:
        return self._state.session

    def new_session(self) -> Session:
        """Makes a session in which nothing has been decided."""
        self.painting = self.first_painting()
        return Session(painting=self.painting)

    def take_session(self, session: Session) -> None:
        """Takes what was decided at another time, or by the app: no step of undo."""
        self._replace(replace(self._state, session=session))

    def edit(self, text: str, *, merge: bool = False, **decided: object) -> None:
        """Changes fields of the session as one step that can be undone. `merge`: it goes on with the step before if
        that has the same text, as the many moves of one drag do."""
        session = replace(self.session, **decided)  # type: ignore[arg-type]  # the dataclass checks the names
        if session != self.session:
            self._undo.note(text, self.session, merge)
            self._replace(replace(self._state, session=session), edited=True)

    def revise(self, change: Callable[[Session], Session]) -> None:
        """Takes what was found out into the session: no step, and no step takes it back."""
        session = change(self.session)
        if session != self.session:
            self._undo.revise(change)
            self._replace(replace(self._state, session=session))

    def end_merging(self) -> None:
        """The next edit is a step of its own."""
        self._undo.end_merging()

    @property
    def undo_text(self) -> str:
        """Text of what `undo` would take back; "": nothing."""
        return self._undo.undo_text

    @property
    def redo_text(self) -> str:
        return self._undo.redo_text

    def undo(self) -> None:
        self._replace(replace(self._state, session=self._undo.back(self.session)), edited=True)

    def redo(self) -> None:
        self._replace(replace(self._state, session=self._undo.forth(self.session)), edited=True)

    def _begin(self, state: State) -> None:
        self._undo = Undo()
        self.outlier = ""
        before = self._state.before
        if before is not None and state.model is not None and before.path == state.session.since:
            state = replace(state, before=Before(before.path, before.side))
        self._replace(replace(state, bench=self._bench_of(state.model)))

    def _bench_of(self, model: Model | None) -> "Bench | None":
        """Finds the bench of a model; that of another file, or of one that was read again, is of no use."""
        bench = self._state.bench
        return bench if bench is not None and bench.model is model else None

    # What was found out

    @property
    def comparison(self) -> "Comparison | None":
        """Comparison of two runs of the model, as far as any are loaded."""
        case = self._state.case
        return None if case is None else case.comparison

    def take_case(self, case: "Case | None", found: "Findings | None" = None) -> None:
        """Shows what two runs of the model differ in, with what was found on the graph on view if that is there; None:
        nothing any more."""
        fits = found is not None and found.graph is self.graph
        findings = None if case is None else found if fits else self._state.findings
        self._replace(replace(self._state, case=case, findings=findings))

    def take_findings(self, findings: "Findings | None") -> None:
        """Takes what was compared, on the graph on view."""
        self._replace(replace(self._state, findings=findings))

    def take_simulated(self, simulated: Simulated | None) -> None:
        """Takes what is on the bench, and what came of its plan; None: nothing is simulated."""
        old = self._state.simulated
        stays = old is not None and simulated is not None and old.bench is simulated.bench
        self._replace(replace(self._state, simulated=simulated, curves=self._state.curves if stays else ()))

    def take_bench(self, bench: "Bench | None") -> None:
        """Takes what was prepared; nothing is simulated until its model is on view. None: nothing is to be
        simulated.
        """
        coming = None if bench is None else self._state.coming
        self._replace(replace(self._state, bench=bench, coming=coming, simulated=None, curves=()))

    def take_outcome(self, simulated: Simulated, case: "Case") -> None:
        """Takes the results of a plan, all of it as one change: each would have every panel work anew."""
        found = None if simulated.outcome is None else simulated.outcome.findings
        fits = found is not None and found.graph is self.graph
        findings = found if fits else self._state.findings
        self._replace(replace(self._state, simulated=simulated, case=case, findings=findings))

    def take_ranking(self, ranking: "Ranking | None") -> None:
        """Takes how much parts of the model matter, as far as it is known."""
        self._replace(replace(self._state, ranking=ranking))

    def learn(self, **found: object) -> None:
        """Fields of the state of which nothing else hangs together."""
        self._replace(replace(self._state, **found))  # type: ignore[arg-type]  # the dataclass checks the names

    def take_curves(self, key: tuple[object, ...], curves: "Curves") -> None:
        """Curves of the simulation on view; of the newest questions."""
        known = [each for each in self._state.curves if each[0] != key]
        self._replace(replace(self._state, curves=(*known, (key, curves))[-CURVES:]))

    def take_outliers(self, outliers: "OutlierTable | None") -> None:
        """The channels of all tensors; None: they are of something else than what is on view."""
        self._replace(replace(self._state, outliers=outliers))

    def refine(self, model: Model) -> None:
        """The same model with more known about it: place, selection and history stay."""
        self._replace(replace(self._state, model=model))

    def renew(self, model: Model) -> None:
        """The same file read again, which may have changed: what is selected stays as far as it is still there."""
        old, state = self.graph, self._state
        fresh = State(model=model, search=state.search, session=state.session, before=state.before)
        fresh = replace(fresh, bench=self._bench_of(model), coming=state.coming)
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
        """Walks one of many steps. `step_back` returns to where the walk began, `step_forward` then to its end."""
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

    def begin_at(self, spot: Spot) -> None:
        """Shows a part of the model as if it had been opened there."""
        self._travel(spot, self._state.back, self._state.forward)

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
        self._replace(replace(self._state, hits=self._state.hits + 1))

    # Journeys

    def go(self, place: Place, node: int | None = None, tensor: int | None = None) -> None:
        """Travels to a graph or a node; `step_back` returns."""
        state = self._state
        if Spot(place, node, tensor) == state.spot:
            self._replace(replace(state, visit=state.visit + 1, sight=None, arrival=Arrival.WENT))
        else:
            self._travel(Spot(place, node, tensor), self._left_behind(), ())

    def depart(self) -> None:
        """Departs: what is seen is about to change, by a jump or a group that opens; `step_back` returns to it."""
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
                # Its numbers are those of one graph.
                findings=state.findings if spot.place == state.place else None,
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

    def _replace(self, state: State, edited: bool = False) -> None:
        """`edited`: what can be undone is another step than before."""
        old, self._state = self._state, state
        different = _different(old, state)
        if "session" in different:
            different |= {f"session.{name}" for name in _different(old.session, state.session)}
        if different or edited:
            self.changed.emit(different)
        if "model" in different:  # now nobody asks for the rows of the old one any more
            forget_rows(old.model, but=self.model)


def found_again(graph: Graph, number: int, name: str) -> int | None:
    """A node of a graph that may be another one by now: by number if that has its name, for it may have none of its own
    or share it; else the first of that name."""
    if 0 <= number < len(graph) and graph.node_names[number] == name:
        return number
    return graph.node_index(name) if name else None


def _different(old: State | Session, new: State | Session) -> frozenset[str]:
    """The names of the fields that differ."""
    names = (row.name for row in fields(type(old)))
    return frozenset(name for name in names if _differ(getattr(old, name), getattr(new, name)))


def _differ(old: object, new: object) -> bool:
    return old is not new and old != new


def _without_groups(spot: Spot) -> Spot:
    return replace(spot, group=None, sight=None)


MOST = 200


@dataclass(frozen=True, slots=True)
class _Step:
    """Name of a step, and the session on its other side."""

    text: str
    session: Session
    merges: bool


class Undo:
    """The steps that can be taken back, and those that were."""

    def __init__(self) -> None:
        self._done: list[_Step] = []
        self._undone: list[_Step] = []

    @property
    def undo_text(self) -> str:
        return self._done[-1].text if self._done else ""

    @property
    def redo_text(self) -> str:
        return self._undone[-1].text if self._undone else ""

    def note(self, text: str, before: Session, merge: bool) -> None:
        """A step was made. `merge`: it goes on with the last one if that merges too and has the same text."""
        last = self._done[-1] if self._done else None
        if not (merge and last is not None and last.text == text and last.merges):
            self._done = [*self._done, _Step(text, before, merge)][-MOST:]
        self._undone = []

    def end_merging(self) -> None:
        """Ends merging: nothing goes on with the steps so far."""
        self._done = [replace(step, merges=False) for step in self._done]

    def revise(self, change: Callable[[Session], Session]) -> None:
        """Revises every step, too: what was found out meanwhile holds on its other side."""
        self._done, self._undone = (
            [replace(step, session=change(step.session)) for step in steps] for steps in (self._done, self._undone)
        )

    def back(self, now: Session) -> Session:
        """The session before the last step; the same if there is none."""
        if not self._done:
            return now
        step = self._done.pop()
        self._undone.append(replace(step, session=now))
        return step.session

    def forth(self, now: Session) -> Session:
        """The session after the step that was last taken back."""
        if not self._undone:
            return now
        step = self._undone.pop()
        self._done.append(replace(step, session=now, merges=False))
        return step.session
