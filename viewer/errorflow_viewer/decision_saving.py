"""Hands what was decided over to a toolchain, and takes a toolchain's setting over as plan."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from errorflow.errors import UsageError
from errorflow.progress import Progress
from errorflow_viewer.banner import Notice, notice_of
from errorflow_viewer.desk import Desk, Entry
from errorflow_viewer.left_out_list import LeftOutList
from errorflow_viewer.precisions import bench_on_view

if TYPE_CHECKING:
    from errorflow.toolchains.model import Decision, LeftOut, Reading, Toolchain, Written

KEY = "decision"
_ANY = "All files (*)"
_BASE = ", starting from your own file…"
_NAMED = 4
# What was written: files, and what of each toolchain is to be told.
Done = tuple[list[Path], "list[tuple[Toolchain, Written]]", list[str]]


def can_hand_over(desk: Desk) -> bool:
    return desk.document.session.simulation is not None and bench_on_view(desk.document) is not None


def entries(desk: Desk) -> tuple[Entry, ...]:
    """A line for each toolchain, and those that may start from the user's own file once more."""
    if not can_hand_over(desk):
        return ()
    from errorflow.toolchains import TOOLCHAINS

    found = [Entry(f"{each.label}…", partial(_hand_over, each), f"Write {each.what}") for each in TOOLCHAINS]
    found.append(Entry("All…", hand_over_all, "Write all of them into a folder"))
    for each in TOOLCHAINS:
        if each.takes_base:
            tip = f"Write {each.what}, and keep what else stands in your file"
            found.append(Entry(f"{each.label}{_BASE}", partial(_ask_for_base, each), tip))
    return tuple(found)


def decision_of(desk: Desk) -> "Decision | None":
    """As it is now; None: nothing is simulated."""
    from errorflow.toolchains.model import Decision

    bench, simulation = bench_on_view(desk.document), desk.document.session.simulation
    return None if bench is None or simulation is None else Decision.on(bench, simulation.plan)


def _ask_for_base(toolchain: "Toolchain", desk: Desk) -> None:
    title = f"Your own setting for {toolchain.label}"
    _ask(desk, title, "", QFileDialog.FileMode.ExistingFile, lambda base: _hand_over(toolchain, desk, base))


def _hand_over(toolchain: "Toolchain", desk: Desk, base: Path | None = None) -> None:
    """What is a single file gets a name; several go into a folder."""
    decision = decision_of(desk)
    if decision is None:
        return
    try:
        names = () if toolchain.needs_run else toolchain.write(decision, base).names
    except UsageError as error:
        desk.simulating.tell(notice_of(error, KEY))
        return
    title = f"Export the decision: {toolchain.label}"
    if len(names) > 1:
        _ask(desk, title, "", QFileDialog.FileMode.Directory, partial(_start, desk, (toolchain,), base, None))
        return
    name = names[0] if names else f"{Path(decision.model).stem}_qdq.onnx"
    _ask(
        desk,
        title,
        name,
        QFileDialog.FileMode.AnyFile,
        lambda path: _start(desk, (toolchain,), base, path.name, path.parent),
    )


def hand_over_all(desk: Desk) -> None:
    from errorflow.toolchains import TOOLCHAINS

    title = "Export the decision: a folder for all files"
    _ask(desk, title, "", QFileDialog.FileMode.Directory, partial(_start, desk, TOOLCHAINS, None, None))


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


def _start(desk: Desk, toolchains: "tuple[Toolchain, ...]", base: Path | None, name: str | None, folder: Path) -> None:
    decision = decision_of(desk)
    if decision is None:
        return

    def work(progress: Progress) -> Done:
        return _write(decision, toolchains, base, folder, name, progress)

    text = f"Writing for {toolchains[0].label}" if len(toolchains) == 1 else "Writing for all toolchains"
    desk.jobs.start(
        KEY, text, work, partial(_tell, desk, folder), lambda error: desk.simulating.tell(notice_of(error, KEY))
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
    from errorflow.toolchains.saving import save, save_as

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
    label = written[0][0].label if len(written) == 1 else "toolchains"
    lost = _all_left_out(written)
    text = f"Wrote {names}{more}."
    if lost:
        who = f"{label} cannot" if len(written) == 1 else "The toolchains cannot all"
        text += f" {who} express what was decided for {len(lost):,} {'node' if len(lost) == 1 else 'nodes'}."
    details = "\n".join([*refused, *(f"{each.label}: {note}" for each, one in written for note in one.notes)])
    shown = partial(_show, desk, label, lost)
    desk.simulating.tell(
        Notice(
            "warning" if lost else "info",
            text,
            f"In {folder}",
            details,
            KEY,
            "Show" if lost else "",
            shown if lost else None,
            of_model=True,
        )
    )


def _all_left_out(written: "list[tuple[Toolchain, Written]]") -> "tuple[LeftOut, ...]":
    return tuple(row for _, one in written for row in one.left_out)


def _show(desk: Desk, label: str, lost: "tuple[LeftOut, ...]") -> None:
    LeftOutList(desk, label, lost, _window(desk)).show()


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
        from errorflow.toolchains import toolchain_of

        whose = toolchain_of(path)
        return whose.label, whose.read(path, graph, progress)

    def done(found: "tuple[str, Reading]") -> None:
        label, reading = found
        now = bench_on_view(desk.document)
        if now is None or now is not bench:
            return
        if bench.suits(bench.basis, reading.plan):
            desk.simulating.edit(f"Take over {path.name}", reading.plan)
        else:
            desk.simulating.start(bench.basis, reading.plan)
        hint = " ".join(reading.notes)
        desk.simulating.tell(
            Notice("info", f"The plan is that of {path.name} ({label}).", hint, key=KEY, of_model=True)
        )

    desk.jobs.start(KEY, f"Reading {path.name}", work, done, lambda error: desk.simulating.tell(notice_of(error, KEY)))
