"""Content of the inspector while something is selected: one of its tensors, in the view that suits it best."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QLabel, QStackedWidget, QVBoxLayout, QWidget

from errorflow.base import ErrorflowError, Progress, dataclass, replace
from errorflow.explain.inspect.channels import Born, LoudChannel
from errorflow.explain.inspect.choices import TensorChoice, default_choice, node_choices, tensor_choice
from errorflow.explain.inspect.look import Looked
from errorflow.explain.inspect.suits import SUITS, Datum, best, kind_of
from errorflow.graph.model import Graph
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.document.derived import Deriving
from errorflow_viewer.document.derived_table import looked
from errorflow_viewer.document.state import Place
from errorflow_viewer.kit.drawings import same_form
from errorflow_viewer.kit.layouts import spaced, text_label
from errorflow_viewer.kit.look import GRID, PADDING
from errorflow_viewer.panels.inspector.head import TensorBox, ViewButtons
from errorflow_viewer.panels.inspector.samples import SampleBox, sample_on_view
from errorflow_viewer.panels.inspector.view import Subject
from errorflow_viewer.panels.inspector.views import VIEWS
from errorflow_viewer.panels.sections import breakable, link, plain

if TYPE_CHECKING:
    from errorflow.compare.match.model import Match
    from errorflow.explain.difference.model import Side
    from errorflow.explain.difference.weights import OtherModel
    from errorflow.explain.findings.model import Findings
    from errorflow.explain.inspect.others import AskWeights


FACTS = "facts"
# What is said instead of values that take longer than this, in ms: an engine that simulates answers one at a time.
WAITING, PATIENCE = "Its values are being worked out.", 400


class Content(QWidget):
    """Is told when to look, and when to forget what it holds."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self._choices: tuple[TensorChoice, ...] = ()
        # The bench, plan and sample that were looked at last.
        self._simulated: tuple[object, ...] = ()
        self._subject: Subject | None = None
        self._failure = ""
        # What was selected, and of which runs; of the same, nothing is read again.
        self._of: tuple[object, ...] = ()
        # The view on show, and whether it was chosen for this very tensor.
        self._view = FACTS
        self._seen_for: TensorChoice | None = None
        # The view that the next values are shown in; "": the one that suits them.
        self._stays = ""
        self._looking = Looking(desk.derived, self._take, self._fail)
        self._others = OtherWeights(desk)
        self.tensor = TensorBox()
        self.tensor.currentIndexChanged.connect(self._choose)
        self.sample = SampleBox()
        self.sample.chosen.connect(lambda number: desk.studies.simulating.look_at(number))
        self._wait = QTimer(self, singleShot=True, interval=PATIENCE)
        self._wait.timeout.connect(self._say_waiting)
        self.buttons = ViewButtons(VIEWS)
        self.buttons.chosen.connect(self._choose_view)
        self.cause, self.cause_frame = self._make_cause()
        self.views = {view.key: view.make(desk) for view in VIEWS}
        # Told when a large window opens and closes.
        self.told: Callable[[], None] | None = None
        for made in self.views.values():
            if made.large is not None:
                made.large.told = self._tell
        self.stack = QStackedWidget()
        for view in self.views.values():
            self.stack.addWidget(view.widget)
        self._lay_out()
        desk.appearance.changed.connect(self._show_all)
        desk.pair.second.changed.connect(self.show_facts)

    @property
    def subject(self) -> Subject | None:
        return self._subject

    @property
    def view(self) -> str:
        """The key of the view on show."""
        return self._view

    def _make_cause(self) -> tuple[QLabel, QFrame]:
        frame = QFrame()
        frame.setProperty("notice", "warning")
        text = text_label(wraps=True)
        text.setTextFormat(Qt.TextFormat.RichText)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        text.setAccessibleName("Cause")
        text.linkActivated.connect(self._follow)
        box = QVBoxLayout(frame)
        box.setContentsMargins(PADDING, GRID, PADDING, GRID)
        box.addWidget(text)
        frame.hide()
        return text, frame

    def _lay_out(self) -> None:
        box = spaced(QVBoxLayout(self), GRID)
        head = QVBoxLayout()
        head.setContentsMargins(PADDING, GRID, PADDING, 0)
        head.addWidget(self.tensor)
        head.addWidget(self.sample)
        box.addLayout(head)
        box.addWidget(self.buttons)
        box.addWidget(self.cause_frame)
        box.addWidget(self.stack, 1)

    def refresh(self) -> bool:
        """Looks at what is selected; False: nothing is."""
        state, graph = self._document.state, self._document.graph
        match = None if state.case is None else state.case.match
        choices: tuple[TensorChoice, ...] = ()
        if graph is not None and state.node is not None:
            choices = node_choices(graph, state.node, state.findings, match)
        elif graph is not None and state.tensor is not None:
            choices = (tensor_choice(graph, state.tensor, state.findings, match),)
        if graph is None or not choices:
            self.forget()
            return False
        before = self._of
        self.sample.show_state(state)
        self._of = (graph, state.node, state.tensor, self._runs(), state.findings is None, self._others.path)
        same = len(before) == len(self._of) and all(
            a is b or (isinstance(a, int | Path) and a == b) for a, b in zip(before, self._of, strict=True)
        )
        is_same_node = len(before) > 0 and before[0] is graph and before[1:3] == (state.node, state.tensor)
        kept = self._kept(choices) if is_same_node else None
        self._choices = choices
        if same and self._subject is not None and 0 <= self.tensor.currentIndex() < len(choices):
            self._renew(choices[self.tensor.currentIndex()])
        else:
            chosen = default_choice(choices) if kept is None else kept
            self.tensor.fill(choices, chosen)
            self._inspect(graph, choices[chosen], "" if kept is None else self._staying())
        return True

    def _staying(self) -> str:
        """The view that stays when the same tensor of other runs is looked at."""
        is_seen = self._subject is not None and self._subject.looked is not None
        return self._view if is_seen else self._stays

    def _runs(self) -> object:
        """Finds the runs that values are read of: of a simulation that is run again in more depth they are the same."""
        state = self._document.state
        number, simulated = sample_on_view(state), state.simulated
        if number is None or simulated is None or simulated.outcome is None:
            return None if state.case is None else state.case.match
        runs = simulated.bench, simulated.outcome.plan, number
        self._simulated = self._simulated if self._simulated == runs else runs
        return self._simulated

    def _kept(self, choices: tuple[TensorChoice, ...]) -> int | None:
        """The one on view among those of other runs; None: it is not among them, or can be seen no more."""
        key = "" if self._subject is None else self._subject.choice.key
        return next((at for at, choice in enumerate(choices) if choice.key == key and not choice.lack), None)

    @property
    def any_large(self) -> bool:
        """Whether something is seen of it in a window of its own."""
        return any(view.large is not None and view.large.is_open for view in self.views.values())

    def enlarge(self) -> None:
        """The view on show, in a window of its own."""
        large = self.views[self._view].large
        if large is not None:
            large.open(self)

    def look_for(self, view: str, tensor: str) -> None:
        """A tensor of the node in that view, as soon as it is there; as if the user had chosen both."""
        at = next((at for at, choice in enumerate(self._choices) if choice.name == tensor and not choice.lack), None)
        if at is not None:
            self.tensor.setCurrentIndex(at)
        if self._subject is not None and self._subject.looked is not None:
            if SUITS[view](self._datum(self._subject)).score > 0:
                self._choose_view(view)
        else:
            self._stays = view

    def _tell(self) -> None:
        if self.told is not None:
            self.told()

    def forget(self) -> None:
        """Holds no tensor any more."""
        self._looking.stop()
        self._wait.stop()
        self._others.forget()
        self._subject, self._choices, self._seen_for, self._of = None, (), None, ()
        for view in self.views.values():
            view.show(None)

    def show_facts(self, _changed: object = None) -> None:
        """Shows facts: the user's note may be another text now, and more may be known of the other graph."""
        if self._view == FACTS:
            self._show_view()

    def _renew(self, choice: TensorChoice) -> None:
        """The same tensor, of which more is known now."""
        assert self._subject is not None
        if self._seen_for is self._subject.choice:
            self._seen_for = choice
        self._subject = replace(self._subject, choice=choice)
        self._show_all()

    def _choose(self, index: int) -> None:
        graph = self._document.graph
        if graph is not None and 0 <= index < len(self._choices):
            self.tensor.setToolTip(self._choices[index].name)
            self._inspect(graph, self._choices[index])

    def _inspect(self, graph: Graph, choice: TensorChoice, stays: str = "") -> None:
        state, self._stays = self._document.state, stays
        self._subject = Subject(graph, state.node, choice)
        self._failure = choice.lack
        self._seen_for = None
        self._wait.stop()
        if choice.lack:
            self._looking.stop()
            self._show_all()
        else:
            match = None if state.case is None else state.case.match
            others = self._weights(graph, match) if choice.end == "weight" else None
            self._wait.start()
            self._looking.look(choice, graph, state.findings, match, others)

    def _weights(self, graph: Graph, match: "Match | None") -> "AskWeights | None":
        """Finds the weights to compare with: as the plan codes them, else of the other model."""
        simulated = self._document.state.simulated
        if simulated is None or simulated.outcome is None or self._document.state.place != Place():
            return self._others.ask(graph, match)
        from errorflow.study.simulate.weights import PlannedWeights

        planned = PlannedWeights(graph, simulated.bench.engine, simulated.outcome.plan)
        return lambda _: planned

    def _say_waiting(self) -> None:
        """Says that it waits, so that what was seen before is not taken for what is selected."""
        if self._subject is not None and self._subject.looked is None and not self._failure:
            self._failure = WAITING
            self._show_all()

    def _take(self, looked: Looked) -> None:
        self._wait.stop()
        self._failure = ""
        if self._subject is not None:
            self._subject = replace(self._subject, looked=looked)
            self._show_all()

    def _fail(self, error: ErrorflowError) -> None:
        self._wait.stop()
        if self._subject is not None:
            self._failure = f"{error.message} {error.hint}".strip()
            self._show_all()

    def _show_all(self, _theme: object = None) -> None:
        """The view on show gets the subject, and the others when they are called."""
        subject = self._subject
        if subject is None:
            return
        datum = self._datum(subject)
        if self._seen_for is not subject.choice:
            # Before its values are there nobody knows which view suits them.
            self._seen_for = None if subject.looked is None and self._failure in ("", WAITING) else subject.choice
            stays = self._stays if subject.looked is not None else ""
            self._view = stays if stays else best(datum, self._desk.settings.view_of_kind(self._kind(subject)))
        if SUITS[self._view](datum).score <= 0:
            self._view = best(datum)
        text = cause_text(subject.graph, subject.node, subject.looked)
        self.cause.setText(text)
        self.cause_frame.setVisible(bool(text))
        self._show_view()

    def _show_view(self) -> None:
        subject = self._subject
        if subject is None:
            return
        datum = self._datum(subject)
        self.buttons.show_state(self._view, lambda key: SUITS[key](datum))
        view = self.views[self._view]
        choice = replace(subject.choice, lack=self._failure) if self._failure else subject.choice
        view.show(replace(subject, choice=choice))
        self.stack.setCurrentWidget(view.widget)
        for key, other in self.views.items():
            if other is not view and other.large is not None and other.large.is_open:
                other.show(subject if SUITS[key](datum).score > 0 else None)
        self._tell()

    def _choose_view(self, key: str) -> None:
        self._view = key
        if self._subject is not None:
            self._desk.settings.set_view_of_kind(self._kind(self._subject), key)
        self._show_view()

    def _datum(self, subject: Subject) -> Datum:
        looked, calibrated = subject.looked, self._is_calibrated(subject.choice)
        if looked is None:
            return Datum(None, lack=self._failure)
        return Datum(looked.tensors, looked.loud, calibrated=calibrated)

    def _is_calibrated(self, choice: TensorChoice) -> bool:
        simulated = self._document.state.simulated
        known = None if simulated is None or simulated.outcome is None else simulated.bench.calibration.ranges
        return known is not None and choice.end != "weight" and choice.name in known

    @staticmethod
    def _kind(subject: Subject) -> str:
        return kind_of(None if subject.looked is None else subject.looked.tensors, subject.choice.end)

    def _follow(self, target: str) -> None:
        self._document.go(self._document.state.place, node=int(target.removeprefix("node:")))


