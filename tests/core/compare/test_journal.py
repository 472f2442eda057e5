"""What survives the end of a process: whole rows of the same comparison, and nothing else."""

import json
import math
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errorflow.base.codec import as_json
from errorflow.base.errors import FileError
from errorflow.base.files import Source
from errorflow.compare import compare_match
from errorflow.compare.executors import Alone
from errorflow.compare.journal import NAME, Journal, JournalRow, fingerprint
from errorflow.compare.match.model import Match, Pair
from errorflow.compare.model import Options
from errorflow.compare.pairs import match_by_name, rows_of
from errorflow.formats import read_tensors
from errorflow.formats.folders.pieces import JoinedStored
from errorflow.formats.npu.file import NpuFile
from errorflow.graph.qparams import QParams
from errorflow.vendors.ascend.comparers.printing import MsaccucmpPrinter, custom_columns
from npu_writer import NpuArray, write_npu
from stored_tensors import made_match, made_pair

MATCH = made_match(6)
ROWS = compare_match(MATCH, crew=Alone()).rows


def left(folder: Path) -> Path:
    """The one journal in the folder."""
    (found,) = folder.glob(NAME.format("*"))
    return found


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
    path = left(tmp_path)
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
        pytest.param(MATCH.pairs, Options(MsaccucmpPrinter((0, 1))), id="other columns"),
    ],
)
def test_rows_of_another_comparison_are_not_believed(tmp_path: Path, pairs: tuple[Pair, ...], options: Options) -> None:
    written(tmp_path, 4)

    assert Journal(tmp_path, pairs, options, resume=True).known == {}


def test_rows_of_files_that_have_changed_are_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    np.savez(path, a=np.ones(3))
    match = match_by_name(read_tensors(path), read_tensors(path))
    with Journal(tmp_path, match.pairs, Options(), resume=False) as journal:
        journal.add(0, compare_match(match).rows[0])
    assert Journal(tmp_path, match.pairs, Options(), resume=True).known
    np.savez(path, a=np.zeros(4))

    assert Journal(tmp_path, match.pairs, Options(), resume=True).known == {}


def test_rows_of_the_users_own_code_that_has_changed_are_not_believed(tmp_path: Path) -> None:
    script = tmp_path / "own" / "algorithm" / "alg_mine.py"
    script.parent.mkdir(parents=True)
    script.write_text("def compare(mine, golden, args): return '1', ''")
    options = Options(MsaccucmpPrinter(custom_columns(tmp_path / "own")), str(tmp_path / "own"))
    before = fingerprint(MATCH.pairs, options)

    script.write_text("def compare(mine, golden, args): return '22', ''")

    assert fingerprint(MATCH.pairs, options) != before


@pytest.mark.parametrize(
    "other", [{"way": "npu"}, {"speaker": "conv"}, {"layout": "NHWC"}, {"qparams": QParams((0.5,))}]
)
def test_what_decides_how_a_pair_is_measured_is_part_of_the_comparison(other: dict[str, Any]) -> None:
    changed = (replace(MATCH.pairs[0], **other), *MATCH.pairs[1:])

    assert fingerprint(changed, Options()) != fingerprint(MATCH.pairs, Options())


def test_every_piece_of_a_tensor_that_was_put_together_counts(tmp_path: Path) -> None:
    files = [write_npu(tmp_path / f"{at}", [], [NpuArray(np.ones(2, np.float32))]) for at in range(2)]
    parts = tuple(NpuFile.of(Source(file)).stored("output:0") for file in files)
    whole = JoinedStored(replace(parts[0].info, shape=(4,)), parts, ((2,), (2,)), 0)
    pairs = (replace(MATCH.pairs[0], candidate=whole),)
    before = fingerprint(pairs, Options())

    os.utime(files[1], ns=(1, 1))

    assert fingerprint(pairs, Options()) != before


def test_names_of_files_need_not_be_text() -> None:
    assert fingerprint((replace(MATCH.pairs[0], tensor="\udcff"),), Options())


def test_a_link_in_place_of_the_journal_goes_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    written(tmp_path, 1)
    place = left(tmp_path)
    place.unlink()
    place.symlink_to(tmp_path / "precious")

    assert Journal(tmp_path, MATCH.pairs, Options(), resume=True).known == {}
    written(tmp_path, 2)

    assert (tmp_path / "precious").read_text() == "precious"
    assert not place.is_symlink()


def test_a_pipe_in_place_of_the_journal_is_not_waited_for(tmp_path: Path) -> None:
    written(tmp_path, 0)
    place = left(tmp_path)
    place.unlink()
    os.mkfifo(place)

    assert Journal(tmp_path, MATCH.pairs, Options(), resume=True).known == {}
    written(tmp_path, 1)

    assert place.is_file()


def test_two_comparisons_in_one_folder_do_not_meet(tmp_path: Path) -> None:
    with Journal(tmp_path, MATCH.pairs[:3], Options(), resume=False) as other:
        written(tmp_path, 2)
        other.add(1, ROWS[1])
        other.forget()

    assert set(Journal(tmp_path, MATCH.pairs, Options(), resume=True).known) == {0, 1}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no disk that is always full")
def test_a_full_disk_is_a_sentence(tmp_path: Path) -> None:
    with Journal(tmp_path, MATCH.pairs, Options(), resume=False) as journal, Path("/dev/full").open("wb") as full:
        (place,) = (fd for fd in Path("/proc/self/fd").iterdir() if fd.exists() and fd.samefile(left(tmp_path)))
        os.dup2(full.fileno(), int(place.name))

        with pytest.raises(FileError, match="no space left on device"):
            journal.add(0, ROWS[0])


@pytest.mark.parametrize("text", ["", "nonsense", "[]", "{}", '{"compares": 3}\n[0, {}]'])
def test_a_file_that_is_no_journal_is_as_good_as_none(tmp_path: Path, text: str) -> None:
    written(tmp_path, 0)
    left(tmp_path).write_text(text)

    assert Journal(tmp_path, MATCH.pairs, Options(), resume=True).known == {}


def test_a_journal_with_broken_rows_is_refused_with_a_way_out(tmp_path: Path) -> None:
    written(tmp_path, 1)
    with left(tmp_path).open("a") as file:
        file.write('[1, {"values": 3}]\n')

    with pytest.raises(FileError, match="Run again without --resume"):
        Journal(tmp_path, MATCH.pairs, Options(), resume=True)


@pytest.mark.parametrize(
    "row",
    [
        {"values": {"cosine": "a text"}},
        {"values": ["cosine"]},
        {"sides": [{"nan": "many", "inf": 0, "low": 0, "high": 0}, None]},
        {"unique": {"count": None, "more": False}},
        {"channels": {"axis": 1}},
        {"measured_shape": ["a"]},
    ],
)
def test_rows_that_hold_no_numbers_of_ours_are_refused(tmp_path: Path, row: dict[str, Any]) -> None:
    written(tmp_path, 1)
    path = left(tmp_path)
    path.write_text(
        f"{path.read_text().splitlines()[0]}\n{json.dumps([0, json.loads(as_json(JournalRow.of(ROWS[0]))) | row])}\n"
    )
    with pytest.raises(FileError, match="cannot be read"):
        Journal(tmp_path, MATCH.pairs, Options(), resume=True)


def test_a_line_that_is_nested_without_end_is_no_row(tmp_path: Path) -> None:
    written(tmp_path, 1)
    with left(tmp_path).open("a") as file:
        file.write("[" * 500_000 + "\n")
    assert Journal(tmp_path, MATCH.pairs, Options(), resume=True).known == {0: ROWS[0]}


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
