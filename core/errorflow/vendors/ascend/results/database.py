"""A SQLite file of others, read without trusting it: read-only, plain tables only, nothing in it is run."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from errorflow.base.errors import FormatError

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
    """Only rows of plain tables can be asked for: views, virtual tables and computed columns run code of the file."""

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
        """Of a plain table those that are stored, not computed; () if there is none of that name."""
        found = self._connection.execute("SELECT type, sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        if found is None or found[0] != "table" or not str(found[1]).lstrip().upper().startswith("CREATE TABLE"):
            return ()
        # number, name, type, not null, default, key, hidden
        described = self._connection.execute(f"PRAGMA {_DESCRIBE}({table})")
        return tuple(str(row[1]) for row in described if not row[6])

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[tuple[Cell, ...]]:
        """These columns of a table in the order of the file; a `FormatError` beyond the limit."""
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
