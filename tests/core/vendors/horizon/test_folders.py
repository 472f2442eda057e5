"""Calibration data of Horizon's tools."""

from pathlib import Path

import numpy as np

from errorflow.formats.folders.dump import FolderDump
from errorflow.formats.runs import read_run


def calibration(top: Path, samples: int = 12) -> Path:
    for name, value in {"image": 1, "mask": 2}.items():
        (top / name).mkdir(parents=True)
        for number in range(samples):
            np.save(top / name / f"{number}.npy", np.full((1, 2), value * 100 + number, np.float32))
    return top


def opened(path: Path) -> FolderDump:
    run = read_run(path)
    assert isinstance(run, FolderDump)
    return run


def test_every_sample_of_every_input_is_there(tmp_path: Path) -> None:
    run = opened(calibration(tmp_path))

    assert run.names()[:3] == ("image/0", "image/1", "image/2")
    assert len(run.names()) == 24
    assert run.read("mask/11").tolist() == [[211, 211]]


def test_a_sample_that_lacks_an_input_is_a_problem(tmp_path: Path) -> None:
    (calibration(tmp_path) / "mask" / "7.npy").unlink()

    assert [problem.text for problem in opened(tmp_path).problems] == ["1 samples lack an input, the first is 7."]


def test_anything_else_beside_makes_it_a_folder_of_arrays(tmp_path: Path) -> None:
    np.save(calibration(tmp_path) / "other.npy", np.ones(2))

    assert read_run(tmp_path).label == "folder of NumPy arrays"


def test_numbers_that_are_no_number_of_a_sample_are_plain_arrays(tmp_path: Path) -> None:
    np.save(calibration(tmp_path) / "mask" / "007.npy", np.ones(2))

    assert "mask/007" in read_run(tmp_path).names()
