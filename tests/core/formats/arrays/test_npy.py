"""One array in a file: what is read, and what is answered when the file lies."""

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from errorflow.base.errors import ErrorflowError, FileError, FormatError
from errorflow.base.files import Source
from errorflow.base.progress import SILENT
from errorflow.formats.arrays.npy import NPY, NpyDump, read_npy
from errorflow.formats.arrays.values import MAX_TENSOR
from errorflow.graph.dump import TensorInfo

numbers = st.one_of(
    hnp.boolean_dtypes(),
    hnp.integer_dtypes(endianness="?"),
    hnp.unsigned_integer_dtypes(endianness="?"),
    hnp.floating_dtypes(endianness="?"),
    hnp.complex_number_dtypes(endianness="?"),
)
arrays = numbers.flatmap(lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, min_side=0, max_dims=4)))


def opened(path: Path) -> NpyDump:
    with Source(path) as source:
        return read_npy(source, SILENT)


def written(path: Path, header: str, values: bytes = b"", version: int = 1) -> Path:
    """An array file with any header, padded as NumPy does."""
    width = 2 if version == 1 else 4
    text = header.encode()
    text += b" " * (-(8 + width + len(text) + 1) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(width, "little") + text + values)
    return path


def head(descr: str = "'<f4'", order: str = "False", shape: str = "(2,)") -> str:
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"


@given(array=arrays, fortran=st.booleans())
def test_what_numpy_writes_is_read(
    tmp_path_factory: pytest.TempPathFactory, array: NDArray[np.generic], fortran: bool
) -> None:
    path = tmp_path_factory.mktemp("npy") / "x.npy"
    np.save(path, np.asarray(array, order="F" if fortran else "C"))

    dump = opened(path)
    read = dump.read("x")

    assert dump.info("x") == TensorInfo("x", array.dtype.name, array.shape, array.nbytes)
    assert (read.dtype, read.shape) == (array.dtype, array.shape)
    assert read.tobytes() == array.tobytes()


def test_the_tensor_is_named_as_the_file(tmp_path: Path) -> None:
    np.save(tmp_path / "conv.1_output.npy", np.zeros(3))

    assert opened(tmp_path / "conv.1_output.npy").names() == ("conv.1_output",)


def test_values_cannot_be_written_to(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros(3))

    with pytest.raises(ValueError, match="read-only"):
        opened(tmp_path / "x.npy").read("x")[0] = 1


def test_another_name_is_unknown(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros(3))

    with pytest.raises(KeyError):
        opened(tmp_path / "x.npy").read("y")


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_all_versions_of_the_file_format_are_read(version: tuple[int, int], tmp_path: Path) -> None:
    raw = io.BytesIO()
    np.lib.format.write_array(raw, np.arange(6.0).reshape(2, 3), version=version)
    (tmp_path / "x.npy").write_bytes(raw.getvalue())

    assert opened(tmp_path / "x.npy").read("x").tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    "header",
    ["{'shape': (2L,), 'fortran_order': False, 'descr': '<f4'}", "{'fortran_order':False,'descr':'<f4','shape':(2,)}"],
)
def test_headers_of_other_writers_are_read(header: str, tmp_path: Path) -> None:
    path = written(tmp_path / "x.npy", header, np.array([1, 2], np.float32).tobytes())

    assert opened(path).read("x").tolist() == [1, 2]


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (head(descr="'|O'"), "Python objects"),
        (head(descr="[('a', '<f4'), ('b', '|O')]"), "records with named fields"),
        (head(descr="'<f3'"), "“<f3”"),
        (head(descr="'<M8[ns]'"), "no numbers"),
        (head(descr="'|S0'"), "no numbers"),
        (head(descr="''"), "not one that NumPy writes"),
        (head(order="maybe"), "not one that NumPy writes"),
        (head(shape="(-1,)"), "not one that NumPy writes"),
        (head(shape="(2)"), "as a shape"),
        (head(shape="(2,,)"), "as a shape"),
        (head(shape="(2 3,)"), "as a shape"),
        (head(shape="(0, 99999999999999999999)"), "no memory can hold"),
        (head(shape="(" + "1," * 65 + ")"), "no memory can hold"),
        (head(shape="(9999999999,)"), "cut off"),
        (head() + "}", "not one that NumPy writes"),
        ("", "not one that NumPy writes"),
        ("{}", "not one that NumPy writes"),
        ("__import__('os').system('true')", "not one that NumPy writes"),
        ("(" * 5000, "not one that NumPy writes"),
        ("{" + " " * 20_000 + "}", "header of"),
        ("{" + "'shape': (1,), " * 500, "not one that NumPy writes"),
    ],
)
def test_a_header_that_lies_is_a_sentence(header: str, message: str, tmp_path: Path) -> None:
    path = written(tmp_path / "x.npy", header, bytes(8))

    with pytest.raises(FormatError, match=message) as caught:
        opened(path)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x93NUMPY", "does not begin"),
        (b"\x93NUMPY\x04\x00\x10\x00" + bytes(20), "version 4.0"),
        (b"\x93NUMPY\x01\x00\x76\x00{'descr'", "ends within its header"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + bytes(20), "header of 4,294,967,295 bytes"),
    ],
)
def test_a_broken_beginning_is_a_sentence(data: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "x.npy").write_bytes(data)

    with pytest.raises(FormatError, match=message):
        opened(tmp_path / "x.npy")


def test_a_cut_off_file_says_what_is_missing(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros(100))
    data = (tmp_path / "x.npy").read_bytes()
    (tmp_path / "x.npy").write_bytes(data[:-9])

    with pytest.raises(FormatError, match="9 of its 800 bytes are missing"):
        opened(tmp_path / "x.npy")


def test_more_than_the_array_is_a_problem_but_no_obstacle(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(3))
    with (tmp_path / "x.npy").open("ab") as file:
        file.write(b"more")

    dump = opened(tmp_path / "x.npy")

    assert [problem.text for problem in dump.problems] == ["4 bytes behind the array are not read."]
    assert dump.read("x").tolist() == [0, 1, 2]


def test_a_tensor_beyond_the_limit_is_opened_but_not_read(tmp_path: Path) -> None:
    path = written(tmp_path / "x.npy", head("'|u1'", shape=f"({MAX_TENSOR + 1},)"))
    with path.open("ab") as file:
        file.truncate(MAX_TENSOR + 1000)

    dump = opened(path)

    assert dump.info("x").nbytes == MAX_TENSOR + 1
    with pytest.raises(FormatError, match="the most that one tensor may take"):
        dump.read("x")


def test_a_file_that_changed_after_it_was_opened_is_not_misread(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros(3))
    dump = opened(tmp_path / "x.npy")
    np.save(tmp_path / "x.npy", np.zeros(4))

    with pytest.raises(FileError, match="has changed"):
        dump.read("x")


@pytest.mark.parametrize("left", [0, 5, 130])
def test_a_file_that_shrank_or_went_after_it_was_opened_is_a_sentence(left: int, tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.zeros(3))
    dump = opened(path)
    path.write_bytes(path.read_bytes()[:left])

    with pytest.raises(ErrorflowError):
        dump.read("x")
    path.unlink()
    with pytest.raises(FileError, match="no file"):
        dump.read("x")


def test_only_arrays_are_claimed(tmp_path: Path) -> None:
    (tmp_path / "x.npy").write_bytes(b"not an array")

    with Source(tmp_path / "x.npy") as source:
        assert not NPY.claims(source)
