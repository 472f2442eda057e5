"""What survives the end of a process: whole rows of the same comparison, and nothing else."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from errorflow.compare import compare_match
from errorflow.compare.crew import Alone
from errorflow.compare.journal import NAME, Journal
from errorflow.compare.options import Options
from errorflow.compare.work import rows_of
from errorflow.errors import FileError
from errorflow.formats import read_tensors
from errorflow.match.by_name import match_by_name
from errorflow.match.model import Match, Pair
from stored_tensors import made_match, made_pair

MATCH = made_match(6)
ROWS = compare_match(MATCH, crew=Alone()).rows


def written(folder: Path, count: int) -> None:
    with Journal(folder, MATCH.pairs, Options(), resume=False) as journal:
        for number in range(count):
            journal.add(number, ROWS[number])


def test_rows_come_back_as_they_were(tmp_path: Path) -> None:
    written(tmp_path, 4)

    journal = Journal(tmp_path, MATCH.pairs, Options(), resume=True)

    assert journal.known == dict(enumerate(ROWS[:4]))


def test_a_run_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    written(tmp_path, 4)
    with Journal(tmp_path, MATCH.pairs, Options(), resume=True) as journal:
        rows = rows_of(MATCH.pairs, Options(), Alone(), known=journal.known, on_row=journal.add)

    assert tuple(rows) == ROWS
    assert Journal(tmp_path, MATCH.pairs, Options(), resume=True).known == dict(enumerate(ROWS))


def test_numbers_that_json_lacks_come_back_too(tmp_path: Path) -> None:
    row = replace(ROWS[0], values={"sqnr": math.inf, "cosine": -math.inf})
    with Journal(tmp_path, MATCH.pairs, Options(), resume=False) as journal:
        journal.add(0, row)

    assert Journal(tmp_path, MATCH.pairs, Options(), resume=True).known == {0: row}


def test_a_line_that_was_cut_off_is_measured_again_and_does_not_harm_the_next(tmp_path: Path) -> None:
    written(tmp_path, 3)
    path = tmp_path / NAME
    path.write_bytes(path.read_bytes()[:-20])

    with Journal(tmp_path, MATCH.pairs, Options(), resume=True) as journal:
        assert set(journal.known) == {0, 1}
        journal.add(2, ROWS[2])

    assert set(Journal(tmp_path, MATCH.pairs, Options(), resume=True).known) == {0, 1, 2}


@pytest.mark.parametrize(
    ("pairs", "options"),
    [
        pytest.param(MATCH.pairs[:5], Options(), id="other pairs"),
        pytest.param((replace(MATCH.pairs[0], rule="file-name"), *MATCH.pairs[1:]), Options(), id="another rule"),
        pytest.param(MATCH.pairs, Options(columns=(0, 1)), id="other columns"),
    ],
)
def test_rows_of_another_comparison_are_not_believed(tmp_path: Path, pairs: tuple[Pair, ...], options: Options) -> None:
    written(tmp_path, 4)

    assert Journal(tmp_path, pairs, options, resume=True).known == {}


def test_rows_of_files_that_have_changed_are_not_believed(tmp_path: Path) -> None:
    import numpy as np

    path = tmp_path / "run.npz"
    np.savez(path, a=np.ones(3))
    match = match_by_name(read_tensors(path), read_tensors(path))
    with Journal(tmp_path, match.pairs, Options(), resume=False) as journal:
        journal.add(0, compare_match(match).rows[0])
    assert Journal(tmp_path, match.pairs, Options(), resume=True).known
    np.savez(path, a=np.zeros(4))

    assert Journal(tmp_path, match.pairs, Options(), resume=True).known == {}


@pytest.mark.parametrize("text", ["", "nonsense", "[]", "{}", '{"compares": 3}\n[0, {}]'])
def test_a_file_that_is_no_journal_is_as_good_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_text(text)

    assert Journal(tmp_path, MATCH.pairs, Options(), resume=True).known == {}


def test_a_journal_with_broken_rows_is_refused_with_a_way_out(tmp_path: Path) -> None:
    written(tmp_path, 1)
    with (tmp_path / NAME).open("a") as file:
        file.write('[1, {"values": 3}]\n')

    with pytest.raises(FileError, match="Run again without --resume"):
        Journal(tmp_path, MATCH.pairs, Options(), resume=True)


def test_a_new_run_begins_a_new_journal(tmp_path: Path) -> None:
    written(tmp_path, 4)
    written(tmp_path, 1)

    assert set(Journal(tmp_path, MATCH.pairs, Options(), resume=True).known) == {0}


def test_a_journal_that_has_served_is_gone(tmp_path: Path) -> None:
    with Journal(tmp_path, MATCH.pairs, Options(), resume=False) as journal:
        journal.forget()

    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_to_is_a_sentence(tmp_path: Path) -> None:
    with (
        pytest.raises(FileError, match="Choose another folder"),
        Journal(tmp_path / "none", Match((made_pair(1),)).pairs, Options(), resume=False),
    ):
        pass
