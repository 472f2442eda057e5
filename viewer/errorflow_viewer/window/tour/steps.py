"""The steps of the tour, in their order. To add one: a row in STEPS."""

from collections.abc import Callable

from PySide6.QtCore import QRect, Qt

from errorflow.base.values import dataclass
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow_viewer.document.state import State
from errorflow_viewer.window.tour.placing import SIDES, Side
from errorflow_viewer.window.tour.stage import SAMPLE, TourStage

# Inputs of the sample that are simulated: enough to see it, and quick.
INPUTS = 24
NO_RUNTIME = (
    "Errorflow can quantize the float model by itself and try things out, but for that ONNX Runtime must be installed, "
    "which it is not here. The tour goes on without."
)


def _nothing(_: TourStage) -> None:
    """Does nothing: there is nothing to be done."""


def _never(_: TourStage, __: State) -> bool:
    return False


def _press(key: str) -> str:
    return f"Press {key}."


@dataclass(frozen=True, slots=True)
class TourStep:
    """`text` tells, `task` says what to do, given the key of `command`, and `after` what came of it."""

    key: str
    title: str
    text: str
    # Where it is, in coordinates of the window; None: out of sight.
    aim: Callable[[TourStage], QRect | None]
    task: Callable[[str], str] = lambda _: ""
    after: str = ""
    command: str = ""
    sides: tuple[Side, ...] = SIDES
    # Brings what is needed for it; asked for as long as it is not `ready`.
    enter: Callable[[TourStage], None] = _nothing
    ready: Callable[[TourStage], bool] = lambda stage: stage.is_judged
    # Whether the user did it, given what was when the step began.
    is_done: Callable[[TourStage, State], bool] = _never
    # Does it for them.
    act: Callable[[TourStage], None] | None = None
    # What is told in place of the text where it cannot be done here; "": it can.
    lack: Callable[[TourStage], str] = lambda _: ""
    # Whether it is of any use here.
    applies: Callable[[TourStage], bool] = lambda _: True
    # The graph needs the keyboard.
    in_graph: bool = False


def _in_graph(stage: TourStage) -> None:
    stage.view.canvas.setFocus(Qt.FocusReason.OtherFocusReason)


def _paint(stage: TourStage) -> None:
    stage.desk.commands.turn_on("switch.error")


def _at_nothing(stage: TourStage) -> None:
    """Selects nothing at first, so that the first key leads to the worst."""
    stage.desk.document.select()
    _in_graph(stage)


def _unswapped(stage: TourStage) -> None:
    if stage.desk.document.session.painting.swapped:
        stage.command("marks.swap").trigger()


def _to_swap(stage: TourStage) -> None:
    _unswapped(stage)
    stage.desk.view.fit()
    _in_graph(stage)


def _to_verdict(stage: TourStage) -> None:
    _unswapped(stage)
    if stage.desk.document.state.node == stage.culprit:
        stage.desk.document.select()


def _go_to_culprit(stage: TourStage) -> None:
    if stage.culprit is not None:
        stage.desk.document.show(stage.culprit)


def _to_evidence(stage: TourStage) -> None:
    if stage.desk.document.state.node != stage.culprit:
        _go_to_culprit(stage)
    stage.desk.panels.show("inspector")


def _simulate(stage: TourStage) -> None:
    if not stage.is_simulated and not stage.desk.studies.simulating.busy:
        stage.desk.studies.simulating.start(Basis(SampleSpec((str(SAMPLE.calibration),)), samples=INPUTS))


def _to_switch(stage: TourStage) -> None:
    if stage.desk.document.session.simulation is None:
        _simulate(stage)
    if stage.is_simulated:
        _go_to_culprit(stage)
    _in_graph(stage)


def _was_switched(stage: TourStage, before: State) -> bool:
    now, then = stage.desk.document.session.simulation, before.session.simulation
    return stage.is_simulated and now is not None and then is not None and now.plan != then.plan


