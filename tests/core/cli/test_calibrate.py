"""`errorflow calibrate`."""

import csv
from hashlib import sha256
from pathlib import Path

import numpy as np
import onnx
import pytest
from PIL import Image

from errorflow.base.sample import SAMPLES
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


def test_channels_are_in_the_table_and_on_request_in_the_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loud = np.concatenate([floats(1, 3, 4, 4, seed=seed) for seed in range(5)])
    np.savez(folder / "x.npz", x=loud * np.array([1, 1, 99], np.float32)[:, np.newaxis, np.newaxis])
    assert calibrate(folder, "--data", str(folder / "x.npz")) == 0
    out = capsys.readouterr().out
    assert "Loud channels take bits from the others, most:\n  x: " in out
    row = table(folder)[0]
    assert (row["channels"], row["channel_axis"]) == ("3", "1")
    assert 50 < float(row["loudest_to_median_channel"]) < 200
    assert float(row["bits_lost"]) > 5
    assert not load_calibrations(folder / "calibration.json")[0].channels
    assert calibrate(folder, "--data", str(folder / "x.npz"), "--per-channel") == 0
    channels = load_calibrations(folder / "calibration.json")[0].channels
    assert channels["x"].highs == tuple((loud.max(axis=(0, 2, 3)) * np.array([1, 1, 99], np.float32)).tolist())
    assert len(channels) == 7


def test_a_plan_takes_them(folder: Path) -> None:
    plan = folder / "plan.json"
    plan.write_text('{"errorflow-plan": 1, "activations": {"dtype": "int8", "per_channel": true}, "weights": "float"}')
    simulate = ["simulate", str(folder / "m.onnx"), "--data", str(folder / "x.npz"), "--plan", str(plan), "--quick"]
    assert main([*simulate, "-out", str(folder / "new")]) == 0
    assert calibrate(folder, "--data", str(folder / "x.npz"), "--samples", "4", "--per-channel") == 0
    ranges = ["--calibration", str(folder / "calibration.json")]
    assert main([*simulate, *ranges, "-out", str(folder / "saved")]) == 0
    for out in ("new", "saved"):
        with (folder / out / "tensors.csv").open(encoding="utf-8", newline="") as file:
            assert {row["precision"] for row in csv.DictReader(file)} == {"int8 per channel"}


def test_a_plan_wants_ranges_that_have_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = folder / "plan.json"
    plan.write_text('{"errorflow-plan": 1, "activations": {"dtype": "int8", "per_channel": true}, "weights": "float"}')
    assert calibrate(folder, "--data", str(folder / "x.npz")) == 0
    options = ["--plan", str(plan), "--calibration", str(folder / "calibration.json"), "-out", str(folder)]
    assert main(["simulate", str(folder / "m.onnx"), "--data", str(folder / "x.npz"), *options]) == 2
    assert "Calibrate with --per-channel." in capsys.readouterr().err


def test_the_float_model_in_a_quantized_one_is_calibrated(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample = next(each for each in SAMPLES if each.key == "node_fault")
    data = ("--data", str(sample.calibration), "--samples", "4")
    out = folder / "of_int8.json"
    assert main(["calibrate", str(sample.candidate_model), *data, "--out", str(out)]) == 0
    assert f"of {sample.candidate_model.name} on 4 samples" in capsys.readouterr().out
    [found] = load_calibrations(out)
    assert found.facts["model digest"] == sha256(sample.candidate_model.read_bytes()).hexdigest()
    assert found.facts["quantized as"] == "QuantizeLinear and DequantizeLinear"
    float_ = folder / "of_float.json"
    assert main(["calibrate", str(sample.model), *data, "--out", str(float_)]) == 0
    [golden] = load_calibrations(float_)
    shared = found.ranges.keys() & golden.ranges.keys()
    assert len(shared) > 20
    assert found.ranges["image"].high == golden.ranges["image"].high
    simulate = ["simulate", str(sample.candidate_model), *data, "--calibration", str(out), "--quick"]
    assert main([*simulate, "-out", str(folder / "again")]) == 0
    assert "as onnxruntime, calibrated by minmax" in capsys.readouterr().out


def test_the_float_weights_of_a_quantized_model_are_taken_on_request(folder: Path) -> None:
    sample = next(each for each in SAMPLES if each.key == "node_fault")
    data = ("--data", str(sample.calibration), "--samples", "4")
    ranges = []
    for model_, more in ((sample.candidate_model, ("--reference", str(sample.model))), (sample.model, ())):
        assert main(["calibrate", str(model_), *data, *more, "--out", str(folder / "c.json")]) == 0
        ranges.append(load_calibrations(folder / "c.json")[0].ranges)
    name = next(iter(ranges[1]))
    assert ranges[0][name] == ranges[1][name]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], "There are no samples to run the model on."),
        (["--random", "-1"], "--random takes a number from 0 to 2,147,483,647."),
        (["--random", "1", "--samples", "0"], "--samples must be at least 1, and"),
        (["--random", "1", "--threads", "0"], "--threads must be at least 1, and 256 at most."),
        (["--random", "1", "--threads", "10000"], "--threads must be at least 1, and 256 at most."),
        (["--random", "1" + 20 * "0"], "--random takes a number from 0 to 2,147,483,647."),
        (["--random", "1", "--std", "inf"], "--std takes numbers, and “inf” is none."),
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
