"""Archives of arrays: names kept as they are, read one tensor at a time, and answered when they lie."""

import io
import os
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from errorflow.base.errors import ErrorflowError, FileError, FormatError
from errorflow.base.files import Source
from errorflow.base.progress import SILENT, Cancelled
from errorflow.formats.arrays.npz import NPZ, NpzDump, read_npz
from errorflow.formats.arrays.values import MAX_TENSOR
from errorflow.formats.arrays.zipped import MAX_TABLE
from errorflow.graph.dump import TensorInfo

NAMES = ("/stem/conv/Conv_output_0", "stem/conv/Conv_output_0", "../x", "x", "x.npy", "a b", "名前→", "C:\\y", "/")


def opened(path: Path) -> NpzDump:
    with Source(path) as source:
        return read_npz(source, SILENT)


def array_bytes(array: NDArray[Any]) -> bytes:
    raw = io.BytesIO()
    np.lib.format.write_array(raw, array, allow_pickle=True)
    return raw.getvalue()


def archive(path: Path, *members: tuple[str, bytes], method: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", method) as file:
        for name, data in members:
            file.writestr(zipfile.ZipInfo(name), data, method)
    return path


def patched(path: Path, old: bytes, new: bytes) -> Path:
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new))
    return path


@pytest.mark.parametrize("compressed", [False, True])
def test_what_numpy_writes_is_read(compressed: bool, tmp_path: Path) -> None:
    tensors: dict[str, Any] = {name: np.full((2, i), i, np.float32) for i, name in enumerate(NAMES)}
    path = tmp_path / "run.npz"
    if compressed:
        np.savez_compressed(path, **tensors)
    else:
        np.savez(path, **tensors)

    dump = opened(path)

    assert list(dump.names()) == list(tensors)
    assert not dump.problems
    for name, tensor in tensors.items():
        assert dump.info(name) == TensorInfo(name, "float32", tensor.shape, tensor.nbytes)
        assert dump.read(name).tobytes() == tensor.tobytes()
        assert dump.read(name).shape == tensor.shape


def test_a_tensor_of_many_pieces_is_read_whole(tmp_path: Path) -> None:
    large = np.random.default_rng(0).integers(0, 9, 3_000_000).astype(np.int32)
    np.savez_compressed(tmp_path / "run.npz", large=large)

    assert np.array_equal(opened(tmp_path / "run.npz").read("large"), large)


def test_values_cannot_be_written_to(tmp_path: Path) -> None:
    np.savez(tmp_path / "run.npz", x=np.zeros(3))

    with pytest.raises(ValueError, match="read-only"):
        opened(tmp_path / "run.npz").read("x")[0] = 1


def test_a_file_read_by_many_threads_gives_each_its_tensor(tmp_path: Path) -> None:
    tensors: dict[str, Any] = {f"t{i}": np.full(5000, i) for i in range(40)}
    np.savez_compressed(tmp_path / "run.npz", **tensors)
    dump = opened(tmp_path / "run.npz")

    with ThreadPoolExecutor(8) as pool:
        sums = list(pool.map(lambda name: int(dump.read(name).sum()), dump.names()))

    assert sums == [5000 * i for i in range(40)]


@pytest.mark.parametrize(
    ("member", "message"),
    [
        (("o.npy", array_bytes(np.array([{}]))), "Python objects"),
        (("t.npy", array_bytes(np.zeros(9))[:-1]), "should hold 72 bytes of values and holds 71"),
        (("t.npy", array_bytes(np.zeros(9)) + b"x"), "should hold 72 bytes of values and holds 73"),
        (("t.npy", b""), "does not begin"),
        (("t.npy", b"\x93NUMPY\x01\x00\xff\x00"), "does not begin"),
        (("t.npy", b"\x93NUMPY\x01\x00\xff\x00{}"), "ends within its header"),
        (("readme.txt", b"hello"), "no array"),
        (("folder/", b""), "no array"),
        ((".npy", array_bytes(np.zeros(1))), "no array"),
    ],
)
def test_a_broken_member_does_not_hide_the_others(member: tuple[str, bytes], message: str, tmp_path: Path) -> None:
    path = archive(tmp_path / "run.npz", ("good.npy", array_bytes(np.ones(2))), member)

    dump = opened(path)

    assert dump.names() == ("good",)
    (problem,) = dump.problems
    assert message in problem.text
    assert problem.where == member[0]


def test_an_archive_without_a_sound_array_is_refused_with_its_first_problem(tmp_path: Path) -> None:
    path = archive(tmp_path / "run.npz", ("t.npy", array_bytes(np.array([{}]))))

    with pytest.raises(FormatError, match="Python objects"):
        opened(path)


def test_an_empty_archive_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "run.npz")

    with Source(tmp_path / "run.npz") as source:
        assert NPZ.claims(source)
    with pytest.raises(FormatError, match="without an array"):
        opened(tmp_path / "run.npz")


def test_of_two_members_of_one_name_the_last_is_used_and_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    with pytest.warns(UserWarning, match="Duplicate name"):
        archive(path, ("t.npy", array_bytes(np.zeros(1))), ("t.npy", array_bytes(np.ones(1))))

    dump = opened(path)

    assert dump.names() == ("t",)
    assert dump.read("t").tolist() == [1] == np.load(path)["t"].tolist()
    assert "more than once" in dump.problems[0].text


def test_damaged_values_are_not_given_out(tmp_path: Path) -> None:
    path = archive(tmp_path / "run.npz", ("t.npy", array_bytes(np.array([7, 7, 7]))))
    patched(path, (7).to_bytes(8, "little") * 3, (8).to_bytes(8, "little") * 3)

    with pytest.raises(FormatError, match="damaged"):
        opened(path).read("t")


