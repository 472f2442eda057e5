"""Steps before quantization in the window: each makes another plan, as one step that can be undone."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from errorflow.base.progress import Progress
from errorflow.graph.build import counted
from errorflow.quant.plan import Plan
from errorflow.quant.steps import CorrectBiases, Equalize, Smooth, Step, find
from errorflow_viewer.commands.api import Action, Desk, is_simulated
from errorflow_viewer.document.derived import Derived
from errorflow_viewer.document.state import State
from errorflow_viewer.panels.simulate.smoothing import SmoothDialog

if TYPE_CHECKING:
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.correcting import Corrected

KEY, TEXT = "correct biases", "Correcting biases"
SMOOTH, EQUALIZE, CORRECT = "Smooth outliers", "Equalize layers", "Correct biases"
NO_MORE = {Smooth: "Do not smooth outliers", Equalize: "Do not equalize layers", CorrectBiases: "Do not correct biases"}
# What was measured on another float model is dropped with it.
ANEW = "Biases must be corrected anew: the float model is another one now."


def has(desk: Desk, kind: type[Step]) -> bool:
    """Whether the plan on view has such a step."""
    simulation = desk.document.session.simulation
    return simulation is not None and find(simulation.plan.steps, kind) is not None


def smooth(desk: Desk, step: Smooth) -> None:
    _edit(desk, SMOOTH, step)


def toggle_equalizing(desk: Desk) -> None:
    if has(desk, Equalize):
        take_back(desk, Equalize)
    else:
        _edit(desk, EQUALIZE, Equalize())


def toggle_correction(desk: Desk) -> None:
    if has(desk, CorrectBiases):
        take_back(desk, CorrectBiases)
    else:
        correct(desk)


def take_back(desk: Desk, kind: type[Step]) -> None:
    simulation = desk.document.session.simulation
    if simulation is not None:
        _change(desk, NO_MORE[kind], simulation.plan, simulation.plan.without_step(kind), kind)


def can_toggle_correction(desk: Desk) -> bool:
    """Whether the correction can be switched: what is there can be taken back at any time."""
    return can_correct(desk) or has(desk, CorrectBiases)


def can_correct(desk: Desk) -> bool:
    return not desk.jobs.running(KEY) and wished(desk.document.state) is not None


def correct(desk: Desk) -> None:
    """Measures in the background what layers are off, and then takes it off their biases."""
    if wished(desk.document.state) is not None:
        desk.derived.ask(KEY)


def wished(state: State) -> "tuple[Bench, Plan] | None":
    """Finds bench and plan, if the bench is the one of the plan on view: else it comes soon."""
    simulation, bench = state.session.simulation, state.bench
    if simulation is None or bench is None or not bench.suits(simulation.basis, simulation.plan):
        return None
    return bench, simulation.plan


def corrected_for(desk: Desk) -> "Derived[tuple[Bench, Plan], Corrected]":
    def work(wish: "tuple[Bench, Plan]", progress: Progress, _: object) -> "Corrected":
        from errorflow.study.simulate.correcting import correct_biases

        return correct_biases(*wish, progress)

    return Derived(
        name=KEY,
        text=TEXT,
        reads=("bench",),
        wish=wished,
        work=work,
        keep=lambda _, wish, found: take_corrected(desk, wish[1], found),
        by_itself=False,
        # Names alone do not say whose shifts they are: they count on the bench that they were measured on.
        holds=lambda wish, state: state.bench is wish[0],
        again=False,
    )


def _edit(desk: Desk, text: str, step: Step) -> None:
    simulation = desk.document.session.simulation
    if simulation is not None and simulation.plan.with_step(step) != simulation.plan:
        _change(desk, text, simulation.plan, simulation.plan.with_step(step), type(step))


def _change(desk: Desk, text: str, before: Plan, after: Plan, kind: type[Step]) -> None:
    desk.studies.simulating.edit(text, after)
    if kind is not CorrectBiases and drops_correction(before, after):
        desk.say(ANEW)


def drops_correction(before: Plan, after: Plan) -> bool:
    return find(before.steps, CorrectBiases) is not None and find(after.steps, CorrectBiases) is None


def take_corrected(desk: Desk, plan: Plan, found: "Corrected") -> None:
    simulation = desk.document.session.simulation
    if simulation is None or simulation.plan != plan:  # of another plan they would be other ones
        desk.say("The plan is another one by now: correct its biases anew.")
    elif not found.changes:
        desk.say(f"No layer is off on average: there is nothing to correct. {found.text}")
    else:
        desk.studies.simulating.edit(CORRECT, found.plan)
        desk.say(f"Biases of {counted(len(found.changes), 'layer', 'layers')} corrected. {found.text}")


# The commands on steps before quantization, rows of the table of commands.

_LACK = "Nothing is simulated"


def ask_to_smooth(desk: Desk) -> None:
    simulation = desk.document.session.simulation
    if simulation is None:
        return
    known = find(simulation.plan.steps, Smooth)
    is_smoothed = isinstance(known, Smooth)
    dialog = SmoothDialog(known if isinstance(known, Smooth) else Smooth(), is_smoothed, QApplication.activeWindow())
    dialog.accepted.connect(lambda: smooth(desk, dialog.step))
    dialog.taken_back.connect(lambda: take_back(desk, Smooth))
    dialog.open()


REMEDYING: tuple[Action[Desk], ...] = (
    Action(
        "remedy.smooth",
        "&Smooth outliers…",
        "Improve/remedies",
        ask_to_smooth,
        tip="Move what is loud in few channels into the weights behind it; the float model computes the same",
        enabled=is_simulated,
        lack=_LACK,
        also_called="SmoothQuant activations balance",
    ),
    Action(
        "remedy.equalize",
        "E&qualize layers",
        "Improve/remedies",
        toggle_equalizing,
        tip="Make weights of layers behind each other equally large, per channel; the float model computes the same",
        enabled=is_simulated,
        checked=lambda d: has(d, Equalize),
        lack=_LACK,
        also_called="cross-layer equalization weights",
    ),
    Action(
        "remedy.biases",
        "Correct &biases",
        "Improve/remedies",
        toggle_correction,
        tip="Take what layers are off on average off the biases of the quantized model",
        enabled=can_toggle_correction,
        checked=lambda d: has(d, CorrectBiases),
        lack=_LACK,
        also_called="bias correction mean shift",
    ),
)
