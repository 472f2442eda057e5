"""Pictures become arrays by the arithmetic that is documented."""

import tarfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from errorflow.base.errors import ErrorflowError, FormatError, UsageError
from errorflow.graph.model import Dim
from errorflow.run.model import ModelInput
from errorflow.run.samples import pictures, tar
from errorflow.run.samples.asked import Pictures, SampleSpec
from errorflow.run.samples.fitting import Fitted
from errorflow.run.samples.opening import open_samples
from errorflow.run.samples.resizing import PAD, RESIZES, bilinear

Pixels = NDArray[np.uint8]
# Its modes are written out in its types, one by one.
open_tar: Any = tarfile.open


def pixels(height: int, width: int, channels: int = 3, seed: int = 0) -> Pixels:
    return np.random.default_rng(seed).integers(0, 256, (height, width, channels), np.uint8)


def saved(path: Path, values: Pixels) -> Path:
    Image.fromarray(values[:, :, 0] if values.shape[2] == 1 else values).save(path)
    return path


def opened(
    path: Path, shape: Sequence[Dim] = (1, 3, 4, 6), dtype: str = "float32", dims: Any = None, **recipe: Any
) -> Fitted:
    want = ModelInput("x", dtype, tuple(shape))
    return open_samples((want,), SampleSpec((str(path),), {} if dims is None else dims, Pictures(**recipe)))


def test_pixels_are_laid_out_as_the_model_wants(tmp_path: Path) -> None:
    values = pixels(4, 6)
    path = saved(tmp_path / "a.png", values)
    assert np.array_equal(opened(path).read(0)["x"], values.transpose(2, 0, 1)[None])
    assert np.array_equal(opened(path, (1, 4, 6, 3)).read(0)["x"], values[None])
    assert np.array_equal(opened(path, colour="bgr").read(0)["x"], values[:, :, ::-1].transpose(2, 0, 1)[None])


def test_mean_and_std_are_those_of_the_models_channels(tmp_path: Path) -> None:
    values = pixels(4, 6)
    path = saved(tmp_path / "a.png", values)
    found = opened(path, (1, 4, 6, 3), colour="bgr", mean=(1.5, 2, 3), std=(2, 4, 8)).read(0)["x"]
    mean, std = np.array([1.5, 2, 3], np.float32), np.array([2, 4, 8], np.float32)
    wanted = (values[:, :, ::-1].astype(np.float32) - mean) / std
    assert np.array_equal(found[0], wanted)
    assert found.dtype == np.float32


def test_whole_types_get_whole_pixels(tmp_path: Path) -> None:
    found = opened(saved(tmp_path / "a.png", pixels(9, 9)), dtype="uint8", resize="stretch-bilinear").read(0)["x"]
    assert found.dtype == np.uint8


def test_a_model_of_one_channel_gets_grey(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.png", pixels(4, 6))
    assert np.array_equal(opened(path, (1, 1, 4, 6)).read(0)["x"][0, 0], np.asarray(Image.open(path).convert("L")))


def test_pictures_are_turned_as_the_camera_says(tmp_path: Path) -> None:
    values = pixels(6, 4)
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(values).save(tmp_path / "a.png", exif=exif)
    assert np.array_equal(opened(tmp_path / "a.png", (1, 4, 6, 3)).read(0)["x"][0], np.rot90(values, -1))


def test_folders_are_read_in_the_order_of_numbers_and_in_batches(tmp_path: Path) -> None:
    made = [pixels(4, 6, seed=number) for number in range(5)]
    for number, values in enumerate(made):
        saved(tmp_path / f"{number * 5}.png", values)
    samples = opened(tmp_path, (2, 4, 6, 3))
    assert samples.count == 2
    assert samples.name(1) == "10.png … 15.png"
    assert np.array_equal(samples.read(1)["x"], np.stack(made[2:4]))


@pytest.mark.parametrize("end", tar.ENDS)
def test_an_archive_is_read_without_unpacking_it(end: str, tmp_path: Path) -> None:
    values = pixels(4, 6)
    with open_tar(tmp_path / f"a{end}", f"w:{tar.ENDS[end]}") as archive:
        archive.add(saved(tmp_path / "b.png", values), "../../b.png")
        link = tarfile.TarInfo("a.png")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        archive.addfile(tarfile.TarInfo("readme.txt"))
    before = sorted(tmp_path.iterdir())
    samples = opened(tmp_path / f"a{end}", (1, 4, 6, 3))
    assert samples.count == 1
    assert np.array_equal(samples.read(0)["x"][0], values)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("end", tar.ENDS)
@given(data=st.binary(max_size=600))
def test_a_broken_archive_is_a_sentence(end: str, data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("tar") / f"a{end}"
    path.write_bytes(data)
    with pytest.raises(ErrorflowError):
        tar.read_tar(path)


@pytest.mark.parametrize("cut", [0.3, 0.7])
@pytest.mark.parametrize("end", [".tar.gz", ".tar"])
def test_an_archive_that_is_cut_off_is_a_sentence(end: str, cut: float, tmp_path: Path) -> None:
    path = tmp_path / f"a{end}"
    with open_tar(path, f"w:{tar.ENDS[end]}") as archive:
        archive.add(saved(tmp_path / "b.png", pixels(50, 60)), "b.png")
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * cut) if end == ".tar.gz" else int(9000 * cut)])
    with pytest.raises(FormatError):
        opened(path, (1, 50, 60, 3))


def test_too_large_an_archive_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tar, "MAX_TOTAL", 100)
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        archive.add(saved(tmp_path / "b.png", pixels(4, 6)), "b.png")
    with pytest.raises(FormatError, match="more than is read"):
        opened(tmp_path / "a.tar")