def test_damaged_compression_is_a_sentence(tmp_path: Path) -> None:
    path = archive(tmp_path / "run.npz", ("t.npy", array_bytes(np.arange(100))), method=zipfile.ZIP_DEFLATED)
    patched(path, b"t.npy" + path.read_bytes()[35:36], b"t.npy\xff")

    with pytest.raises(FormatError, match="damaged"):
        opened(path)


def test_a_member_that_unpacks_to_more_than_it_says_is_stopped(tmp_path: Path) -> None:
    """The classic bomb: a small file, an honest header, and a gigabyte of zeros behind it."""
    small, large = array_bytes(np.zeros(64, np.uint8)), array_bytes(np.zeros(64, np.uint8)) + bytes(50_000_000)
    path = archive(tmp_path / "run.npz", ("t.npy", large), method=zipfile.ZIP_DEFLATED)
    patched(path, len(large).to_bytes(4, "little"), len(small).to_bytes(4, "little"))

    with pytest.raises(FormatError, match="more than it says"):
        opened(path).read("t")


def test_a_huge_tensor_is_listed_but_not_read(tmp_path: Path) -> None:
    start = array_bytes(np.zeros(1000, np.uint8)).replace(b"(1000,), }" + b" " * 9, b"(4000000000,), }   ")
    path = archive(tmp_path / "run.npz", ("t.npy", start))
    size, claimed = len(start).to_bytes(4, "little"), (len(start) - 1000 + 4_000_000_000).to_bytes(4, "little")
    data = path.read_bytes()
    at = data.rindex(b"PK\x01\x02")
    path.write_bytes(data[:at] + data[at:].replace(size * 2, size + claimed))

    dump = opened(path)

    assert dump.info("t").nbytes == 4_000_000_000 > MAX_TENSOR
    with pytest.raises(FormatError, match="the most that one tensor may take"):
        dump.read("t")


def test_an_encrypted_archive_is_named(tmp_path: Path) -> None:
    path = archive(tmp_path / "run.npz", ("t.npy", array_bytes(np.zeros(1))))
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)

    with pytest.raises(FormatError, match="encrypted"):
        opened(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_packings_are_refused(method: int, tmp_path: Path) -> None:
    path = archive(tmp_path / "run.npz", ("t.npy", array_bytes(np.zeros(1))), method=method)

    with pytest.raises(FormatError, match="packed in a way"):
        opened(path)


def test_a_long_table_of_contents_is_not_loaded(tmp_path: Path) -> None:
    path = archive(tmp_path / "run.npz", ("t.npy", array_bytes(np.zeros(1))))
    data = path.read_bytes()
    at, size = data.index(b"PK\x01\x02"), MAX_TABLE + 1
    end = bytearray(data[data.index(b"PK\x05\x06") :])
    end[12:16] = size.to_bytes(4, "little")
    path.write_bytes(data[:at] + bytes(size) + end)

    with pytest.raises(FormatError, match="table of contents"):
        opened(path)


@pytest.mark.parametrize("offset", [0xFFFFFFF0, 1])
def test_a_member_that_is_not_where_it_should_be_is_a_sentence(offset: int, tmp_path: Path) -> None:
    path = archive(tmp_path / "run.npz", ("t.npy", array_bytes(np.zeros(1))))
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02") + 42
    data[at : at + 4] = offset.to_bytes(4, "little")
    path.write_bytes(data)

    with pytest.raises(FormatError, match=r"behind its end|not where"):
        opened(path)


def test_a_member_that_reaches_beyond_the_end_does_not_hide_the_others(tmp_path: Path) -> None:
    one = array_bytes(np.zeros(1))
    path = archive(tmp_path / "run.npz", ("a.npy", one), ("b.npy", one))
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02") + 20
    data[at : at + 4] = (0x7FFFFFFF).to_bytes(4, "little")
    path.write_bytes(data)

    dump = opened(path)

    assert list(dump.names()) == ["a"]
    assert [(problem.where, "beyond the end" in problem.text) for problem in dump.problems] == [("b.npy", True)]


def test_an_archive_that_was_written_again_in_the_same_size_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    np.savez(path, t=np.zeros(3))
    dump = opened(path)
    os.utime(path, ns=(1, 1))

    with pytest.raises(FileError, match="has changed"):
        dump.read("t")


@pytest.mark.parametrize("left", [0.0, 0.5, 0.9])
def test_an_archive_that_changed_after_it_was_opened_is_a_sentence(left: float, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    np.savez(path, t=np.zeros(300))
    dump = opened(path)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * left)])

    with pytest.raises(ErrorflowError, match="has changed"):
        dump.read("t")
    path.unlink()
    with pytest.raises(FileError, match="no file"):
        dump.read("t")


def test_reading_can_be_cancelled(tmp_path: Path) -> None:
    np.savez(tmp_path / "run.npz", a=np.zeros(1), b=np.zeros(1))

    class Cancel:
        def step(self, done: int, total: int, text: str) -> None:
            if done == 1:
                raise Cancelled

    with Source(tmp_path / "run.npz") as source, pytest.raises(Cancelled):
        read_npz(source, Cancel())


@pytest.mark.parametrize("first", ["model.pb", "archive/data.pkl", "[Content_Types].xml"])
def test_archives_of_other_things_are_not_claimed(first: str, tmp_path: Path) -> None:
    path = archive(tmp_path / "run.npz", (first, b"data"), ("t.npy", array_bytes(np.zeros(1))))

    with Source(path) as source:
        assert not NPZ.claims(source)
