"""The case of a file: a session, whose runs are measured again, or a table that was written before."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from errorflow.base import SILENT, FileError, Progress, WrongFileError
from errorflow.base.files import Source, is_folder
from errorflow.case.examine import examine
from errorflow.case.model import Case
from errorflow.case.scenarios.chain import chain_of
from errorflow.case.session.file import MARK, read_session
from errorflow.case.session.model import Session
from errorflow.case.session.moved import missing
from errorflow.case.values import Asking, kept_beside
from errorflow.compare.match.model import Match, Pair
from errorflow.compare.model import Comparison, Row
from errorflow.compare.simulated_table import is_simulated_table, read_simulated_table
from errorflow.compare.table_file import is_tensor_table, read_tensor_table

# What `errorflow compare` and `errorflow simulate` call their tables.
TABLE = "tensors.csv"
# Files that are not there, of which so many are named.
_NAMED = 3


def is_result(path: Path) -> bool:
    """Whether a file or folder is a session, or holds a table of tensors; asks for a few bytes only."""
    if is_folder(path):
        return (path / TABLE).is_file()
    with Source(path) as source:
        return _is_session(source) or is_tensor_table(source) or is_simulated_table(source)


def is_session(path: Path) -> bool:
    if is_folder(path):
        return False
    with Source(path) as source:
        return _is_session(source)


@contextmanager
def open_case(path: Path, progress: Progress = SILENT, *, tensors: bool = True) -> Iterator[Case]:
    """Measures again all that a session is about, but for what was kept beside it.

    Without `tensors` numbers are enough, and models need not run again for what was kept.
    """
    table = path / TABLE if is_folder(path) else path
    with Source(table) as source:
        found = _read_table(source, progress)
        if found is None and not _is_session(source):
            raise WrongFileError(
                f"{path.name} is neither a session nor a table of tensors.",
                "Give a file that ends with .errorflow, or the folder that `errorflow compare` wrote.",
            )
    if found is not None:
        yield _of_table(path, found)
        return
    opened = read_session(path)
    _refuse_lost(path, opened.session)
    with examine(opened.session, Asking(kept=kept_beside(path), tensors=tensors), progress) as case:
        yield replace(case, path=path, unread=opened.problems)


def _read_table(source: Source, progress: Progress) -> Comparison | None:
    if is_simulated_table(source):
        return read_simulated_table(source)
    return read_tensor_table(source, progress) if is_tensor_table(source) else None


def _refuse_lost(path: Path, session: Session) -> None:
    # A model that is only shown beside, or that files of the comparison stand for, is not needed.
    model = session.model if session.simulation is not None or session.setup is None else None
    lost = missing(replace(session, second=None, model=model))
    if lost:
        raise FileError(
            f"{path.name} needs files that are not where they were: {', '.join(each.name for each in lost[:_NAMED])}.",
            "`errorflow session FILE --look-in FOLDER` finds them by their names.",
        )


def _is_session(source: Source) -> bool:
    head = source.head[:200].decode("utf-8", "replace")
    return head.lstrip("\ufeff \t\r\n").startswith("{") and json.dumps(MARK) in head


def _of_table(path: Path, comparison: Comparison) -> Case:
    """Makes a graph for a table: tables do not tell what flows where, so that no node can be judged."""
    model = chain_of(Match(tuple(_pair(row) for row in comparison.rows)), path)
    return Case(Session(), model, comparison, path=path)


def _pair(row: Row) -> Pair:
    return Pair(row.tensor, None, None, row.rule, row.note, node=row.node, op_type=row.op_type)
