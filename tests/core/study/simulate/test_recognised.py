"""What samples are recognised as, in words."""

from pathlib import Path

import numpy as np
import pytest

from errorflow.run.model import ModelInput
from errorflow.run.samples.asked import Pictures, SampleSpec
from errorflow.study.simulate.recognised import Recognised, recognise

FIXED = (ModelInput("x", "float32", (1, 3, 4, 4)),)
OPEN = (ModelInput("x", "float32", ("N", 3, "H", "W")),)


def arrays(folder: Path, count: int, end: str = ".npy") -> Path:
    folder.mkdir(parents=True)
    for number in range(count):
        values = np.full((1, 3, 4, 4), number, np.float32)
        if end == ".npy":
            np.save(folder / f"{number}.npy", values)
        else:
            values.tofile(folder / f"{number}.bin")
    return folder


def photos(folder: Path) -> Path:
    from PIL import Image

    folder.mkdir()
    for number in range(2):
        Image.new("RGB", (8, 6), (number, 2, 3)).save(folder / f"{number}.png")
    return folder


def found(wanted: tuple[ModelInput, ...], *paths: Path, **asked: object) -> Recognised:
    return recognise(wanted, SampleSpec(tuple(map(str, paths)), **asked))  # type: ignore[arg-type]  # fields of Asked


def test_a_file_for_each_sample(tmp_path: Path) -> None:
    seen = found(FIXED, arrays(tmp_path / "x", 12))
    assert seen.text == "12 samples, one .npy each, for x float32 [1, 3, 4, 4]."
    assert (seen.kind, seen.count, seen.names[0], seen.problem) == ("arrays", 12, "0.npy", None)


def test_stacked_samples(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", x=np.zeros((5, 3, 4, 4), np.float32))
    assert found(FIXED, tmp_path / "x.npz").text == "5 samples, stacked in one file, for x float32 [1, 3, 4, 4]."


def test_sizes_that_the_data_has_are_not_asked_for(tmp_path: Path) -> None:
    seen = found(OPEN, arrays(tmp_path / "x", 2))
    assert seen.sizes == {"N": 1, "H": 4, "W": 4}
    assert seen.asks == ()


def test_raw_files_need_their_sizes(tmp_path: Path) -> None:
    folder = arrays(tmp_path / "x", 2, ".bin")
    seen = found(OPEN, folder)
    assert (seen.kind, seen.asks) == ("raw", ("N", "H", "W"))
    assert seen.problem is not None
    assert found(OPEN, folder, dims={"N": 1, "H": 4, "W": 4}).text.startswith("2 samples, one .bin each")


def test_pictures_need_a_size_to_be_brought_to(tmp_path: Path) -> None:
    folder = photos(tmp_path / "photos")
    seen = found(OPEN, folder, pictures=Pictures(resize="letterbox"))
    assert seen.kind == "pictures"
    assert seen.problem is not None
    assert seen.asks == ("H", "W")
    seen = found(OPEN, folder, pictures=Pictures(resize="letterbox"), dims={"H": 4, "W": 4})
    assert seen.text == "2 samples, one picture each, for x float32 [1, 3, 4, 4]."


def test_made_up_samples_say_so() -> None:
    seen = found(OPEN, seed=1, count=3, dims={"N": 1, "H": 4, "W": 4})
    assert seen.text == "3 samples of random values for x float32 [1, 3, 4, 4]."
    assert "say nothing about real data" in seen.notes[0]
    assert seen.asks == ("N", "H", "W")


def test_a_size_that_the_model_does_not_have_is_left_out(tmp_path: Path) -> None:
    assert found(FIXED, arrays(tmp_path / "x", 2), dims={"gone": 3}).problem is None


@pytest.mark.parametrize("shape", [(4, 4), (1, 4, 4, 3)])
def test_what_does_not_fit_is_a_sentence(shape: tuple[int, ...], tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros(shape, np.float32))
    seen = found(FIXED, tmp_path / "x.npy")
    assert seen.problem is not None and "x float32 [1, 3, 4, 4]" in seen.problem.message
    assert seen.count == 0


def test_nothing_that_samples_are_read_from(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")
    assert found(FIXED, tmp_path / "a.txt").problem is not None
    assert found(FIXED, tmp_path / "nowhere").problem is not None


@pytest.mark.parametrize("kind", ["text", "empty", "layout"])
def test_what_no_size_would_help_asks_for_none(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "x"
    folder.mkdir()
    if kind == "text":
        (folder / "a.txt").write_text("hello")
    elif kind == "layout":
        np.save(folder / "a.npy", np.zeros((1, 4, 4, 3), np.float32))
    seen = found(OPEN, folder)
    assert (seen.asks, seen.problem is None) == ((), False)


def test_a_size_that_was_said_wrong_can_be_said_again(tmp_path: Path) -> None:
    seen = found(OPEN, arrays(tmp_path / "x", 2, ".bin"), dims={"N": 1, "H": 5, "W": 5})
    assert (seen.asks, seen.problem is None) == (("N", "H", "W"), False)


def test_several_folders_are_one_after_the_other(tmp_path: Path) -> None:
    seen = found(FIXED, arrays(tmp_path / "a", 2), arrays(tmp_path / "b", 3))
    assert seen.text == "5 samples out of 2 files and folders for x float32 [1, 3, 4, 4]."
