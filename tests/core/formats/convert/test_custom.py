"""Converters that the user brings along."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from errorflow.base.errors import FileError
from errorflow.formats.convert import ConvertError, Converters, convert


def folder(tmp_path: Path, **files: str) -> Path:
    place = tmp_path / "format_convert"
    place.mkdir()
    for name, text in files.items():
        (place / f"{name}.py").write_text(text)
    return tmp_path


TWICE = "def convert(shape_from, shape_to, array):\n    return array.reshape(shape_from)[::-1] * 2\n"


def test_a_converter_of_the_user_goes_before_ours(tmp_path: Path) -> None:
    custom = Converters.of(folder(tmp_path, convert_NCHW_to_NHWC=TWICE))
    made = convert(np.ones((2, 1, 1, 1)), "NCHW", "NHWC", custom=custom)
    assert made.reshape(-1).tolist() == [2.0, 2.0]


def test_a_converter_gets_lists_and_a_flat_array(tmp_path: Path) -> None:
    text = "def convert(shape_from, shape_to, array):\n    assert shape_to == [3]\n    return array[: shape_to[0]]\n"
    custom = Converters.of(folder(tmp_path, convert_YUV_to_ND=text))
    assert convert(np.arange(4.0).reshape(2, 2), "YUV", "ND", shape=(3,), custom=custom).tolist() == [0.0, 1.0, 2.0]


def test_a_converter_survives_a_pickle(tmp_path: Path) -> None:
    custom = Converters.of(folder(tmp_path, convert_NCHW_to_NHWC=TWICE))
    assert pickle.loads(pickle.dumps(custom)).has("NCHW", "NHWC")


@pytest.mark.parametrize("body", ["raise KeyError('x')", "return None"])
def test_a_converter_that_fails_is_a_sentence(tmp_path: Path, body: str) -> None:
    text = f"def convert(shape_from, shape_to, array):\n    {body}\n"
    custom = Converters.of(folder(tmp_path, convert_NCHW_to_NHWC=text))
    with pytest.raises(ConvertError, match="convert_NCHW_to_NHWC") as raised:
        convert(np.ones((1, 2, 1, 1)), "NCHW", "NHWC", custom=custom)
    assert raised.value.reason == ""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("convert_A_to_B", "1 +"),
        ("convert_A_to_B", "x = 1\n"),
        ("convert_A_to_B", "convert = 5\n"),
        ("convert_A_to_B", "def convert(array):\n    return array\n"),
        ("convert_A_to_FRACTAL_Z", TWICE),
        ("other", TWICE),
    ],
)
def test_a_file_that_is_no_converter_is_a_problem(tmp_path: Path, name: str, text: str) -> None:
    custom = Converters.of(folder(tmp_path, **{name: text}))
    assert not custom.has("A", "B")
    assert name in custom.problems[0]


def test_a_folder_without_converters_is_a_problem(tmp_path: Path) -> None:
    assert "no converter" in Converters.of(tmp_path).problems[0]


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no folder"):
        Converters.of(tmp_path / "missing")
