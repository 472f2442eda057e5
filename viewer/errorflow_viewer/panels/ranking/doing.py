"""Actions on the parts of a ranking."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from errorflow.base.errors import UsageError
from errorflow.quant.switching import Switch
from errorflow.study.rank.model import Part, Ranking
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.tables import add_table
from errorflow_viewer.commands.save_dialog import ask_where
from errorflow_viewer.commands.simulation_saving import save_to
from errorflow_viewer.commands.switching import Target, can_switch, switch, toggle
from errorflow_viewer.panels.ranking.rows import RankRows
from errorflow_viewer.panels.ranking.view import RankView

if TYPE_CHECKING:
    from errorflow.study.simulate.bench import Bench

# Kinds whose parts are nodes, and so can be switched as these.
_OF_NODES = ("unit", "node", "producer", "upstream", "group")
PUT: tuple[tuple[str, Switch], ...] = (
    ("Put to float", "float"),
    ("Put to 16 bits", 16),
    ("Quantize as planned", "plan"),
)


class Doing:
    """`show` travels to the part of a row."""

    def __init__(self, desk: Desk, view: RankView, show: Callable[[QModelIndex], None]) -> None:
        self._desk, self._view, self._show = desk, view, show
        view.copy_wanted.connect(self.copy)
        view.switch_wanted.connect(lambda: self.switch(None))
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(self.show_menu)

    @property
    def chosen(self) -> tuple[int, ...]:
        """The parts that are selected, from the top."""
        rows = sorted(index.row() for index in self._view.selectionModel().selectedRows())
        return tuple(part for part in map(self._view.table.number_at, rows) if part is not None)

    def keep(self, count: int, to: Switch) -> None:
        """The first of the ranking, whatever rows are shown, in float or in more bits."""
        rows, base = self._view.table.rows, self._desk.studies.ranking.base
        if rows is None or base is None:
            return
        parts = [rows.ranking.parts[part] for part in rows.order[:count].tolist()]
        what = parts[0].name if len(parts) == 1 else f"the top {len(parts):,} of the ranking"
        exactly = rows.ranking.question.kind not in _OF_NODES  # a tensor is not all that its node makes
        self._desk.say(self._desk.studies.ranking.keep(f"Keep {what} in {_word(to)}", base, parts, to, exactly))

    def switch(self, to: Switch | None) -> None:
        """Switches what is selected; None: in float, and as planned the next time."""
        rows, chosen, plan = self._view.table.rows, self.chosen, self._desk.studies.ranking.plan_asked()
        if rows is None or not chosen or plan is None:
            return
        parts = [rows.ranking.parts[part] for part in chosen]
        if rows.ranking.question.kind in _OF_NODES and all(rows.nodes[part] for part in chosen):
            nodes = tuple(dict.fromkeys(node for part in chosen for node in rows.nodes[part]))
            target = Target(_called(parts), nodes)
            if to is None:
                toggle(self._desk, lambda _: target)
            else:
                switch(self._desk, lambda _: target, to)
            return
        again = to is None and all(dict(plan.tensors).get(part.tensors[0]) == "float" for part in parts if part.tensors)
        wished: Switch = "plan" if again else "float" if to is None else to
        text = (
            f"Quantize {_called(parts)} as planned" if wished == "plan" else f"Keep {_called(parts)} in {_word(wished)}"
        )
        self._desk.say(self._desk.studies.ranking.keep(text, plan, parts, wished, exactly=True))

    def copy(self) -> None:
        rows = self._view.table.rows
        if rows is not None:
            chosen = self.chosen if len(self.chosen) > 1 else self._view.table.shown.tolist()
            QGuiApplication.clipboard().setText(as_table(rows, chosen))
            self._desk.say("The ranking is on the clipboard")

    def save(self, kind: str) -> None:
        ranking = self._desk.document.state.ranking
        if ranking is not None:
            write(self._view, self._desk, ranking, kind)

    def menu(self) -> QMenu:
        """Makes the menu of the right button."""
        menu = QMenu(self._view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chosen = self.chosen
        can = bool(chosen) and can_switch(self._desk)
        for text, to in PUT:
            menu.addAction(text, partial(self.switch, to)).setEnabled(can)
        menu.addSeparator()
        current = self._view.currentIndex()
        menu.addAction("Show in the graph", lambda: self._show(current)).setEnabled(len(chosen) == 1)
        menu.addAction("Copy name", self._copy_names).setEnabled(bool(chosen))
        add_table(menu, self._desk, self._view, "ranking on view")
        menu.addSeparator()
        for text in FILES:
            menu.addAction(text, partial(self.save, text))
        return menu

    def _copy_names(self) -> None:
        rows = self._view.table.rows
        if rows is not None:
            names = [rows.ranking.parts[part].name for part in self.chosen]
            QGuiApplication.clipboard().setText("\n".join(names))

    def show_menu(self, spot: QPoint) -> None:
        self.menu().popup(self._view.viewport().mapToGlobal(spot))


def _word(to: Switch) -> str:
    return str(to) if isinstance(to, str) else f"{to} bits"


def _called(parts: Sequence[Part]) -> str:
    return parts[0].name if len(parts) == 1 else f"{len(parts):,} parts of the ranking"


# A ranking given away: as a table, for other programs, and as Horizon's tool prints it.

CSV, JSON, VENDOR = "Table as CSV…", "All numbers as JSON…", "As Horizon's tool prints it…"
FILES = (CSV, JSON, VENDOR)
_ENDINGS = {CSV: (".csv", "Tables (*.csv)"), JSON: (".json", "Rankings (*.json)"), VENDOR: (".txt", "Texts (*.txt)")}


def as_table(rows: RankRows, parts: Iterable[int]) -> str:
    """Writes what is shown, for a spreadsheet."""
    lines = [[column.title for column in rows.columns]]
    lines += [[column.texts[part] for column in rows.columns] for part in parts]
    return "\n".join("\t".join(" ".join(cell.split()) for cell in line) for line in lines) + "\n"


def write(parent: QWidget, desk: Desk, ranking: Ranking, kind: str) -> None:
    """Asks for a file, and writes it."""
    ending, kinds = _ENDINGS[kind]
    model = desk.document.model
    name = f"{'ranking' if model is None else f'{model.path.stem}-ranking'}{ending}"
    take = partial(write_to, desk=desk, ranking=ranking, kind=kind)
    ask_where(parent.window(), desk, "Export the ranking", name, (kinds, "All files (*)"), take)


def write_to(path: Path, desk: Desk, ranking: Ranking, kind: str) -> None:
    """Writes in the background."""
    from errorflow.base.files import write_atomic

    simulated = desk.document.state.simulated
    bench = None if simulated is None else simulated.bench
    save_to(desk, path, lambda target, _: write_atomic(target, content(ranking, kind, bench)))


def content(ranking: Ranking, kind: str, bench: "Bench | None") -> str | bytes:
    from errorflow.report.sensitivity import ranking_csv
    from errorflow.report.sensitivity_vendor import QuantizedGraph, vendor_table
    from errorflow.study.rank.ranking_file import ranking_text

    if kind == CSV:
        return ranking_csv(ranking)
    if kind == JSON:
        return ranking_text(ranking)
    if bench is None:
        raise UsageError("The vendor's table needs the simulation.", "Simulate the model again.")
    engine = bench.engine
    return vendor_table(ranking, QuantizedGraph(engine.graph, engine.assigned(ranking.plan), bench.calibration))
