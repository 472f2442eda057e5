"""A ranking given away: as a table, for other programs, and as Horizon's tool prints it."""

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from errorflow.sensitivity.model import Ranking
from errorflow_viewer.banner import notice_of
from errorflow_viewer.desk import Desk
from errorflow_viewer.panels.ranking.rows import RankRows

KEY = "ranking file"
CSV, JSON, VENDOR = "Table as CSV…", "All numbers as JSON…", "As Horizon's tool prints it…"
FILES = (CSV,)
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
    from errorflow.errors import ErrorflowError
    from errorflow.files import write_atomic

    try:
        write_atomic(path, text_of(ranking, kind))
    except ErrorflowError as error:
        desk.simulating.tell(notice_of(error, KEY))
        return
    desk.say(f"{path.name} is written")


def text_of(ranking: Ranking, _kind: str) -> str:
    from errorflow.report.sensitivity import ranking_csv

    return ranking_csv(ranking)
