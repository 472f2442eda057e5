"""Hands what was decided over to a toolchain, and takes a toolchain's setting over as plan."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Union

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from errorflow.base import Progress, UsageError, dataclass
from errorflow.graph.build import counted
from errorflow.quant.plan import Plan
from errorflow_viewer.commands.api import Desk, Entry
from errorflow_viewer.commands.copy_save.tables import COPY_ROWS, Table, add_read
from errorflow_viewer.document.simulation_work import bench_on_view
from errorflow_viewer.kit.banner import WRITTEN, Notice, notice_of
from errorflow_viewer.kit.layouts import spaced, text_button, text_label
from errorflow_viewer.kit.look import PADDING
from errorflow_viewer.kit.tables.furnish import furnish_tree, share_columns
from errorflow_viewer.kit.tables.table import Column
from errorflow_viewer.kit.tables.tree import TreeGroup, TreeModel
from errorflow_viewer.kit.wording import in_window

if TYPE_CHECKING:
    from errorflow.report.toolchains.model import Decision, LeftOut, Reading, Toolchain, WrittenFiles


KEY, NAMES = "decision", "decision names"
_ANY = "All files (*)"
_BASE = ", starting from your own file…"
_NAMED = 4
# What was written: files, and what of each toolchain is to be told.
Done = tuple[list[Path], "list[tuple[Toolchain, WrittenFiles]]", list[str]]


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
    """Makes the decision of that plan or the one on view, as it is now; None: nothing is simulated that could tell."""
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
    """Hands over: a single file gets a name; several go into a folder. Which it is takes reading and writing all of
    it.
    """
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
    """Writes a decision. Of several toolchains some may have nothing to write, which is told; of a single one it is an
    error.
    """
    from errorflow.report.toolchains.saving import save, save_as

    files: list[Path] = []
    done: list[tuple[Toolchain, WrittenFiles]] = []
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
        more, written = (
            save(written, each.key, folder, progress) if name is None else save_as(written, folder / name, progress)
        )
        files += more
        done.append((each, written))
    return files, done, refused


def _tell(desk: Desk, folder: Path, done: Done) -> None:
    """Tells what was written, and how many nodes are not as decided there."""
    files, written, refused = done
    names = ", ".join(path.name for path in files[:_NAMED])
    more = f" and {len(files) - _NAMED:,} more" if len(files) > _NAMED else ""
    lost = {each.label: one.left_out for each, one in written if one.left_out}
    count = distinct(lost.values())
    text = f"Wrote {names}{more}."
    if lost:
        who = f"{written[0][0].label} cannot" if len(written) == 1 else "The toolchains cannot all"
        text += f" {who} express what was decided for {counted(count, 'node', 'nodes')}."
    notes = (f"{each.label}: {in_window(note)}" for each, one in written for note in one.told)
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
    """Finds the widget that holds a dialog, so that it goes with the window."""
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


# The nodes that toolchains cannot be told of as they were decided: by reason, and each leads to its node.

Line = Union["Heading", "LeftOut"]
# Groups of more are closed at first.
_OPEN = 40


@dataclass(frozen=True, slots=True)
class Heading:
    """A reason, or a toolchain, and how many nodes it is about."""

    name: str
    instead: str
    tip: str


_COLUMNS: tuple[Column[Line], ...] = (
    Column("Node", lambda line: line.name, cell_tip=lambda line: line.tip if isinstance(line, Heading) else line.name),
    Column("Written instead", lambda line: line.instead),
)


class LeftOutList(QDialog):
    """Stays open beside the graph; a row that is selected selects its node there."""

    def __init__(self, desk: Desk, left_out: "Mapping[str, Sequence[LeftOut]]", parent: QWidget | None) -> None:
        """`left_out`: by the label of the toolchain, of one or of several."""
        super().__init__(parent)
        self._desk, self._left_out = desk, left_out
        label = next(iter(left_out)) if len(left_out) == 1 else "toolchains"
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Not as decided – {label} – Errorflow")
        self.text = text_label(
            _sentence(distinct(left_out.values()), label, len(left_out) == 1), wraps=True, plain=True
        )
        self.lines: TreeModel[Line] = TreeModel(self)
        self.tree = self._make_tree()
        self.copy = text_button("Copy all", lambda: self._copy([each for rows in left_out.values() for each in rows]))
        close = text_button("Close", self.close)
        row = QHBoxLayout()
        row.addWidget(self.copy)
        row.addStretch(1)
        row.addWidget(close)
        box = spaced(QVBoxLayout(self), PADDING, (PADDING, PADDING, PADDING, PADDING))
        box.addWidget(self.text)
        box.addWidget(self.tree, 1)
        box.addLayout(row)
        self.resize(640, 420)

    def _make_tree(self) -> QTreeView:
        tree = QTreeView()
        several = len(self._left_out) > 1
        groups = [each for label, rows in self._left_out.items() for each in _groups(label, rows, several)]
        self.lines.show(groups, _COLUMNS)
        furnish_tree(tree, self.lines, "Nodes that the toolchain cannot be told of as decided, by reason", "")
        share_columns(tree, 0)
        tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        for index in self.lines.walk():
            is_small = 0 < self.lines.rowCount(index) <= _OPEN
            tree.setExpanded(index, is_small or (several and not index.parent().isValid()))
        tree.selectionModel().selectionChanged.connect(lambda *_: self._go())
        tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        tree.customContextMenuRequested.connect(self._show_menu)
        keys = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), tree)
        keys.setContext(Qt.ShortcutContext.WidgetShortcut)
        keys.activated.connect(lambda: self._copy(self._selected()))
        return tree

    def _show_menu(self, spot: QPoint) -> None:
        rows, table = self._selected(), self.table
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(COPY_ROWS, lambda: self._copy(rows)).setEnabled(bool(rows))
        add_read(menu, self._desk, lambda done: done(table), "not as decided")
        menu.popup(self.tree.viewport().mapToGlobal(spot))

    @property
    def table(self) -> Table:
        """A row per node and reason, closed groups too."""
        pairs = ((label, each) for label, rows in self._left_out.items() for each in rows)
        rows = [(label, each.name, each.why, each.instead) for label, each in pairs]
        return Table(("Toolchain", "Node", "Reason", "Written instead"), rows)

    def _selected(self) -> "list[LeftOut]":
        """A reason stands for all below it, and so does a toolchain."""
        found = (row for index in self._rows() for row in self._below(index))
        return list(dict.fromkeys(found))

    def _rows(self) -> list[QModelIndex]:
        return self.tree.selectionModel().selectedRows()

    def _below(self, index: QModelIndex) -> "list[LeftOut]":
        places = (index, *self.lines.walk(index))
        return [item for item in map(self.lines.item, places) if item is not None and not isinstance(item, Heading)]

    def _go(self) -> None:
        """Goes to the one that is selected; by its name, since the graph on view may be another one by now."""
        rows = self._rows()
        graph, document = self._desk.document.graph, self._desk.document
        row = self.lines.item(rows[0]) if len(rows) == 1 else None
        if row is None or graph is None or isinstance(row, Heading):
            return
        if 0 <= row.node < len(graph) and graph.title(row.node) == row.name:
            document.go(document.state.place, node=row.node)
            return
        tensor = graph.tensor_index(row.name)
        if tensor is not None:
            document.go(document.state.place, tensor=tensor)

    def _copy(self, rows: "Sequence[LeftOut]") -> None:
        lines = ["\t".join((each.name, each.why, each.instead)) for each in rows]
        QGuiApplication.clipboard().setText("\n".join(lines))


def distinct(left_out: "Iterable[Sequence[LeftOut]]") -> int:
    """Counts the nodes, however many toolchains lack each, and for however many reasons."""
    return len({each.name if each.node < 0 else each.node for rows in left_out for each in rows})


def _groups(label: str, left_out: "Sequence[LeftOut]", several: bool) -> "list[TreeGroup[Line]]":
    """Groups by the reason, with the nodes inside; of several toolchains each has its own."""
    from errorflow.report.toolchains.model import grouped

    reasons = grouped(left_out).items()
    found: list[TreeGroup[Line]] = [
        TreeGroup(Heading(f"{why}  {len(rows):,}", instead, why), rows) for (why, instead), rows in reasons
    ]
    return [TreeGroup(Heading(f"{label}  {distinct([left_out]):,}", "", label), (), found)] if several else found


def _sentence(count: int, label: str, is_one: bool) -> str:
    what = "One node was" if count == 1 else f"{count:,} nodes were"
    who = f"{label} cannot" if is_one else "the toolchains cannot all"
    return f"{what} decided in a way that {who} be told of. Select one to see it in the graph."