def cause_text(graph: Graph, node: int | None, looked: Looked | None) -> str:
    """Writes rich text with links to nodes; "": there is nothing to be said."""
    if looked is None:
        return ""
    if looked.loud is not None:
        return _said(graph, node, looked.loud, looked.born)
    if looked.upstream is not None:
        name = breakable(plain(graph.tensor_names[looked.upstream.tensor]))
        loud, born = looked.upstream.loud, looked.upstream.born
        return f"The cause is in what it reads, {name}. {_said(graph, node, loud, born)}"
    return ""


def _said(graph: Graph, node: int | None, loud: LoudChannel, born: Born | None) -> str:
    text = plain(loud.text)
    if born is None:
        return text
    if born.node == node:
        return f"{text} It is made here."
    name = graph.node(born.node).title
    return f"{text} It is made by {breakable(link(f'node:{born.node}', name))}."


KEY, CLOSER = "inspector", "inspector.closer"
_Look = Callable[[Progress], "Looked"]


class Looking:
    """`show` gets what was found, once or twice; `failed` why there is nothing."""

    def __init__(
        self, derived: Deriving, show: "Callable[[Looked], None]", failed: Callable[[ErrorflowError], None]
    ) -> None:
        self._derived = derived
        self._show = show
        # The first look, and what follows it.
        self._first: _Look | None = None
        self._more: Callable[..., Looked] | None = None
        self._closer: _Look | None = None
        first = looked(KEY, "Reading a tensor", lambda _: self._first, _look, self._take, failed)
        derived.add(replace(first, shown=False))
        derived.add(looked(CLOSER, "Looking at all values", lambda _: self._closer, _look, show, failed))

    def look(
        self,
        choice: "TensorChoice",
        graph: Graph,
        findings: "Findings | None",
        match: "Match | None",
        others: "AskWeights | None" = None,
    ) -> None:
        """Cancels what is under way."""
        from errorflow.explain.inspect import look
        from errorflow.explain.inspect.overview import AT_ONCE

        closer = partial(look.look_closer, graph=graph, findings=findings, match=match)

        def begin(progress: Progress) -> "Looked":
            seen = look.first(choice, graph, others, progress)
            return closer(seen, progress=progress) if seen.tensors.size <= AT_ONCE else seen

        self._ask(begin, None)
        self._more = closer

    def stop(self) -> None:
        self._more = None
        self._ask(None, None)

    def _take(self, seen: "Looked") -> None:
        first, more = self._first, self._more
        self._show(seen)
        if not seen.complete and first is self._first and more is not None:
            self._ask(first, lambda progress: more(seen, progress=progress))

    def _ask(self, first: _Look | None, closer: _Look | None) -> None:
        self._first, self._closer = first, closer
        for name in (KEY, CLOSER):
            self._derived.follow(name)


