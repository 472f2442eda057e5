"""`errorflow compare --pair …` and `--profile`."""

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from errorflow.cli.main import main
from npu_writer import NpuArray, write_npu

Run = Callable[..., int]
MINE = {"a": [1.0, 2.0], "b": [3.0, 4.5], "new": [5.0, 6.5]}
GOLDEN = {"a": [1.0, 2.0], "b": [3.0, 4.0], "old": [5.0, 6.0]}


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Compares two archives in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    for name, tensors in (("mine.npz", MINE), ("golden.npz", GOLDEN)):
        np.savez(name, **{key: np.array(values, np.float32) for key, values in tensors.items()})  # type: ignore[arg-type]  # numpy takes any name

    def calling(*words: str) -> int:
        return main(["compare", "-m", "mine.npz", "-g", "golden.npz", "-out", "out", "--workers", "1", *words])

    return calling


def rows() -> dict[tuple[str, str], dict[str, str]]:
    """By tensor and rule."""
    with Path("out/tensors.csv").open(newline="", encoding="utf-8") as file:
        return {(row["tensor"], row["rule"]): row for row in csv.DictReader(file)}


def test_two_left_overs_are_measured(call: Run) -> None:
    assert call("--pair", "new=old") == 0
    found = rows()
    assert float(found["new", "by hand"]["max_absolute_error"]) == 0.5
    assert len(found) == 3


def test_pairs_come_from_a_file_too(call: Run, capsys: pytest.CaptureFixture[str]) -> None:
    Path("pairs.csv").write_text("candidate,reference\nnew,old\nb,\n", encoding="utf-8")
    assert call("--pairs", "pairs.csv") == 0
    assert ("new", "by hand") in rows()
    assert "parted by hand" in capsys.readouterr().out


def test_an_option_counts_more_than_the_file(call: Run) -> None:
    Path("pairs.csv").write_text("new,old\n", encoding="utf-8")
    call("--pairs", "pairs.csv", "--pair", "new=b")
    assert float(rows()["new", "by hand"]["max_absolute_error"]) == 2.5


def test_what_is_not_there_is_said_and_the_rest_is_compared(call: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--pair", "new=gone") == 0
    assert "Matching by hand: the reference has no tensor gone." in capsys.readouterr().out
    assert ("a", "same tensor name") in rows()


@pytest.mark.parametrize("text", ["new", "="])
def test_what_is_no_pair_is_refused(call: Run, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--pair", text) != 0
    assert "is no pair" in capsys.readouterr().err


def test_it_makes_no_sense_for_one_operator(call: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--pair", "a=b", "-op", "a") != 0
    assert "whole runs" in capsys.readouterr().err


def test_two_dumps_of_npus_are_matched_by_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder, names in (("mine", ("conv", "fused")), ("golden", ("conv", "single"))):
        Path(folder).mkdir()
        for number, name in enumerate(names):
            path = Path(folder) / f"Relu.{name}.{number}.2.{1_700_000_000_000_000 + number}"
            write_npu(path, [], [NpuArray(np.array([1.0, 2.0], np.float16))])
    words = ("--pair", "fused:output:0=single:output:0", "-out", "out", "--workers", "1")
    main(["compare", "-m", "mine", "-g", "golden", *words])
    assert float(rows()["fused:output:0", "by hand"]["max_absolute_error"]) == 0


class TestProfile:
    def test_it_is_written_beside_the_tables(self, call: Run, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("--profile", "profile.svg") == 0
        assert Path("profile.svg").read_text(encoding="utf-8").startswith("<svg")
        assert "profile.svg" in capsys.readouterr().out

    def test_another_kind_of_picture_is_refused_before_anything_is_measured(
        self, call: Run, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert call("--profile", "profile.png") != 0
        assert "written as .svg" in capsys.readouterr().err
        assert not Path("out/tensors.csv").exists()
