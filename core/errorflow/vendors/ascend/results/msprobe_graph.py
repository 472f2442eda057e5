"""msprobe's .vis.db: the nodes of one run, or of two that were compared, with what was measured at each."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from errorflow.base import FormatError, Progress, dataclass, field
from errorflow.base.files import Source
from errorflow.compare.results.table import Column, Importer, ResultRow, ResultTable
from errorflow.compare.results.text import limited
from errorflow.graph.model import Problem
from errorflow.vendors.ascend.results import msprobe_dump
from errorflow.vendors.ascend.results.msprobe_dump import VENDOR

MAX_BYTES = 4 * 1024**3
MAX_ROWS = 1_000_000
MAX_CELL = 16 * 1024 * 1024
# Steps of SQLite's machine between two looks at the limit, and how many looks there may be.
_STEPS, _LOOKS = 100_000, 20_000
_ALLOWED = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)
_DESCRIBE = "table_xinfo"
_HINT = "Let the tool that wrote it write it again."

Cell = str | bytes | int | float | None


@contextmanager
def opened(path: Path) -> Iterator["Database"]:
    """Closed at the end; what SQLite finds wrong in between is a `FormatError`."""
    connection: sqlite3.Connection | None = None
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        yield Database(path.name, connection)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter: what SQLite quotes may be no text
        raise FormatError(f"{path.name} could not be read as a SQLite file: {error}.", _HINT) from error
    finally:
        if connection is not None:
            connection.close()


class Database:
    """Database of plain tables only: views, virtual tables and computed columns run code of the file."""

    def __init__(self, name: str, connection: sqlite3.Connection) -> None:
        self.name = name
        self._connection = connection
        self._looks = 0
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute("PRAGMA query_only = ON")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_CELL)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.set_progress_handler(self._look, _STEPS)
        connection.set_authorizer(_allows)

    def columns(self, table: str) -> tuple[str, ...]:
        """Lists columns of a plain table that are stored, not computed; () if there is none of that name."""
        found = self._connection.execute("SELECT type, sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        if found is None or found[0] != "table" or not str(found[1]).lstrip().upper().startswith("CREATE TABLE"):
            return ()
        # number, name, type, not null, default, key, hidden
        described = self._connection.execute(f"PRAGMA {_DESCRIBE}({table})")
        return tuple(str(row[1]) for row in described if not row[6])

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[tuple[Cell, ...]]:
        """Yields these columns of a table in the order of the file; a `FormatError` beyond the limit."""
        names = ", ".join(columns)
        # Both are constants of the importers: nothing of a user's gets into the text.
        cursor = self._connection.execute(f"SELECT {names} FROM {table}")
        for count, row in enumerate(cursor):
            if count == MAX_ROWS:
                raise FormatError(f"{self.name} has more than {MAX_ROWS:,} rows in {table}.", _HINT)
            yield row

    def _look(self) -> int:
        """Called by SQLite now and then; 1 ends the query."""
        self._looks += 1
        return int(self._looks > _LOOKS)


def _allows(action: int, name: str | None, *_: str | None) -> int:
    describes = action == sqlite3.SQLITE_PRAGMA and name == _DESCRIBE
    return sqlite3.SQLITE_OK if action in _ALLOWED or describes else sqlite3.SQLITE_DENY


_MAGIC = b"SQLite format 3\0"
_TABLE, _CONFIG = "tb_nodes", "tb_config"
_COLUMNS = ("node_name", "node_type", "precision_index", "overflow_level", "matched_node_link", "data_source")
_DATA = ("input_data", "output_data")
_KINDS = {"0": "module", "1": "api", "9": "list of apis"}
# Of tensors that were dumped with their values.
_OF_VALUES = {
    "Cosine": "msprobe.Cosine",
    "EucDist": "msprobe.EucDist",
    "MaxAbsErr": "msprobe.MaxAbsErr",
    "MaxRelativeErr": "msprobe.MaxRelativeErr",
    "One Thousandth Err Ratio": "msprobe.OneThousandth",
    "Five Thousandths Err Ratio": "msprobe.FiveThousandths",
}
# Of tensors of which statistics were dumped; one name is the same and means something else.
_OF_STATISTICS = {f"{name}RelativeErr": f"msprobe.statistics.{name}" for name in ("Max", "Min", "Mean", "Norm")}
_VERDICTS = (0.0, 0.5, 1.0)
_UNMATCHED = "It stands for nothing in the other run."
_NOT_MERGED = "What was written last may be missing: there is a file beside it that was not merged into it."
_STEP = 200


@dataclass(slots=True)
class _Found:
    """Nodes and tensors as they are met; columns are known at the end only."""

    nodes: list[tuple[str, dict[str, str], float | None]] = field(default_factory=list)
    tensors: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def _claims(source: Source) -> bool:
    return source.head.startswith(_MAGIC) and _TABLE.encode() in source.head


def _read(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    """The nodes with their verdicts, and the tensors with their numbers."""
    if source.size > MAX_BYTES:
        raise FormatError(f"{source.name} has {source.size:,} bytes; {MAX_BYTES:,} is the limit.", "Dump fewer steps.")
    with opened(source.path) as database:
        names = set(database.columns(_TABLE))
        if not names >= {"node_name", "precision_index"}:
            raise FormatError(f"{source.name} has no table of msprobe's nodes.", "Take what graph_visualize wrote.")
        found = _collected(database, [name for name in (*_COLUMNS, *_DATA) if name in names], progress)
        colors = _colors(database)
    if _has_rest(source.path):
        found.problems.append(Problem(_NOT_MERGED))
    tables = (_nodes(found, colors), _tensors(found))
    return tuple(table for table in tables if table.rows or table.label == "msprobe nodes")


def _has_rest(path: Path) -> bool:
    """Writes that SQLite keeps beside the file until it is closed properly."""
    rest = path.with_name(f"{path.name}-wal")
    return rest.is_file() and rest.stat().st_size > 0


def _collected(database: Database, columns: list[str], progress: Progress) -> _Found:
    found = _Found()
    for count, cells in enumerate(database.rows(_TABLE, columns)):
        if count % _STEP == 0:
            progress.step(count, 0, database.name)
        row = dict(zip(columns, cells, strict=True))
        name = _text(row["node_name"])
        value = row["precision_index"]
        extra = {key: _text(row[key]) for key in columns if key not in ("node_name", "precision_index", *_DATA)}
        found.nodes.append((name, extra, float(value) if isinstance(value, int | float) else None))
        for key in _DATA:
            found.tensors.extend((name, inner, data) for inner, data in _parsed(row.get(key), f"{name}: {key}", found))
    return found


def _text(value: Cell) -> str:
    return "" if value is None else str(value)[:10_000]


def _parsed(cell: Cell, where: str, found: _Found) -> Iterator[tuple[str, dict[str, Any]]]:
    """Tensors by their names."""
    if not isinstance(cell, str) or not cell:
        return
    try:
        value = json.loads(cell)
    except (ValueError, RecursionError):
        found.problems.append(Problem("It is no JSON and is left out.", where))
        return
    if isinstance(value, dict):
        yield from ((str(name), data) for name, data in value.items() if isinstance(data, dict))


def _colors(database: Database) -> int:
    """Counts the colours of the verdicts: three in the newer form, five in the older; 0: it does not say."""
    if "node_colors" not in database.columns(_CONFIG):
        return 0
    for (cell,) in database.rows(_CONFIG, ("node_colors",)):
        try:
            value = json.loads(_text(cell))
        except (ValueError, RecursionError):
            return 0
        return len(value) if isinstance(value, dict | list) else 0
    return 0


def _nodes(found: _Found, colors: int) -> ResultTable:
    known = {value for _, _, value in found.nodes if value is not None}
    # Four and six with the colour of what has no counterpart.
    older = colors > 4 or not known <= set(_VERDICTS)
    key = "msprobe.precision_index.old" if older else "msprobe.precision_index"
    column = Column.of(key)
    is_compared = bool(known)
    rows = tuple(_node(name, extra, value, column, is_compared) for name, extra, value in found.nodes)
    generation = ("older (a scale)" if older else "newer (three verdicts)") if is_compared else "one run only"
    columns = (column,) if is_compared else ()
    return ResultTable("msprobe nodes", VENDOR, "node", columns, rows, generation, problems=limited(found.problems))


def _node(name: str, cells: dict[str, str], value: float | None, column: Column, is_compared: bool) -> ResultRow:
    extra = {key: text for key, text in cells.items() if text and key != "node_type"}
    kind = _KINDS.get(cells.get("node_type", ""), "")
    if kind:
        extra["kind"] = kind
    values = {} if value is None else {column.key: value}
    notes = (_UNMATCHED,) if value is None and is_compared else ()
    return ResultRow(name, msprobe_dump.operator(name), values=values, notes=notes, extra=extra)


def _tensors(found: _Found) -> ResultTable:
    has_values = any("Cosine" in data for _, _, data in found.tensors)
    measures = _OF_VALUES if has_values else _OF_STATISTICS
    columns = {name: Column.like(key, name, key) for name, key in measures.items()}
    columns |= {name: Column.plain(VENDOR, name, text) for name, text in msprobe_dump.STATISTICS.items()}
    rows = tuple(_tensor(node, name, data, columns) for node, name, data in found.tensors)
    used = {key for row in rows for key in (*row.values, *row.states)}
    kept = tuple(column for column in columns.values() if column.key in used)
    generation = "values" if has_values else "statistics"
    return ResultTable("msprobe tensors", VENDOR, "tensor", kept, rows, generation)


def _tensor(node: str, name: str, data: dict[str, Any], columns: dict[str, Column]) -> ResultRow:
    values, states = msprobe_dump.measured(data, columns)
    return ResultRow(
        name,
        msprobe_dump.operator(node),
        msprobe_dump.sizes(data),
        msprobe_dump.dtype(data),
        values,
        states,
        notes=tuple(_messages(data)),
        names=(node,),
    )


def _messages(data: dict[str, Any]) -> Iterator[str]:
    message = data.get("Err_message")
    if isinstance(message, str) and message not in ("", "[]"):
        yield message[:1000]


MSPROBE_GRAPH = Importer(
    key="msprobe-graph",
    label="msprobe graph (.vis.db)",
    vendor=VENDOR,
    claims=_claims,
    read=_read,
    obtain="`msprobe graph_visualize` writes it: compare_….vis.db or build_….vis.db.",
    rank=10,
)
