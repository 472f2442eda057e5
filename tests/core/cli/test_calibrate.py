"""`errorflow calibrate`."""

import csv
from pathlib import Path

import numpy as np
import onnx
import pytest
from PIL import Image

from errorflow.cli.main import main
from errorflow.quant.calibrate import METHODS
from errorflow.quant.calibrate.saved import load_calibrations
from onnx_models import graph, model, relu, value
from run_models import floats, net


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    onnx.save(net(), tmp_path / "m.onnx")
    samples = np.concatenate([floats(1, 3, 4, 4, seed=seed) for seed in range(5)])
    samples[0, 0, 0, 0] = 60
    np.savez(tmp_path / "x.npz", x=samples)
    return tmp_path


def calibrate(folder: Path, *options: str) -> int:
    where = [] if "--out" in options else ["--out", str(folder / "calibration.json")]
    return main(["calibrate", str(folder / "m.onnx"), *options, *where])


def table(folder: Path) -> list[dict[str, str]]:
    with (folder / "tensors.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_it_writes_the_ranges_and_a_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert calibrate(folder, "--data", str(folder / "x.npz")) == 0
    out = capsys.readouterr().out
    assert out.startswith("7 tensors of m.onnx on 5 samples. All 5 samples calibrate; no others are left")
    assert "Least SQNR of uint8 codes:\n" in out
    [found] = load_calibrations(folder / "calibration.json")
    assert (found.method, found.samples) == ("minmax", 5)
    rows = table(folder)
    assert [row["tensor"] for row in rows] == ["x", "c1", "r1", "c2", "s", "f", "y"]
    assert (rows[1]["node"], rows[1]["type"], rows[1]["clipped_share"]) == ("conv1", "Conv", "0")
    assert all(float(row["sqnr_uint8_db"]) > 20 for row in rows[2:])
    assert float(rows[0]["high"]) == found.ranges["x"].high == 60


def test_methods_are_compared_tensor_by_tensor(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert calibrate(folder, "--data", str(folder / "x.npz"), "--methods", "all", "--samples", "4") == 0
    out = capsys.readouterr().out
    assert "The first 4 of 5 samples calibrate; the other 1 are left for evaluation." in out
    assert "Methods differ in " in out
    assert len(load_calibrations(folder / "calibration.json")) == len(METHODS)
    assert len(table(folder)) == 7 * len(METHODS)


def test_methods_that_agree_are_said_to(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    calibrate(folder, "--data", str(folder / "x.npz"), "--method", "minmax,percentile")
    assert "All methods serve uint8 codes alike, within 0.5 dB." in capsys.readouterr().out


def test_the_codes_that_ranges_are_for_are_judged_too(folder: Path) -> None:
    options = ("--data", str(folder / "x.npz"), "--type", "int16", "--symmetric", "--method", "mse")
    assert calibrate(folder, *options) == 0
    first = table(folder)[1]
    assert float(first["sqnr_int16_symmetric_db"]) > float(first["sqnr_int8_symmetric_db"]) + 30
    assert load_calibrations(folder / "calibration.json")[0].facts["precision"] == "int16 symmetric"


def test_pictures_are_prepared_as_the_options_say(folder: Path) -> None:
    (folder / "photos").mkdir()
    for number, colour in enumerate(((255, 0, 0), (0, 51, 0))):
        Image.new("RGB", (9, 7), colour).save(folder / "photos" / f"{number}.png")
    pictures = ("--data", str(folder / "photos"), "--resize", "letterbox", "--mean", "0,51,0", "--std", "255")
    assert calibrate(folder, *pictures) == 0
    first = table(folder)[0]
    assert (float(first["low"]), float(first["high"])) == pytest.approx((-0.2, 1.0))


def test_open_sizes_are_asked_for_and_taken(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main_graph = graph(relu(), inputs=[value("x", ("N", 3))], outputs=[value("y", None)])
    onnx.save(model(main_graph), folder / "m.onnx")
    np.save(folder / "x.npy", floats(4, 3))
    assert calibrate(folder, "--data", str(folder / "x.npy")) == 2
    assert "Say it with --dim N=1" in capsys.readouterr().err
    assert calibrate(folder, "--data", str(folder / "x.npy"), "--dim", "N=1") == 0
    assert capsys.readouterr().out.startswith("2 tensors of m.onnx on 4 samples.")


def test_made_up_samples_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert calibrate(folder, "--random", "3", "--samples", "2") == 0
    out = capsys.readouterr().out
    assert "on 2 samples" in out
    assert "The samples are made up, random values of seed 3" in out


def test_a_folder_as_the_result_takes_both_files(folder: Path) -> None:
    (folder / "out").mkdir()
    assert calibrate(folder, "--data", str(folder / "x.npz"), "--out", str(folder / "out")) == 0
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["calibration.json", "tensors.csv"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], "There are no samples to run the model on."),
        (["--random", "-1"], "--random takes a number from 0 on."),
        (["--random", "1", "--samples", "0"], "--samples must be at least 1."),
        (["--random", "1", "--threads", "0"], "--threads must be at least 1."),
        (["--random", "1", "--method", "kl"], "There is no calibration method “kl”."),
        (["--random", "1", "--type", "int7"], "There are no codes of the type int7."),
        (["--random", "1", "--dim", "N"], "“N” is no size."),
        (["--random", "1", "--mean", "a,b"], "--mean takes numbers, and “a,b” is none."),
    ],
)
def test_what_is_wrong_is_a_sentence(
    options: list[str], sentence: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert calibrate(folder, *options) == 2
    assert sentence in capsys.readouterr().err


def test_it_never_takes_the_place_of_its_data(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (folder / "x.npz").read_bytes()
    assert calibrate(folder, "--data", str(folder / "x.npz"), "--out", str(folder / "x.npz")) == 2
    assert "would take the place of what is given" in capsys.readouterr().err
    assert (folder / "x.npz").read_bytes() == before
