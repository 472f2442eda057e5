import json
from pathlib import Path

import numpy as np
import pytest

from errorflow.cli.given import USER_ERROR
from errorflow.cli.main import main


@pytest.fixture
def sides(tmp_path: Path) -> tuple[str, str]:
    values = np.random.default_rng(0).random((1, 3, 32, 32)).astype(np.float32)
    for name, given in (("a", values), ("b", values[:, ::-1])):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "preprocessed.npy", given)
    return str(tmp_path / "a"), str(tmp_path / "b")


def test_pipelines_that_differ_are_told_apart_by_the_exit_code(
    sides: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["align", *sides]) == 1
    assert "RGB on one side is BGR on the other" in capsys.readouterr().out
    assert main(["align", sides[0], sides[0]]) == 0


def test_what_was_found_is_written(sides: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["align", *sides, "--json", "-out", str(tmp_path / "out")])
    printed = json.loads(capsys.readouterr().out)
    assert printed["fault"] == "input" and printed["rows"][0]["keys"] == ["channels"]
    assert json.loads((tmp_path / "out" / "alignment.json").read_text()) == printed
    assert (tmp_path / "out" / "alignment.csv").read_text().startswith("step,name,tolerance")


def test_single_files_can_be_named(sides: tuple[str, str], tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones(3))
    np.save(tmp_path / "y.npy", np.ones(3) + 0.05)
    files = [str(tmp_path / "x.npy"), str(tmp_path / "y.npy")]
    assert main(["align", "--result", *files]) == 1
    assert main(["align", "--result", *files, "--tolerance", "result=0.1"]) == 0
    assert main(["align", *sides, "--output", *files, "--tolerance", "2"]) == 0


@pytest.mark.parametrize(
    "arguments", [[], ["only one"], ["a", "b", "c"], ["a", "b", "--tolerance", "x"], ["a", "b", "--tolerance", "foo=1"]]
)
def test_calls_that_make_no_sense_are_a_sentence(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["align", *arguments]) == USER_ERROR
    assert capsys.readouterr().err.startswith("errorflow: ")
