"""A ranking given away: as a table, for other programs, and as Horizon's tool prints it."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from errorflow.base.errors import UsageError
from errorflow.study.rank.model import Ranking
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.save_dialog import ask_where
from errorflow_viewer.commands.simulation_saving import save_to
from errorflow_viewer.panels.ranking.rows import RankRows

if TYPE_CHECKING:
    from errorflow.study.simulate.bench import Bench

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
