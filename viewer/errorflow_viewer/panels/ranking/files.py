"""A ranking given away: as a table, for other programs, and as Horizon's tool prints it."""

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from errorflow.errors import ErrorflowError, UsageError
from errorflow.sensitivity.model import Ranking
from errorflow_viewer.banner import notice_of
from errorflow_viewer.desk import Desk
from errorflow_viewer.panels.ranking.rows import RankRows

KEY = "ranking file"
CSV, JSON, VENDOR = "Table as CSV…", "All numbers as JSON…", "As Horizon's tool prints it…"
FILES = (CSV, JSON, VENDOR)
_ENDINGS = {CSV: (".csv", "Tables (*.csv)"), JSON: (".json", "Rankings (*.json)"), VENDOR: (".txt", "Texts (*.txt)")}


def as_table(rows: RankRows, parts: Iterable[int]) -> str:
    """What is shown, for a spreadsheet."""
    lines = [[column.title for column in rows.columns]]
    lines += [[column.texts[part] for column in rows.columns] for part in parts]
    return "\n".join("\t".join(" ".join(cell.split()) for cell in line) for line in lines) + "\n"


def write(parent: QWidget, desk: Desk, ranking: Ranking, kind: str) -> None:
    """Asks for a file, and writes it."""
    ending, kinds = _ENDINGS[kind]
    model = desk.document.model
    start = f"{'ranking' if model is None else f'{model.path.stem}-ranking'}{ending}"
    chosen, _ = QFileDialog.getSaveFileName(parent, "Export the ranking", start, f"{kinds};;All files (*)")
    if chosen:
        write_to(Path(chosen), desk, ranking, kind)


def write_to(path: Path, desk: Desk, ranking: Ranking, kind: str) -> None:
    from errorflow.files import write_atomic

    try:
        write_atomic(path, content(desk, ranking, kind))
    except ErrorflowError as error:
        desk.simulating.tell(notice_of(error, KEY))
        return
    desk.say(f"{path.name} is written")


def content(desk: Desk, ranking: Ranking, kind: str) -> str | bytes:
    from errorflow.report.sensitivity import ranking_csv
    from errorflow.report.sensitivity_vendor import Quantized, vendor_table
    from errorflow.sensitivity.ranking_file import ranking_text

    if kind == CSV:
        return ranking_csv(ranking)
    if kind == JSON:
        return ranking_text(ranking)
    simulated = desk.document.state.simulated
    if simulated is None:
        raise UsageError("The vendor's table needs the simulation.", "Simulate the model again.")
    engine = simulated.bench.engine
    return vendor_table(ranking, Quantized(engine.graph, engine.assigned(ranking.plan), simulated.bench.calibration))
