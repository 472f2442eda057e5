"""Gives away what is simulated: the quantized model, its plan, its ranges, and the call of the command line."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog

from errorflow.base.progress import Progress
from errorflow.quant.plan import Plan
from errorflow.study.simulate.basis import Basis
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.kit.banner import notice_of

KEY = "simulation file"
Write = Callable[[Path, Progress], object]
NO_PLAN = "Copied. Save the plan as plan.json first: its changes are more than options can say."
COPIED = "Copied the command"


def export_model(desk: Desk) -> None:
    """The model with QuantizeLinear and DequantizeLinear, as ONNX Runtime takes it."""
    kinds = "ONNX models (*.onnx)"
    _save(desk, "Export the quantized model", f"{_stem(desk)}_qdq.onnx", kinds, write_model_of(desk))


def save_plan(desk: Desk) -> None:
    _save(desk, "Save the plan", "plan.json", "Plans (*.json)", write_plan_of(desk))


def save_calibration(desk: Desk) -> None:
    _save(desk, "Save the ranges", "calibration.json", "Ranges (*.json)", write_calibration_of(desk))


def write_model_of(desk: Desk) -> Write | None:
    """Makes what writes it as it is now; None: nothing is simulated."""
    bench, simulation = desk.studies.simulating.bench, desk.document.session.simulation
    if bench is None or simulation is None:
        return None
    engine, plan = bench.engine, simulation.plan
    return lambda path, progress: engine.export(plan, path, progress)


def write_plan_of(desk: Desk) -> Write | None:
    """The same for the plan."""
    from errorflow.quant.plan_file import write_plan

    simulation = desk.document.session.simulation
    return None if simulation is None else lambda path, _: write_plan(simulation.plan, path)


def write_calibration_of(desk: Desk) -> Write | None:
    """The same for the range of each tensor."""
    from errorflow.quant.calibrate.saved import save_calibrations

    bench = desk.studies.simulating.bench
    return None if bench is None else lambda path, _: save_calibrations(path, [bench.calibration])


def copy_command(desk: Desk) -> None:
    """Copies the command of what is on view."""
    simulation, path = desk.document.session.simulation, desk.document.session.model
    if simulation is not None and path is not None:
        copy_command_of(desk, path, simulation.basis, simulation.plan)


def copy_command_of(desk: Desk, path: Path, basis: Basis, plan: "Plan | None") -> None:
    """A model's own plan needs no words, unless something of it was switched."""
    from errorflow.study.simulate.call import call_of, needs_plan

    is_own = plan is not None and plan.coded is not None and not (plan.rules or plan.tensors)
    said = None if is_own and basis.own else plan
    QGuiApplication.clipboard().setText(call_of(path, basis, said))
    desk.say(NO_PLAN if needs_plan(said) else COPIED)


def _save(desk: Desk, title: str, name: str, kinds: str, write: Write | None) -> None:
    """Asks where, without stopping the window, and writes in the background."""
    if write is None:
        return
    settings, beside = desk.settings, desk.document.folder
    parent = QApplication.activeWindow()
    dialog = QFileDialog(parent, title, str(Path(settings.export_folder(beside)) / name), kinds)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setDefaultSuffix(Path(name).suffix[1:])

    def take(chosen: str) -> None:
        path = Path(chosen)
        settings.remember_export(path.parent, beside)
        save_to(desk, path, write)

    dialog.fileSelected.connect(take)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def save_to(desk: Desk, path: Path, write: Write) -> None:
    """Writes it in the background, all of it or not at all, and says so."""

    desk.jobs.start(
        KEY,
        f"Writing {path.name}",
        lambda progress: write(path, progress),
        lambda _: desk.say(f"Wrote {path}"),
        lambda error: desk.studies.simulating.tell(notice_of(error, KEY)),
    )


def _stem(desk: Desk) -> str:
    path = desk.document.session.model
    return "model" if path is None else path.stem
