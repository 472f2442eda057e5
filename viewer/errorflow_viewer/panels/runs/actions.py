"""The commands on runs, and the one that evaluates for real, rows of the table of commands."""

from errorflow_viewer.commands.api import Action, Desk
from errorflow_viewer.document.runs import stop_comparing, turn_round


def is_against(desk: Desk) -> bool:
    simulation = desk.document.session.simulation
    return simulation is not None and bool(simulation.against)


_LACK = "No run is compared with"

_COMPARING = "Comparin&g"

RUNNING: tuple[Action[Desk], ...] = (
    Action(
        "runs.turn",
        "&Turn the comparison round",
        "Simulate/runs",
        lambda d: turn_round(d.document),
        tip="Put the run that is compared with on view, and compare with the one that was",
        enabled=is_against,
        lack=_LACK,
        submenu=_COMPARING,
    ),
    Action(
        "runs.stop",
        "Stop comparin&g",
        "Simulate/runs",
        lambda d: stop_comparing(d.document),
        tip="Paint the error of the run on view again",
        enabled=is_against,
        lack=_LACK,
        submenu=_COMPARING,
    ),
)


def can_evaluate(desk: Desk) -> bool:
    """Whether evaluating can begin; without a run the form says what comes first."""
    model = desk.document.model
    return bool(desk.document.session.trials) or (model is not None and model.format == "ONNX model")


EVALUATING: tuple[Action[Desk], ...] = (
    Action(
        "evaluate",
        "E&valuate…",
        "Improve/search",
        lambda d: d.studies.evaluating.begin(),
        "runs",
        tip="Count right answers of the float model and of each run, or measure them by a file of your own",
        enabled=can_evaluate,
        lack="Open a float ONNX model first",
        also_called="accuracy labelled set top-1 top-5 labels evaluator",
    ),
)
