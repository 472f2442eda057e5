"""Snapshots of RKNN's accuracy analysis."""

from pathlib import Path

import numpy as np
import pytest

from errorflow.base.errors import ErrorflowError, WrongFileError
from errorflow.formats.folders.dump import FolderDump
from errorflow.formats.folders.npy import NpyFolder
from errorflow.formats.runs import read_run

MAP = """layer_name                     file_name
--------------------------------------------------------------
/block/conv_out                _block_conv_out.txt
output                         output.txt
"""


def snapshot(top: Path) -> Path:
    for name, value in {"golden": 1.0, "simulator": 2.0}.items():
        (top / name / "npy").mkdir(parents=True)
        np.save(top / name / "npy" / "_block_conv_out.npy", np.full((1, 4), value, np.float32))
        (top / name / "_block_conv_out.txt").write_text("9\n" * 4)
        (top / name / "output.txt").write_text(f"{value}\n-1e-3\nnan\n")
    (top / "map_name_to_file.txt").write_text(MAP)
    return top


def opened(path: Path) -> FolderDump:
    run = read_run(path)
    assert isinstance(run, FolderDump)
    assert run.label == "RKNN snapshot"
    return run


@pytest.mark.parametrize(("run", "value"), [("golden", 1), ("simulator", 2)])
def test_a_run_has_the_layers_names(run: str, value: float, tmp_path: Path) -> None:
    dump = opened(snapshot(tmp_path) / run)

    assert dump.names() == ("/block/conv_out", "output")
    assert dump.read("/block/conv_out").tolist() == [[value] * 4]
    assert dump.problems == ()


def test_text_is_one_number_per_line(tmp_path: Path) -> None:
    dump = opened(snapshot(tmp_path) / "golden")

    assert dump.info("output").shape == (3,)
    assert dump.read("output").dtype == np.float32
    np.testing.assert_array_equal(dump.read("output"), np.array([1, -0.001, np.nan], np.float32))


def test_of_several_runs_none_is_guessed(tmp_path: Path) -> None:
    with pytest.raises(WrongFileError, match=r"holds 2 runs: golden, simulator\."):
        read_run(snapshot(tmp_path))


def test_without_the_map_names_are_those_of_the_files(tmp_path: Path) -> None:
    (snapshot(tmp_path) / "map_name_to_file.txt").unlink()

    assert opened(tmp_path / "golden").names() == ("_block_conv_out", "output")


def test_arrays_may_lie_beside_each_other(tmp_path: Path) -> None:
    for run in ("golden", "runtime"):
        (tmp_path / run).mkdir()
        np.save(tmp_path / run / "x.npy", np.ones(3))

    assert opened(tmp_path / "runtime").names() == ("x",)


@pytest.mark.parametrize(
    "text", ["1\ntwo\n3\n", "1 2 3\n", "1\n\n2\n", f"1\n{'1' * 200}\n", "1 " * 500_000, "9" * 3_000_000]
)
def test_text_that_is_none_is_a_sentence(text: str, tmp_path: Path) -> None:
    (snapshot(tmp_path) / "golden" / "output.txt").write_text(text)

    with pytest.raises(ErrorflowError):
        opened(tmp_path / "golden").read("output")


def test_long_text_is_read_in_pieces(tmp_path: Path) -> None:
    values = np.arange(300_000, dtype=np.float32)
    snapshot(tmp_path)
    (tmp_path / "golden" / "output.txt").write_text("\n".join(f"{value:.6f}" for value in values))

    np.testing.assert_array_equal(opened(tmp_path / "golden").read("output"), values)


def test_files_that_are_named_after_operators_are_no_snapshot(tmp_path: Path) -> None:
    """Folders of an Ascend comparison are called golden and simulator too."""
    for name in ("golden", "simulator"):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "conv1.0.1700000000000000.npy", np.ones(3, np.float32))
    assert isinstance(read_run(tmp_path / "golden"), NpyFolder)