STEPS: tuple[TourStep, ...] = (
    TourStep(
        "paint",
        "The graph is painted by error",
        "Each box is an operator of a small network, run in float and in int8. Grey: both agree. "
        "The stronger the colour, the further int8 is from float. The legend names the measure and its limits.",
        lambda stage: stage.of_legend(),
        sides=("right", "below", "above"),
        enter=_paint,
    ),
    TourStep(
        "worst",
        "Go to the worst node",
        "From there the same key goes on to the next one. Letters are keys while the graph has the keyboard.",
        lambda stage: stage.of_node(stage.desk.document.state.node) or stage.of_node(stage.worst),
        task=_press,
        after="The worst one is near the output. But is it to blame?",
        command="worst.next",
        sides=("right", "left"),
        enter=_at_nothing,
        is_done=lambda stage, before: stage.desk.document.state.node not in (None, before.node),
        act=lambda stage: stage.command("worst.next").trigger(),
        in_graph=True,
    ),
    TourStep(
        "introduced",
        "Introduced here, or inherited?",
        "The fill is all the error that has come together. The bar at a box's left edge is what the node itself "
        "introduces; the rest is inherited from the nodes before it.",
        lambda stage: stage.of_node(stage.culprit),
        task=lambda key: f"Press {key} to swap the two.",
        after="One node lights up: there the error is born. The others only pass it on.",
        command="marks.swap",
        sides=("left", "right"),
        enter=_to_swap,
        is_done=lambda stage, _: stage.desk.document.session.painting.swapped,
        act=lambda stage: stage.command("marks.swap").trigger(),
        in_graph=True,
    ),
    TourStep(
        "verdict",
        "The verdict in one line",
        "Above the graph stands which node brings the error at the output, and how one knows.",
        lambda stage: stage.of_verdict(),
        task=lambda _: "Click the node's name.",
        after="That is the culprit, selected in every panel.",
        sides=("corner",),
        enter=_to_verdict,
        is_done=lambda stage, _: stage.desk.document.state.node == stage.culprit,
        act=_go_to_culprit,
    ),
    TourStep(
        "evidence",
        "The evidence",
        "The Inspector lays both runs of a tensor over each other: here int8 has squeezed most values "
        "into a few round zero. Its buttons show errors, channels and values.",
        lambda stage: stage.of_panel("inspector"),
        sides=("left",),
        enter=_to_evidence,
    ),
    TourStep(
        "simulate",
        "What if this node stayed in float?",
        f"Errorflow can quantize the float model by itself and try things out. It runs {INPUTS} inputs of the sample, "
        "in the background.",
        lambda stage: stage.of_command("simulate"),
        task=lambda _: "Press Next to simulate; later it is this button.",
        after="Simulated: the same node is to blame.",
        sides=("below",),
        is_done=lambda stage, _: stage.is_simulated,
        act=_simulate,
        lack=lambda stage: "" if stage.can_run else NO_RUNTIME,
    ),
    TourStep(
        "float",
        "Put it back to float",
        "The culprit is selected. Only what comes after it is computed again.",
        lambda stage: stage.of_node(stage.culprit),
        task=_press,
        after="The error behind it is gone. The same key takes it back, as Ctrl+Z does.",
        command="precision.toggle",
        sides=("left", "right"),
        enter=_to_switch,
        ready=lambda stage: stage.is_simulated and stage.desk.document.state.node == stage.culprit,
        is_done=_was_switched,
        act=lambda stage: stage.command("precision.toggle").trigger(),
        applies=lambda stage: stage.can_run,
        in_graph=True,
    ),
    TourStep(
        "handover",
        "Hand it over",
        "The verdict page gathers all that was found. From there it becomes a report, or a ticket: one file that opens "
        "as the same session elsewhere.",
        lambda stage: stage.of_verdict_link() if stage.on_graph else stage.of_ticket(),
        task=_press,
        after="Export report and Make a ticket… are at the foot of this page. That was the tour.",
        command="verdict.page",
        sides=("corner", "above"),
        is_done=lambda stage, _: not stage.on_graph,
        act=lambda stage: stage.desk.whole_pages.turn_verdict(),
        in_graph=True,
    ),
)