def test_an_archive_without_pictures_is_a_sentence(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w"):
        pass
    with pytest.raises(UsageError, match="holds no pictures"):
        opened(tmp_path / "a.tar")


def test_too_large_a_picture_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path / "a.png", pixels(4, 6))
    monkeypatch.setattr(pictures, "MAX_PIXELS", 20)
    with pytest.raises(FormatError, match="6 × 4 pixels; 20 is the most"):
        opened(path)


@given(data=st.binary(max_size=300), head=st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"BM", b"RIFF"]))
def test_a_broken_picture_is_a_sentence(data: bytes, head: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("broken") / "a.png"
    path.write_bytes(head + data)
    with pytest.raises(FormatError):
        opened(path)


@pytest.mark.parametrize(
    ("shape", "recipe", "said"),
    [
        ((1, 3, 5, 6), {}, "is 6 × 4 pixels, and the model wants"),
        ((1, 4, 4, 6), {"layout": "NCHW"}, "Pictures have 1 or 3 channels"),
        ((1, 4, 4, 6), {}, "Where the channels are cannot be told"),
        ((1, 3, 4, 3), {}, "Where the channels are cannot be told"),
        ((3, 4, 6), {}, "four dimensions"),
        ((1, 3, 4, 6), {"mean": (1.0, 2.0)}, "--mean has 2 numbers"),
        ((1, 3, 4, 6), {"std": (1.0, 0.0, 1.0)}, "cannot be 0"),
        ((1, 3, 4, 6), {"resize": "stretch"}, "no way to resize called “stretch”"),
        ((1, 3, "h", "w"), {}, "leaves the shape of an input open"),
    ],
)
def test_what_is_wrong_is_a_sentence(shape: Sequence[Dim], recipe: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        opened(saved(tmp_path / "a.png", pixels(4, 6)), shape, **recipe)
    assert said in caught.value.message
    assert caught.value.hint


def test_pictures_for_open_sizes_are_asked_for(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.png", pixels(4, 6))
    with pytest.raises(UsageError) as caught:
        opened(path, ("N", 3, "h", "w"))
    assert "--dim h=224" in caught.value.hint
    assert "--resize none" in caught.value.hint
    assert opened(path, ("N", 3, "h", "w"), resize="none").read(0)["x"].shape == (1, 3, 4, 6)
    sized = opened(path, ("N", 3, "h", "w"), resize="letterbox", dims={"h": 8, "w": 8})
    assert sized.read(0)["x"].shape == (1, 3, 8, 8)


def plain_bilinear(values: NDArray[Any], height: int, width: int) -> NDArray[np.float64]:
    """The documented sentence, a pixel at a time."""
    rows, columns = values.shape[:2]
    found = np.zeros((height, width, values.shape[2]))
    for row, column in product(range(height), range(width)):
        y = min(max((row + 0.5) * rows / height - 0.5, 0), rows - 1)
        x = min(max((column + 0.5) * columns / width - 0.5, 0), columns - 1)
        top, left = int(y), int(x)
        below, right = min(top + 1, rows - 1), min(left + 1, columns - 1)
        upper = values[top, left] * (1 - (x - left)) + values[top, right] * (x - left)
        lower = values[below, left] * (1 - (x - left)) + values[below, right] * (x - left)
        found[row, column] = upper * (1 - (y - top)) + lower * (y - top)
    return found


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 12), st.integers(1, 12))
def test_bilinear_is_what_it_says(rows: int, columns: int, height: int, width: int) -> None:
    values = pixels(rows, columns)
    found = bilinear(values.astype(np.float32), height, width)
    assert found == pytest.approx(plain_bilinear(values.astype(np.float64), height, width), abs=1e-3)


@pytest.mark.parametrize("key", [row.key for row in RESIZES])
@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 20), st.integers(1, 20))
def test_any_picture_gets_the_size(key: str, rows: int, columns: int, height: int, width: int) -> None:
    [row] = [row for row in RESIZES if row.key == key]
    found = row.resize(Image.fromarray(pixels(rows, columns)), height, width)
    assert found.shape == (height, width, 3)
    assert (found >= 0).all()
    assert (found <= 255).all()


def resized(key: str, values: Pixels, height: int, width: int) -> NDArray[np.float32]:
    [row] = [row for row in RESIZES if row.key == key]
    return row.resize(Image.fromarray(values), height, width)


def test_a_letterbox_keeps_proportions_in_the_middle() -> None:
    values = pixels(4, 8)
    found = resized("letterbox", values, 9, 8)
    assert np.array_equal(found[2:6], values)
    assert (found[[0, 1, 6, 7, 8]] == PAD).all()


def test_a_crop_keeps_the_middle() -> None:
    values = pixels(4, 10)
    assert np.array_equal(resized("centre-crop", values, 4, 4), values[:, 3:7])


def test_the_crop_of_imagenet_is_that_of_pillow() -> None:
    picture = Image.fromarray(pixels(60, 100))
    wanted = picture.resize((26, 16), Image.Resampling.BILINEAR).crop((6, 1, 20, 15))
    assert np.array_equal(resized("imagenet-crop", pixels(60, 100), 14, 14), np.asarray(wanted))


def test_stretching_with_antialias_is_pillows() -> None:
    picture = Image.fromarray(pixels(60, 100))
    wanted = np.asarray(picture.resize((7, 9), Image.Resampling.BILINEAR))
    assert np.array_equal(resized("stretch-antialias", pixels(60, 100), 9, 7), wanted)
