"""Right answers in files, and in the folders that samples lie in."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.errors import ErrorflowError, FormatError, UsageError
from errorflow.evaluate.labels import Labels, by_class, read_labels
from errorflow.run.samples.asked import Asked


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
    found = by_class(Asked((str(tmp_path),)), ["x"])
    assert found is not None
    asked, labels = found
    assert labels.values == (*classes, *classes)
    assert [Path(path).parent.name for path in asked.paths] == [*folders, *folders]


def test_folders_of_inputs_are_no_classes(tmp_path: Path) -> None:
    for name in ("x", "mask"):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "0.npy", np.zeros(3, np.float32))
    assert by_class(Asked((str(tmp_path),)), ["x", "mask"]) is None


@given(st.binary(max_size=200))
def test_whatever_is_in_a_file_is_labels_or_a_sentence(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("labels") / "labels.txt"
    path.write_bytes(data)
    try:
        assert read_labels(path).values
    except (FormatError, ErrorflowError) as error:
        assert error.hint
