"""Small comparisons that were made up and given to msaccucmp: our tables are the same, cell by cell."""

import csv
import json
import shutil
from pathlib import Path

import pytest

from errorflow.cli.main import main

CASES = sorted(path for path in (Path(__file__).parents[2] / "data" / "compare").iterdir() if path.is_dir())


def rows(path: Path, folder: Path) -> list[list[str]]:
    """Paths are relative to where the tool was run."""
    with path.open(newline="", encoding="utf-8") as file:
        return [[cell.replace(f"{folder.resolve()}/", "") for cell in row] for row in csv.reader(file)]


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_every_cell_and_the_exit_code_are_those_of_the_tool(
    case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = shutil.copytree(case, tmp_path / "case")
    monkeypatch.chdir(place)

    code = main(["compare", *json.loads((case / "call.txt").read_text()), "-out", "out", "--workers", "1"])

    (table,) = [*(place / "out").glob("result_*.csv"), *(place / "out").glob("mapping_*.csv")]
    assert rows(table, place) == rows(case / "expected.csv", place)
    assert code == int((case / "exit.txt").read_text())


def test_there_are_cases_of_every_way() -> None:
    calls = {
        frozenset(word for word in json.loads((case / "call.txt").read_text()) if word[0] == "-") for case in CASES
    }

    assert {
        frozenset(options.split()) for options in ("-m -g", "-m -g -f", "-m -g -f -q", "-m -g -f -cf", "-m -g -q")
    } <= calls