def _look(wish: _Look, progress: Progress) -> "Looked":
    return wish(progress)


# On which side the models of a comparison are, by what they are needed for.
_SIDES: "Mapping[str, Side]" = {
    "original": "reference",
    "closed_fusion": "reference",
    "quantized": "candidate",
    "fusion": "candidate",
}
# A compiled model as text says everything but weights, and takes long to be read.
_WITHOUT = frozenset((".json",))


@dataclass(slots=True, eq=False)
class _Asked:
    """A file for one graph. A job fills it in; if it is forgotten by then, it is not kept."""

    graph: Graph
    path: Path
    weights: "OtherModel | None" = None

    def opened(self, side: "Side | None", match: "Match | None", progress: Progress) -> "OtherModel":
        if self.weights is None:
            self.weights = _opened(self.graph, self.path, side, match, progress)
        return self.weights


class OtherWeights:
    """Opens a model at most once, in the background, and forgets it when it is told to."""

    def __init__(self, desk: Desk) -> None:
        self._document = desk.document
        self._second = desk.pair.second
        self._asked: _Asked | None = None

    @property
    def path(self) -> Path | None:
        """The file that is asked; None: there is no other model with weights."""
        model, path = self._second.model, self._second.proposed
        path = path if model is None else model.path
        return None if path is None or path.suffix.lower() in _WITHOUT else path

    def forget(self) -> None:
        self._asked = None

    def ask(self, graph: Graph, match: "Match | None") -> "AskWeights | None":
        """Finds the weights of that graph; to be called elsewhere, where it may take its time."""
        second, path = self._second, self.path
        if path is None:
            return None
        links = second.links
        if links is not None and second.linked:
            from errorflow.explain.difference.weights import OtherModel

            known = OtherModel(links, second.side_of("main"), path.name)
            ours = links.reference if known.side == "reference" else links.candidate
            return (lambda _: known) if same_form(ours, graph) else None
        asked = self._asked
        if asked is None or asked.graph is not graph or asked.path != path:
            asked = self._asked = _Asked(graph, path)
        return partial(asked.opened, self._side(path), match)

    def _side(self, path: Path) -> "Side | None":
        """Finds the side of the other model, where the comparison says it."""
        setup = self._document.session.setup
        keys = () if setup is None else (key for key, given in setup.files.items() if given == path)
        return next((_SIDES[key] for key in keys if key in _SIDES), None)


def _opened(graph: Graph, path: Path, side: "Side | None", match: "Match | None", progress: Progress) -> "OtherModel":
    from errorflow.explain.difference.link import is_candidate, link
    from errorflow.explain.difference.weights import OtherModel
    from errorflow.formats import read_model

    other = read_model(path, progress).graph
    theirs: Side = "reference" if is_candidate(graph, other) else "candidate"
    theirs = theirs if side is None else side
    if theirs == "candidate":
        return OtherModel(link(graph, other, match, progress), "reference", path.name)
    return OtherModel(link(other, graph, match, progress), "candidate", path.name)
