"""Hands what was decided over to a toolchain, and takes a toolchain's setting over as plan."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from errorflow.base.errors import UsageError
from errorflow.base.progress import Progress
from errorflow.graph.build import counted
from errorflow_viewer.commands.api import Desk, Entry
from errorflow_viewer.commands.left_out_list import LeftOutList, distinct
from errorflow_viewer.document.precisions import bench_on_view
from errorflow_viewer.kit.banner import WRITTEN, Notice, notice_of
from errorflow_viewer.kit.wording import in_window

if TYPE_CHECKING:
    from errorflow.quant.plan import Plan
    from errorflow.report.toolchains.model import Decision, LeftOut, Reading, Toolchain, Written

KEY, NAMES = "decision", "decision names"
_ANY = "All files (*)"
_BASE = ", starting from your own file…"
_NAMED = 4
# What was written: files, and what of each toolchain is to be told.
Done = tuple[list[Path], "list[tuple[Toolchain, Written]]", list[str]]


def can_hand_over(desk: Desk) -> bool:
    return desk.document.session.simulation is not None and bench_on_view(desk.document) is not None


def entries(desk: Desk, plan: "Plan | None" = None) -> tuple[Entry[Desk], ...]:
    """A line for each toolchain, and those that may start from the user's own file once more.

    Of a plan that is not on view it stays so: handing it over changes nothing. None: that on view.
    """
    if not can_hand_over(desk):
        return ()
    from errorflow.report.toolchains import TOOLCHAINS

    what = {each.key: f"Write {in_window(each.what)}" for each in TOOLCHAINS}
    found = [Entry(f"{each.label}…", partial(_hand_over, each, plan=plan), what[each.key]) for each in TOOLCHAINS]
    found.append(Entry("All…", partial(hand_over_all, plan=plan), "Write all of them into a folder"))
    for each in TOOLCHAINS:
        if each.takes_base:
            tip = f"{what[each.key]}, and keep what else stands in your file"
            found.append(Entry(f"{each.label}{_BASE}", partial(_ask_for_base, each, plan=plan), tip))
    return tuple(found)


def decision_of(desk: Desk, plan: "Plan | None" = None) -> "Decision | None":
    """Of that plan or the one on view, as it is now; None: nothing is simulated that could tell."""
    from errorflow.report.toolchains.model import Decision

    bench, simulation = bench_on_view(desk.document), desk.document.session.simulation
    if bench is None or simulation is None:
        return None
    if plan is not None and not bench.suits(simulation.basis, plan):  # it was found on another bench
        return None
    return Decision.on(bench, simulation.plan if plan is None else plan)


def _ask_for_base(toolchain: "Toolchain", desk: Desk, plan: "Plan | None" = None) -> None:
    title = f"Your own setting for {toolchain.label}"
    _ask(desk, title, "", QFileDialog.FileMode.ExistingFile, lambda base: _hand_over(toolchain, desk, base, plan))


def _hand_over(toolchain: "Toolchain", desk: Desk, base: Path | None = None, plan: "Plan | None" = None) -> None:
    """What is a single file gets a name; several go into a folder. Which it is takes reading and writing all of it."""
    decision = decision_of(desk, plan)
    if decision is None:
        return
    asked = decision
    ask = partial(_ask_where, desk, toolchain, base, plan)
    if toolchain.needs_run:
        ask((f"{Path(asked.model).stem}_qdq.onnx",))
        return
    desk.jobs.start(
        NAMES,
        f"Preparing what {toolchain.label} takes",
        lambda _: toolchain.write(asked, base).names,
        ask,
        lambda error: desk.studies.simulating.tell(notice_of(error, KEY)),
    )


def _ask_where(
    desk: Desk, toolchain: "Toolchain", base: Path | None, plan: "Plan | None", names: tuple[str, ...]
) -> None:
    if not can_hand_over(desk):  # the model was closed meanwhile
        return
    title, start = f"Export the decision: {toolchain.label}", partial(_start, desk, (toolchain,), base, plan)
    if len(names) > 1:
        _ask(desk, title, "", QFileDialog.FileMode.Directory, partial(start, None))
        return
    _ask(desk, title, names[0], QFileDialog.FileMode.AnyFile, lambda path: start(path.name, path.parent))


def hand_over_all(desk: Desk, plan: "Plan | None" = None) -> None:
    from errorflow.report.toolchains import TOOLCHAINS

    title = "Export the decision: a folder for all files"
    _ask(desk, title, "", QFileDialog.FileMode.Directory, partial(_start, desk, tuple(TOOLCHAINS), None, plan, None))


def _ask(desk: Desk, title: str, name: str, mode: QFileDialog.FileMode, take: Callable[[Path], object]) -> None:
    """Asks where, without stopping the window."""
    settings, beside = desk.settings, desk.document.folder
    kinds = f"Settings (*{Path(name).suffix});;{_ANY}" if name else _ANY
    start = Path(settings.export_folder(beside))
    dialog = QFileDialog(_window(desk), title, str(start / name), kinds)
    if mode != QFileDialog.FileMode.ExistingFile:
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(mode)
    if mode == QFileDialog.FileMode.Directory:
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptOpen)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    if name:
        dialog.setDefaultSuffix(Path(name).suffix[1:])

    def chosen(text: str) -> None:
        path = Path(text)
        if mode != QFileDialog.FileMode.ExistingFile:
            settings.remember_export(path if mode == QFileDialog.FileMode.Directory else path.parent, beside)
        take(path)

    dialog.fileSelected.connect(chosen)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def _start(
    desk: Desk,
    toolchains: "tuple[Toolchain, ...]",
    base: Path | None,
    plan: "Plan | None",
    name: str | None,
    folder: Path,
) -> None:
    decision = decision_of(desk, plan)
    if decision is None:
        return

    def work(progress: Progress) -> Done:
        return _write(decision, toolchains, base, folder, name, progress)

    text = f"Writing for {toolchains[0].label}" if len(toolchains) == 1 else "Writing for all toolchains"
    desk.jobs.start(
        KEY, text, work, partial(_tell, desk, folder), lambda error: desk.studies.simulating.tell(notice_of(error, KEY))
    )


def _write(
    decision: "Decision",
    toolchains: "tuple[Toolchain, ...]",
    base: Path | None,
    folder: Path,
    name: str | None,
    progress: Progress,
) -> Done:
    """Of several toolchains some may have nothing to write, which is told; of a single one it is an error."""
    from errorflow.report.toolchains.saving import save, save_as

    files: list[Path] = []
    done: list[tuple[Toolchain, Written]] = []
    refused: list[str] = []
    for number, each in enumerate(toolchains):
        progress.step(number, len(toolchains), f"Writing for {each.label}")
        try:
            written = each.write(decision, base)
        except UsageError as error:
            if len(toolchains) == 1:
                raise
            refused.append(f"{each.label}: {error.message}")
            continue
        files += (
            save(written, each.key, folder, progress) if name is None else [save_as(written, folder / name, progress)]
        )
        done.append((each, written))
    return files, done, refused


def _tell(desk: Desk, folder: Path, done: Done) -> None:
    """What was written, and how many nodes are not as decided there."""
    files, written, refused = done
    names = ", ".join(path.name for path in files[:_NAMED])
    more = f" and {len(files) - _NAMED:,} more" if len(files) > _NAMED else ""
    lost = {each.label: one.left_out for each, one in written if one.left_out}
    count = distinct(lost.values())
    text = f"Wrote {names}{more}."
    if lost:
        who = f"{written[0][0].label} cannot" if len(written) == 1 else "The toolchains cannot all"
        text += f" {who} express what was decided for {counted(count, 'node', 'nodes')}."
    notes = (f"{each.label}: {in_window(note)}" for each, one in written for note in one.notes)
    desk.studies.simulating.tell(
        Notice(
            "warning" if lost else "info",
            text,
            f"In {folder}",
            "\n".join([*map(in_window, refused), *notes]),
            KEY,
            "Show" if lost else "",
            partial(_show, desk, lost) if lost else None,
            of_model=True,
            stays=True,
            family="" if lost else WRITTEN,
        )
    )


def _show(desk: Desk, lost: "Mapping[str, Sequence[LeftOut]]") -> None:
    LeftOutList(desk, lost, _window(desk)).show()


def _window(desk: Desk) -> QWidget | None:
    """What holds a dialog, so that it goes with the window; the desk is one where it is not made for a test."""
    return desk if isinstance(desk, QWidget) else QApplication.activeWindow()


def take_over(desk: Desk) -> None:
    """Asks for a toolchain's setting; what it says becomes the plan, as one step that can be undone."""
    title = "Open a toolchain's setting as plan"
    _ask(desk, title, "", QFileDialog.FileMode.ExistingFile, partial(take_over_from, desk))


def take_over_from(desk: Desk, path: Path) -> None:
    bench = bench_on_view(desk.document)
    if bench is None:
        return
    graph = bench.engine.graph

    def work(progress: Progress) -> "tuple[str, Reading]":
        from errorflow.report.toolchains import toolchain_of

        whose = toolchain_of(path)
        return whose.label, whose.read(path, graph, progress)

    def done(found: "tuple[str, Reading]") -> None:
        label, reading = found
        now = bench_on_view(desk.document)
        if now is None or now is not bench:
            return
        hint = in_window(" ".join(reading.notes))
        notice = Notice("info", f"The plan is that of {path.name} ({label}).", hint, key=KEY, of_model=True)
        step, tell = f"Take over {path.name}", partial(desk.studies.simulating.tell, notice)
        if bench.suits(bench.basis, reading.plan):
            desk.studies.simulating.edit(step, reading.plan)
            tell()
        else:
            desk.studies.simulating.start(bench.basis, reading.plan, step, tell)

    desk.jobs.start(
        KEY, f"Reading {path.name}", work, done, lambda error: desk.studies.simulating.tell(notice_of(error, KEY))
    )
