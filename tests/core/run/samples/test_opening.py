"""What users have becomes samples."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from errorflow.base.errors import ErrorflowError, FormatError, UsageError, WrongFileError
from errorflow.graph.model import Shape
from errorflow.run.model import ModelInput
from errorflow.run.samples.asked import SampleSpec
from errorflow.run.samples.fitting import Fitted, split
from errorflow.run.samples.model import Samples
from errorflow.run.samples.naming import natural
from errorflow.run.samples.opening import open_samples
from errorflow.run.samples.sizes import parse_dims
from run_models import floats, savez

Arrays = Mapping[str, NDArray[Any]]
IMAGE = ModelInput("image", "float32", (1, 3, 4, 5))
OPEN = ModelInput("image", "float32", ("N", 3, "h", None))
SCALE = ModelInput("scale/0", "float32", (1, 2))
ALL = floats(3, 3, 4, 5)
SCALES = floats(3, 2, seed=1)


def opened(*paths: Path, wanted: tuple[ModelInput, ...] = (IMAGE,), **asked: Any) -> Fitted:
    return open_samples(wanted, SampleSpec(tuple(map(str, paths)), **asked))


def values(samples: Fitted, name: str = "image") -> NDArray[np.generic]:
    return np.concatenate([samples.read(number)[name] for number in range(samples.count)])


def npy_per_input(folder: Path) -> Path:
    for name, arrays in (("image", ALL), ("scale_0", SCALES)):
        (folder / name).mkdir()
        for number, array in enumerate(arrays):
            np.save(folder / name / f"{number}.npy", array[np.newaxis])
    return folder


def bin_per_input(folder: Path) -> Path:
    for name, arrays in (("image", ALL), ("scale_0", SCALES)):
        (folder / name).mkdir()
        for number, array in enumerate(arrays):
            array.tofile(folder / name / f"{number}.bin")
    return folder


def npz_per_sample(folder: Path) -> Path:
    for number in range(3):
        savez(folder / f"{number}.npz", {"image": ALL[number : number + 1], "scale/0": SCALES[number : number + 1]})
    return folder


def npz_stacked(folder: Path) -> Path:
    return savez(folder / "all.npz", {"image": ALL, "scale/0": SCALES})


def npz_stacked_anew(folder: Path) -> Path:
    return savez(folder / "all.npz", {"image": ALL[:, np.newaxis], "scale/0": SCALES[:, np.newaxis]})


def npz_stacked_in_a_folder(folder: Path) -> Path:
    npz_stacked(folder)
    return folder


def npy_stacked(folder: Path) -> Path:
    np.save(folder / "image.npy", ALL)
    np.save(folder / "scale_0.npy", np.asfortranarray(SCALES))
    return folder


@pytest.mark.parametrize(
    "save",
    [
        *(npy_per_input, bin_per_input, npz_per_sample, npz_stacked, npz_stacked_anew, npz_stacked_in_a_folder),
        npy_stacked,
    ],
)
def test_samples_of_several_inputs(save: Callable[[Path], Path], tmp_path: Path) -> None:
    samples = opened(save(tmp_path), wanted=(IMAGE, SCALE))
    assert samples.count == 3
    assert np.array_equal(values(samples), ALL)
    assert np.array_equal(values(samples, "scale/0"), SCALES)
    assert samples.notes == ()


def folder_of_npy(folder: Path) -> Path:
    for number, array in zip((2, 10, 11), ALL, strict=True):
        np.save(folder / f"shot{number}.npy", array[np.newaxis])
    return folder


def one_npy(folder: Path) -> Path:
    np.save(folder / "x.npy", ALL)
    return folder / "x.npy"


def one_bin(folder: Path) -> Path:
    ALL.tofile(folder / "x.bin")
    return folder / "x.bin"


def folder_of_bin(folder: Path) -> Path:
    for number, array in enumerate(ALL):
        array.tofile(folder / f"{number}.bin")
    return folder


@pytest.mark.parametrize("save", [folder_of_npy, one_npy, one_bin, folder_of_bin, npz_stacked])
def test_samples_of_one_input_need_no_names(save: Callable[[Path], Path], tmp_path: Path) -> None:
    assert np.array_equal(values(opened(save(tmp_path))), ALL)


def test_several_places_are_one_after_the_other(tmp_path: Path) -> None:
    paths = []
    for number, array in enumerate(ALL):
        np.save(tmp_path / f"{number}.npy", array[np.newaxis])
        paths.append(tmp_path / f"{number}.npy")
    samples = opened(*paths[::-1])
    assert np.array_equal(values(samples), ALL[::-1])
    assert [samples.name(number) for number in range(3)] == ["2.npy", "1.npy", "0.npy"]


def test_samples_of_a_stack_are_named_by_their_place(tmp_path: Path) -> None:
    assert opened(one_npy(tmp_path)).name(2) == "x.npy[2]"


def test_open_dimensions_are_those_of_the_files(tmp_path: Path) -> None:
    np.save(tmp_path / "0.npy", floats(1, 3, 7, 9))
    np.save(tmp_path / "1.npy", floats(2, 3, 6, 4))
    samples = opened(tmp_path, wanted=(OPEN,))
    assert [samples.read(number)["image"].shape for number in (0, 1)] == [(1, 3, 7, 9), (2, 3, 6, 4)]


def test_a_stack_for_an_open_batch_asks_how_many_at_once(tmp_path: Path) -> None:
    path = one_npy(tmp_path)
    with pytest.raises(UsageError) as caught:
        opened(path, wanted=(OPEN,))
    assert "--dim N=1" in caught.value.hint
    assert opened(path, wanted=(OPEN,), dims={"N": 1}).count == 3
    assert opened(path, wanted=(OPEN,), dims={"N": 3}).count == 1


@pytest.mark.parametrize("dims", [{"N": 1, "h": 4, "image[3]": 5}, {"image[0]": 1, "image[2]": 4, "image[3]": 5}])
def test_raw_values_need_all_but_one_dimension(dims: dict[str, int], tmp_path: Path) -> None:
    path = one_bin(tmp_path)
    with pytest.raises(UsageError) as caught:
        opened(path, wanted=(OPEN,))
    assert "--dim N=1 --dim h=224 --dim image[3]=224" in caught.value.hint
    assert np.array_equal(values(opened(path, wanted=(OPEN,), dims=dims)), ALL)


def test_a_batch_that_is_left_out_is_put_before(tmp_path: Path) -> None:
    np.save(tmp_path / "0.npy", ALL[0])
    samples = opened(tmp_path)
    assert samples.read(0)["image"].shape == (1, 3, 4, 5)
    assert samples.notes == ("image: a first dimension of 1 was put before each sample.",)


def test_other_types_are_converted_and_that_is_told(tmp_path: Path) -> None:
    np.save(tmp_path / "0.npy", ALL[:1].astype(np.float64))
    samples = opened(tmp_path)
    assert samples.read(0)["image"].dtype == np.float32
    assert samples.notes == ("image: float64 was converted to float32.",)


def test_made_up_samples_say_so(tmp_path: Path) -> None:
    samples = open_samples((IMAGE, SCALE), SampleSpec(seed=3, count=4))
    again = open_samples((IMAGE, SCALE), SampleSpec(seed=3, count=4))
    assert samples.made_up
    assert samples.count == 4
    assert "made up" in samples.notes[0]
    assert np.array_equal(values(samples), values(again))
    assert len(np.unique(values(samples))) > 200


def test_made_up_samples_need_all_sizes() -> None:
    with pytest.raises(UsageError) as caught:
        open_samples((OPEN,), SampleSpec(seed=1))
    assert "--dim N=1" in caught.value.hint
    assert open_samples((OPEN,), SampleSpec(seed=1, dims={"N": 2, "h": 3, "image[3]": 4})).read(0)["image"].shape == (
        *(2, 3, 3, 4),
    )


def test_an_optional_input_may_be_left_out(tmp_path: Path) -> None:
    optional = ModelInput("scale/0", "float32", (1, 2), optional=True)
    assert set(opened(npz_stacked(tmp_path), wanted=(IMAGE, optional)).read(0)) == {"image", "scale/0"}
    savez(tmp_path / "b.npz", {"image": ALL})
    assert set(opened(tmp_path / "b.npz", wanted=(IMAGE, optional)).read(0)) == {"image"}


def test_calibration_and_evaluation_are_kept_apart(tmp_path: Path) -> None:
    samples = opened(one_npy(tmp_path))
    calibration, evaluation, text = split(samples, 2)
    assert [calibration.name(number) for number in range(calibration.count)] == ["x.npy[0]", "x.npy[1]"]
    assert [evaluation.name(number) for number in range(evaluation.count)] == ["x.npy[2]"]
    assert np.array_equal(evaluation.read(0)["image"], ALL[2:])
    assert text == "The first 2 of 3 samples calibrate; the other 1 are left for evaluation."


@pytest.mark.parametrize("first", [None, 3, 9])
def test_where_none_are_left_that_is_said(first: int | None, tmp_path: Path) -> None:
    calibration, evaluation, text = split(opened(one_npy(tmp_path)), first)
    assert calibration.count == evaluation.count == 3
    assert "no others are left" in text


def digests(samples: Samples) -> list[str]:
    return [samples.digest(number) for number in range(samples.count)]


def test_samples_are_the_same_whatever_they_lie_in(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    stacked, apart = opened(one_npy(tmp_path)), opened(folder_of_npy(tmp_path / "a"))
    assert digests(stacked) == digests(apart)
    assert digests(split(stacked, 2)[0]) != digests(apart)


@pytest.mark.parametrize(
    ("shape", "wanted", "said"),
    [
        ((1, 4, 5, 3), (1, 3, 4, 5), "the layout NHWC, and the model wants NCHW"),
        ((1, 3, 4, 5), (1, 4, 5, 3), "the layout NCHW, and the model wants NHWC"),
        ((4, 5, 3), ("N", 3, 4, 5), "the layout HWC, and the model wants NCHW"),
        ((1, 3, 4, 6), (1, 3, 4, 5), "has the shape [1, 3, 4, 6]"),
        ((1, 3), (1, 3, 4, 5), "has the shape [1, 3]"),
    ],
)
def test_a_wrong_shape_is_named(shape: tuple[int, ...], wanted: Shape, said: str, tmp_path: Path) -> None:
    np.save(tmp_path / "7.npy", floats(*shape))
    with pytest.raises(UsageError) as caught:
        opened(tmp_path, wanted=(ModelInput("image", "float32", wanted),))
    assert said in caught.value.message
    assert "7.npy" in caught.value.message


def test_a_type_that_cannot_be_meant_names_the_sample(tmp_path: Path) -> None:
    np.save(tmp_path / "7.npy", ALL[:1] + 0.5)
    with pytest.raises(UsageError, match=r"^7\.npy: "):
        opened(tmp_path, wanted=(ModelInput("image", "int64", (1, 3, 4, 5)),))


def mixed(folder: Path) -> Path:
    np.save(folder / "a.npy", ALL)
    savez(folder / "b.npz", {"image": ALL})
    return folder


def lacking(folder: Path) -> Path:
    npy_per_input(folder)
    (folder / "scale_0").rename(folder / "other")
    return folder


def fewer(folder: Path) -> Path:
    npy_per_input(folder)
    (folder / "scale_0" / "2.npy").unlink()
    return folder


def text(folder: Path) -> Path:
    (folder / "a.txt").write_text("1")
    return folder / "a.txt"


def archive_without(folder: Path) -> Path:
    return savez(folder / "a.npz", {"image": ALL})


def objects(folder: Path) -> Path:
    np.save(folder / "a.npy", np.array([{}], object), allow_pickle=True)
    return folder


def archives_without(folder: Path) -> Path:
    savez(folder / "5.npz", {"image": ALL[:1]})
    return folder


@pytest.mark.parametrize(
    ("save", "kind", "said"),
    [
        (mixed, UsageError, "several kinds: .npz, .npy"),
        (lacking, UsageError, "no folder for the input scale/0"),
        (fewer, UsageError, "different numbers of samples: image 3, scale/0 2"),
        (text, WrongFileError, "nothing that samples are read from"),
        (lambda folder: folder, UsageError, "holds no samples"),
        (lambda folder: folder / "none", ErrorflowError, "There is no data at"),
        (archive_without, UsageError, "holds nothing for the model's input scale/0"),
        (archives_without, UsageError, "5.npz holds nothing for the model's input scale/0"),
        (folder_of_npy, UsageError, "does not say which of the model's 2 inputs"),
    ],
)
def test_what_is_wrong_is_a_sentence(
    save: Callable[[Path], Path], kind: type[ErrorflowError], said: str, tmp_path: Path
) -> None:
    with pytest.raises(kind) as caught:
        opened(save(tmp_path), wanted=(IMAGE, SCALE))
    assert said in caught.value.message
    assert caught.value.hint


def test_objects_are_never_loaded(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="Python objects"):
        opened(objects(tmp_path))


def test_nothing_at_all_names_the_ways() -> None:
    with pytest.raises(UsageError) as caught:
        open_samples((IMAGE,), SampleSpec())
    assert "--random" in caught.value.hint


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    outside, inside = tmp_path / "out", tmp_path / "in"
    outside.mkdir()
    inside.mkdir()
    np.save(outside / "x.npy", ALL[:1])
    (inside / "0.npy").symlink_to(outside / "x.npy")
    with pytest.raises(UsageError, match="holds no samples"):
        opened(inside)


@pytest.mark.parametrize("text", ["N", "N=", "N=0", "N=-1", "=3", "N=99999999999", "N=1.5"])
def test_a_size_that_is_none_is_a_sentence(text: str) -> None:
    with pytest.raises(UsageError, match="is no size"):
        parse_dims([text])


def test_sizes_are_read() -> None:
    assert parse_dims(["N=1", "x[2]=640", "a=b=3"]) == {"N": 1, "x[2]": 640, "a=b": 3}


def test_a_size_of_nothing_names_those_that_are_open(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no open dimension M") as caught:
        opened(one_npy(tmp_path), wanted=(OPEN,), dims={"M": 2})
    assert "N, h, image[3]" in caught.value.hint


@given(st.lists(st.integers(0, 10**6), unique=True))
def test_numbered_files_are_in_the_order_of_their_numbers(numbers: list[int]) -> None:
    names = [f"shot {number}.npy" for number in numbers]
    assert sorted(names, key=natural) == [f"shot {number}.npy" for number in sorted(numbers)]


@given(st.lists(st.text()))
def test_any_names_have_an_order(names: list[str]) -> None:
    assert len(sorted(names, key=natural)) == len(names)


def archives(folder: Path, shapes: list[tuple[int, ...]]) -> None:
    for number, shape in enumerate(shapes):
        savez(folder / f"{number}.npz", {"image": floats(*shape)})


def arrays(folder: Path, shapes: list[tuple[int, ...]]) -> None:
    for number, shape in enumerate(shapes):
        np.save(folder / f"{number}.npy", floats(*shape))


def raws(folder: Path, shapes: list[tuple[int, ...]]) -> None:
    for number, shape in enumerate(shapes):
        floats(*shape).tofile(folder / f"{number}.bin")


@pytest.mark.parametrize("save", [archives, arrays, raws])
def test_all_that_is_taken_is_checked_before_it_is_read(
    save: Callable[[Path, list[tuple[int, ...]]], None], tmp_path: Path
) -> None:
    save(tmp_path, [(1, 3, 4, 5), (1, 3, 4, 5), (1, 3, 5, 5)])
    samples = opened(tmp_path)
    split(samples, 2)[0].check()
    with pytest.raises(ErrorflowError, match=r"^2\.np|^2\.bin"):
        split(samples, 3)[0].check()


def test_what_can_be_brought_to_fit_passes_the_check(tmp_path: Path) -> None:
    arrays(tmp_path, [(3, 4, 5), (1, 3, 4, 5)])
    split(opened(tmp_path), None)[0].check()
    split(open_samples((IMAGE,), SampleSpec(seed=1)), None)[0].check()
