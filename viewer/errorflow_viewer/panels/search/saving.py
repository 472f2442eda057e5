"""A search given away: as files in a folder, and as a call of the command line."""

import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from errorflow.base.progress import Progress
from errorflow.study.search.asked import Sought
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.kit.banner import Notice, notice_of

if TYPE_CHECKING:
    from errorflow.study.search.model import Search
    from errorflow.study.simulate.bench import Bench

KEY = "search files"
COPIED = "Copied the command"
NO_PLAN = "Copied. Save the plan as plan.json first: its changes are more than options can say."


def ask_to_save(parent: QWidget, desk: Desk, found: "Search") -> None:
    """Where to, without stopping the window."""
    beside = desk.document.folder
    dialog = QFileDialog(parent.window(), "A folder for what was found", desk.settings.export_folder(beside))
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)

    def chosen(text: str) -> None:
        desk.settings.remember_export(Path(text), beside)
        save_to(Path(text), desk, found)

    dialog.fileSelected.connect(chosen)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def save_to(folder: Path, desk: Desk, found: "Search") -> None:
    """All files that the command line writes, AMCT's too, in the background."""
    simulated = desk.document.state.simulated
    if simulated is None:
        desk.say("The simulation is being prepared.")
        return
    desk.jobs.start(
        KEY,
        f"Writing to {folder.name}",
        partial(_write, folder, found, simulated.bench),
        lambda notes: _tell(desk, folder, notes),
        lambda error: desk.studies.simulating.tell(notice_of(error, KEY)),
    )


def _write(folder: Path, found: "Search", bench: "Bench", progress: Progress) -> list[str]:
    from errorflow.report.search_files import write_search

    _, notes = write_search(folder, found, bench, amct="", progress=progress)
    return notes


def _tell(desk: Desk, folder: Path, notes: list[str]) -> None:
    desk.say(f"Ranking, history and plan are in {folder}")
    if notes:
        desk.studies.simulating.tell(Notice("info", notes[0], details="\n".join(notes[1:]), key=KEY))


def copy_command(desk: Desk, sought: Sought) -> None:
    simulation, path = desk.document.session.simulation, desk.document.session.model
    if simulation is None or path is None:
        return
    from errorflow.study.simulate.call import call_of, needs_plan

    plan = simulation.plan
    is_own = plan.coded is not None and not (plan.rules or plan.tensors)
    said = None if is_own and simulation.basis.own else plan
    whole = call_of(path, simulation.basis, said).replace("errorflow simulate", "errorflow search", 1)
    QGuiApplication.clipboard().setText(" ".join([whole, shlex.join(options_of(sought))]).strip())
    desk.say(NO_PLAN if needs_plan(said) else COPIED)


def options_of(sought: Sought) -> list[str]:
    """What the form says, as options."""
    from errorflow.study.search.asking import rule_of
    from errorflow_viewer.panels.search.words import higher_is_better

    rule, words = rule_of(sought), list[str]()
    if sought.evaluator is not None:
        words += ["--evaluator", str(sought.evaluator), "--time-limit", f"{sought.seconds:g}"]
    if rule is not None and rule.kind == "bound":
        name = "" if sought.evaluator is not None else sought.measure
        words += ["--target", f"{name}{'>=' if higher_is_better(sought) else '<='}{rule.limit:.12g}"]
    elif rule is not None:
        amount = f"{rule.limit * 100:.12g}%" if rule.kind == "relative" else f"{rule.limit:.12g}"
        words += [*([] if sought.evaluator is not None else ["--metric", sought.measure]), "--max-drop", amount]
    words += [] if sought.labels is None else ["--labels", str(sought.labels)]
    for name in sought.outputs:
        words += ["--output", name]
    words += [] if sought.over == "pooled" else ["--over", sought.over]
    words += ["--strategy", sought.strategy if sought.own_strategy is None else str(sought.own_strategy)]
    words += [] if sought.kind == "unit" else ["--by", sought.kind]
    words += ["--to", "16"] if sought.to == 16 else []
    words += ["--rank-by", sought.by] if sought.by != "noise" else []
    return [*words, *([] if sought.most is None else ["--max-evaluations", str(sought.most)])]
