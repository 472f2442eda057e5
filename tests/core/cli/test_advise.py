from pathlib import Path

import pytest

from errorflow.cli.main import main

HEAD = "Index,NPUDump,OverFlow,CosineSimilarity\n"


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "result.csv"
    path.write_text(f"{HEAD}0,data,NO,0.5\n1,a,NO,0.2\n")
    return str(path)


def test_the_summary_is_printed(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "-i", table]) == 0

    assert capsys.readouterr().out.startswith(
        "Detection Type: Global Consistency\nOperator Index: 0\nExpert Advice: The "
    )


def test_it_is_written_to_a_folder_that_is_made(table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new" / "out"

    assert main(["advise", "-i", table, "-input_nodes", "x;data", "-o", str(folder)]) == 0

    written = (folder / "advisor_summary.txt").read_text("utf-8")
    assert written.startswith("Detection Type: Input Inconsistent\nOperator Index: 0\n")
    assert capsys.readouterr().out == f"{written}Written to {folder / 'advisor_summary.txt'}.\n"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["-i", "none.csv"], 7), (["-i", "none.txt"], 24), (["-i", "x.csv", "-input_nodes", "a:0"], 1)],
)
def test_exit_codes_are_those_of_msaccucmp(arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", *arguments]) == code
    assert capsys.readouterr().err.startswith("errorflow: ")


def test_a_folder_that_cannot_be_made_is_a_sentence(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["advise", "-i", table, "-o", str(Path(table) / "out")]) == 2
    assert "could not be made" in capsys.readouterr().err
