"""One tensor as a file for other programs."""

import pickletools
import uuid
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from errorflow.compare.match.codes import RefusedError
from errorflow.report.array_file import MAX_NAME, fitting, write_bin, write_npy, write_pt


@pytest.mark.parametrize("shape", [(2, 3, 4), (5,), (), (0, 3)])
def test_an_npy_file_is_what_numpy_saves(tmp_path: Path, shape: tuple[int, ...]) -> None:
    array = np.random.default_rng(1).standard_normal(shape).astype(np.float16)
    write_npy(tmp_path / "a.npy", array)
    np.save(tmp_path / "b.npy", array)
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()


def test_a_bin_file_holds_the_values_in_the_order_of_the_axes(tmp_path: Path) -> None:
    array = np.arange(6, dtype=np.int16).reshape(2, 3)
    write_bin(tmp_path / "a.bin", array.T)
    assert (tmp_path / "a.bin").read_bytes() == array.T.tobytes()


def test_a_pt_file_holds_the_values_and_the_call_that_makes_a_tensor_of_them(tmp_path: Path) -> None:
    array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    write_pt(tmp_path / "a.pt", array.transpose(0, 2, 1))
    with ZipFile(tmp_path / "a.pt") as archive:
        assert archive.read("archive/data/0") == array.transpose(0, 2, 1).tobytes()
        assert archive.read("archive/version") == b"3\n"
        assert archive.read("archive/byteorder") == b"little"
        steps = [(step.name, value) for step, value, _ in pickletools.genops(archive.read("archive/data.pkl"))]
    assert [value for name, value in steps if name == "GLOBAL"] == [
        "torch._utils _rebuild_tensor_v2",
        "torch FloatStorage",
        "collections OrderedDict",
    ]
    # The number of values, the shape, and the distance between neighbours along each axis.
    assert [value for name, value in steps if name == "LONG1"] == [24, 2, 4, 3, 12, 3, 1]
    assert steps[-1] == ("STOP", None)


def test_a_type_that_pytorch_lacks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="uint16"):
        write_pt(tmp_path / "a.pt", np.zeros(3, np.uint16))
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_fits_stays() -> None:
    assert fitting("a" * (MAX_NAME - 5) + ".npy", ".npy") == "a" * (MAX_NAME - 5) + ".npy"


def test_a_name_that_does_not_fit_becomes_its_hash() -> None:
    name = "a" * MAX_NAME + ".npy"
    assert fitting(name, ".npy") == f"{uuid.uuid3(uuid.NAMESPACE_DNS, name).hex}.npy"
