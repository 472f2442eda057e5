"""Right answers in files, and in the folders that samples lie in."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.base.errors import ErrorflowError, FormatError, UsageError
from errorflow.run.model import ModelInput
from errorflow.run.samples.asked import SampleSpec
from errorflow.run.samples.fitting import SampleSlice
from errorflow.run.samples.opening import open_samples
from errorflow.study.evaluate.labels import Labels, by_class, read_labels, right_answers


@pytest.mark.parametrize(
    ("name", "text", "values", "names"),
    [
        ("labels.txt", "3\n1\n2\n", (3, 1, 2), ()),
        ("labels.txt", "a.npy 3\nb c.npy 1\n", (3, 1), ("a.npy", "b c.npy")),
        ("labels.csv", "name,label\na.npy,3\nb.npy,1\n", (3, 1), ("a.npy", "b.npy")),
        ("labels.csv", '"a,b.npy",3\n# nothing\n\nc,1\n', (3, 1), ("a,b.npy", "c")),
        ("labels.csv", "\ufeffa;7\n", (7,), ("a",)),
    ],
)
def test_labels_of_text(tmp_path: Path, name: str, text: str, values: tuple[int, ...], names: tuple[str, ...]) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    assert read_labels(path) == Labels(values, names)


def test_labels_of_an_array(tmp_path: Path) -> None:
    np.save(tmp_path / "y.npy", np.array([[4], [0]], np.float32))
    assert read_labels(tmp_path / "y.npy") == Labels((4, 0))


@pytest.mark.parametrize("text", ["", "# only\n", "one\ntwo\n", "1\na 2\n", "-1\n", "99999999999\n", "1.5\n"])
def test_what_are_no_labels_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "labels.txt"
    path.write_text(text, "utf-8")
    with pytest.raises(ErrorflowError) as told:
        read_labels(path)
    assert "labels.txt" in told.value.message


def test_an_array_of_halves_holds_no_labels(tmp_path: Path) -> None:
    np.save(tmp_path / "y.npy", np.array([0.5, 1.0]))
    with pytest.raises(ErrorflowError, match="no whole numbers"):
        read_labels(tmp_path / "y.npy")


def test_labels_in_order_are_those_of_the_samples_that_are_evaluated() -> None:
    assert Labels((5, 6, 7, 8)).of(["c", "d"], first=2) == (7, 8)
    with pytest.raises(UsageError, match="4 labels for 5 samples"):
        Labels((5, 6, 7, 8)).of(["d", "e"], first=3)


def test_labels_by_name_are_found_with_and_without_suffix_in_any_order() -> None:
    labels = Labels((5, 6, 7), ("a", "sub/b.npy", "c.npy"))
    assert labels.of(["c.npy", "b.npy", "a.npy"]) == (7, 6, 5)
    with pytest.raises(UsageError, match=r"1 of 2 samples have no label, such as d\.npy"):
        labels.of(["a.npy", "d.npy"])


@pytest.mark.parametrize(("folders", "classes"), [(("0", "2", "10"), (0, 2, 10)), (("cat", "dog", "owl"), (0, 1, 2))])
def test_a_folder_per_class_is_mixed_so_that_the_first_samples_are_of_each(
    tmp_path: Path, folders: tuple[str, ...], classes: tuple[int, ...]
) -> None:
    for folder in folders:
        (tmp_path / folder).mkdir()
        for number in range(2):
            np.save(tmp_path / folder / f"{number}.npy", np.zeros(3, np.float32))
    found = by_class(SampleSpec((str(tmp_path),)), ["x"])
    assert found is not None
    asked, labels = found
    assert labels.values == (*classes, *classes)
    assert [Path(path).parent.name for path in asked.paths] == [*folders, *folders]


def test_folders_of_inputs_are_no_classes(tmp_path: Path) -> None:
    for name in ("x", "mask"):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "0.npy", np.zeros(3, np.float32))
    assert by_class(SampleSpec((str(tmp_path),)), ["x", "mask"]) is None


@given(st.binary(max_size=200))
def test_whatever_is_in_a_file_is_labels_or_a_sentence(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("labels") / "labels.txt"
    path.write_bytes(data)
    try:
        assert read_labels(path).values
    except (FormatError, ErrorflowError) as error:
        assert error.hint


NESTED = Labels((1, 2, 3), ("train/0.npy", "val/0.npy", "val\\1.npy"))


def test_labels_of_equal_names_go_by_the_folders_of_samples() -> None:
    assert NESTED.of(["/data/val/0.npy", "/data/val/1.npy", "/data/train/0.npy"]) == (2, 3, 1)


def test_labels_without_a_suffix_go_by_the_folders_of_samples() -> None:
    assert Labels((1, 2), ("a/0", "b/0")).of(["/data/b/0.npy", "/data/a/0.npy"]) == (2, 1)


@pytest.mark.parametrize(
    ("labels", "samples", "said"),
    [
        (NESTED, ["0.npy"], r"several labels for the sample 0\.npy"),
        (NESTED, ["/data/test/0.npy"], r"several labels for the sample test/0\.npy"),
        (Labels((1, 2, 3), ("0.npy", "0.npy", "1.npy")), ["1.npy"], r"0\.npy has two labels that differ"),
        (Labels((1,), ("0.npy",)), ["a/0.npy", "b/0.npy"], r"label of 0\.npy could be that of a/0\.npy and b/0\.npy"),
        (Labels((1,), ("x",)), ["x.npz[0]", "x.npz[1]"], r"could be that of x\.npz\[0\] and x\.npz\[1\]"),
    ],
)
def test_a_label_that_may_be_of_another_sample_is_refused(labels: Labels, samples: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        labels.of(samples)


def test_a_label_that_is_there_twice_is_one() -> None:
    assert Labels((1, 1), ("0.npy", "0.npy")).of(["/data/0.npy"]) == (1,)


def samples_in(folder: Path, *names: str) -> SampleSlice:
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        np.save(folder / name, np.zeros(3, np.float32))
    whole = open_samples([ModelInput("x", "float32", (3,))], SampleSpec(tuple(str(folder / name) for name in names)))
    return SampleSlice(whole, 1, whole.count - 2)


def test_samples_are_known_by_their_folders(tmp_path: Path) -> None:
    samples = samples_in(tmp_path, "train/0.npy", "train/1.npy", "val/0.npy", "val/1.npy")
    labels = Labels((1, 2, 3, 4), ("val/1.npy", "val/0.npy", "train/1.npy", "train/0.npy"))
    assert right_answers(labels, samples) == (3, 2)


@pytest.mark.parametrize("count", [3, 4])
def test_labels_in_order_are_of_all_samples_or_of_those_that_are_taken(tmp_path: Path, count: int) -> None:
    samples = samples_in(tmp_path, *(f"a/{number}.npy" for number in range(4)))
    assert right_answers(Labels(tuple(range(count))), samples) == (1, 2)


@pytest.mark.parametrize("count", [2, 5, 8])
def test_labels_in_order_are_as_many_as_samples(tmp_path: Path, count: int) -> None:
    samples = samples_in(tmp_path, *(f"a/{number}.npy" for number in range(4)))
    with pytest.raises(UsageError, match=f"{count} labels for 4 samples"):
        right_answers(Labels((0,) * count), samples)
