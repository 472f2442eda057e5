import json
from pathlib import Path

import pytest

from errorflow.cli.main import main
from errorflow.compare.results import RESULTS, Importer
from result_samples import DATA, sample

RKNN = str(DATA / "rknn-error-analysis.txt")
PULSAR2 = str(DATA / "pulsar2.txt")


def _printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["results", *arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("form", [(), ("--json",), ("--csv",), ("--worst", "2")], ids=" ".join)
@pytest.mark.parametrize("row", RESULTS, ids=lambda row: row.key)
def test_every_kind_is_printed_in_every_form(
    row: Importer, form: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["results", str(sample(row.key, tmp_path)), *form])

    captured = capsys.readouterr()
    assert (code == 0) == bool(captured.out)
    assert code == 0 or "cannot be ranked" in captured.err


def test_a_table_stands_below_its_formulas(capsys: pytest.CaptureFixture[str]) -> None:
    lines = _printed(capsys, RKNN).splitlines()

    assert lines[0] == "RKNN error analysis (Toolkit 2)"
    assert lines[1].startswith("  simulator entire cos [rknn.entire.cos]: accumulated, higher is better: Σ r·c")
    columns = [f"simulator {measure} {name}" for measure in ("entire", "single") for name in ("cos", "euc")]
    assert lines[6].split() == ["name", "type", *" ".join(columns).split()]
    assert len(lines) == 7 + 20


def test_the_worst_are_asked_for_by_a_column(capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(_printed(capsys, RKNN, "--worst", "2", "--by", "rknn.single.euc", "--json"))

    assert [row["name"] for row in data["tables"][0]["rows"]] == ["h7_out", "r6_out"]


def test_one_of_several_tables_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    lines = _printed(capsys, PULSAR2, "--table", "2", "--csv").splitlines()

    assert lines[0] == "name,type,dtype,shape,Cosin,MSE,notes,Operator,QDType"
    assert len(lines) == 4


def test_all_tables_are_printed_one_below_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    text = _printed(capsys, PULSAR2)

    assert text.count("\nPulsar2 ") == 2


def test_problems_stand_below(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ppq.txt"
    path.write_text((DATA / "ppq.txt").read_text("utf-8").partition("\n")[2], "utf-8")

    assert "\n! The line that says whether" in _printed(capsys, str(path))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([PULSAR2, "--table", "9"], "There is no table 9"),
        ([RKNN, "--by", "nothing"], "cannot be ranked by nothing"),
        ([str(DATA / "README.md")], "holds no results"),
        (["none.txt"], "There is no file"),
    ],
)
def test_what_is_not_there_is_a_sentence(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["results", *arguments]) == 2
    assert message in capsys.readouterr().err
