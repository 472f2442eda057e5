"""The commands on simulating, rows of the table of commands."""

from errorflow_viewer.commands.api import Action, Desk, is_simulated
from errorflow_viewer.commands.simulation_saving import copy_command, export_model, save_calibration, save_plan
from errorflow_viewer.document.deploying import KEY, wished


def ask(desk: Desk) -> None:
    """Brings the panel, or starts what it is filled in with."""
    desk.studies.simulating.asked.emit()


def is_on_bench(desk: Desk) -> bool:
    return is_simulated(desk) and desk.studies.simulating.bench is not None


def can_deploy(desk: Desk) -> bool:
    return wished(desk.document.state) is not None


def deploy(desk: Desk) -> None:
    """Deploys; the panel that shows the result is brought."""
    if can_deploy(desk):
        desk.panels.show("simulate")
        desk.derived.ask(KEY)


BEGINNING: tuple[Action[Desk], ...] = (
    Action(
        "simulate",
        "Simul&ate…",
        "File/open",
        ask,
        "simulate",
        ("F9",),
        "Quantize the model in simulation, and see which node makes the error",
        toolbar=3,
        also_in="Simulate",
        also_called="quantize calibrate",
    ),
)

# The last of the menu: other rows with the menu "Simulate" stand between.
ENDING: tuple[Action[Desk], ...] = (
    Action(
        "simulate.deployed",
        "Run as deployed (ONN&X Runtime)",
        "Simulate/save",
        deploy,
        tip="Run the quantized model with all that ONNX Runtime optimises, against float and against the simulation",
        enabled=can_deploy,
        lack="Nothing is known of a simulation yet",
        also_called="runtime optimise fused integer kernels",
    ),
    Action(
        "simulate.export",
        "Export &QDQ model…",
        "Simulate/save",
        export_model,
        tip="Write the model with what is on view quantized, as ONNX Runtime takes it",
        enabled=is_on_bench,
        lack="Nothing is simulated",
    ),
    Action(
        "simulate.plan",
        "Sav&e plan as…",
        "Simulate/save",
        save_plan,
        tip="Write what is quantized and how, for the command line or another model",
        enabled=is_simulated,
        lack="Nothing is simulated",
    ),
    Action(
        "simulate.calibration",
        "Save &calibration as…",
        "Simulate/save",
        save_calibration,
        tip="Write the range of each tensor",
        enabled=is_on_bench,
        lack="Nothing is simulated",
    ),
    Action(
        "simulate.command",
        "Cop&y command",
        "Simulate/save",
        copy_command,
        "copy",
        tip="Copy what is on view as a call of the command line",
        enabled=is_simulated,
        lack="Nothing is simulated",
    ),
    Action(
        "simulate.leave",
        "&Leave the simulation",
        "Simulate/leave",
        lambda d: d.studies.simulating.leave(),
        tip="Go back to what was on view before anything was simulated",
        enabled=is_simulated,
        lack="Nothing is simulated",
    ),
)
