"""Reading and writing files, and everything that can be wrong with one."""

import os
import resource
import stat
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from errorflow.base.errors import FileError
from errorflow.base.files import (
    HEAD_BYTES,
    PIECE_BYTES,
    Snapshot,
    Source,
    arriving,
    recency,
    replacing,
    telling_name,
    write_atomic,
    write_pieces,
)

TERABYTE = 1 << 40


def test_what_was_written_before_the_clock_was_set_back_is_the_oldest() -> None:
    now = time.time()
    written = [now - 10, now + 86400, now, now + 2 * 86400]
    assert sorted(written, key=recency, reverse=True) == [now, now - 10, now + 2 * 86400, now + 86400]


def test_what_a_drive_writes_whose_clock_is_a_little_ahead_is_the_newest() -> None:
    now = time.time()
    assert sorted([now - 10, now + 30, now], key=recency, reverse=True) == [now + 30, now, now - 10]


def inside(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def save(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("way", "name"),
    [
        ("cases/golden", "golden"),
        ("x/npu/20231114221320/0", "npu/20231114221320/0"),
        ("npu/20231114221320/0/digits/1/0", "digits/1/0"),
        ("run_a/step12", "run_a/step12"),
        ("model.onnx", "model.onnx"),
        ("7", "7"),
        ("/7", "7"),
        ("/tmp/errorflow-ab12/0", "0"),
        ("bundles/6805180b82da29bdc152a9a1/0", "0"),
    ],
)
def test_a_folder_that_is_only_a_number_is_named_with_what_lies_around_it(way: str, name: str) -> None:
    assert telling_name(Path(way)) == name


class TestSource:
    @given(data=st.binary(max_size=300), offset=st.integers(-5, 400), count=st.integers(-5, 400))
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_read_gives_exactly_the_wanted_bytes_or_an_error(
        self, tmp_path: Path, data: bytes, offset: int, count: int
    ) -> None:
        fits = offset >= 0 and count >= 0 and offset + count <= len(data)
        with Source(save(tmp_path / "file", data)) as source:
            if fits:
                assert source.read(offset, count) == data[offset : offset + count]
            else:
                with pytest.raises(FileError):
                    source.read(offset, count)

    def test_head_holds_the_first_bytes_only(self, tmp_path: Path) -> None:
        data = os.urandom(HEAD_BYTES + 10)
        with Source(save(tmp_path / "file", data)) as source:
            assert source.head == data[:HEAD_BYTES]
            assert source.size == len(data)

    def test_an_empty_file_is_a_source_of_nothing(self, tmp_path: Path) -> None:
        with Source(save(tmp_path / "file", b"")) as source:
            assert (source.size, source.head, list(source.pieces())) == (0, b"", [])

    @pytest.mark.parametrize("size", [1, 7, 100, 1000])
    def test_pieces_make_up_the_whole_file(self, tmp_path: Path, size: int) -> None:
        data = os.urandom(100)
        with Source(save(tmp_path / "file", data)) as source:
            pieces = list(source.pieces(size))
        assert b"".join(pieces) == data
        assert max(map(len, pieces)) <= size

    def test_the_suffix_is_small_letters(self, tmp_path: Path) -> None:
        with Source(save(tmp_path / "Net.ONNX", b"x")) as source:
            assert (source.name, source.suffix) == ("Net.ONNX", ".onnx")

    def test_a_made_up_length_takes_no_memory(self, tmp_path: Path) -> None:
        with Source(save(tmp_path / "file", b"x")) as source, pytest.raises(FileError, match="ends before its byte"):
            source.read(0, TERABYTE)

    def test_a_sparse_file_is_read_in_places(self, tmp_path: Path) -> None:
        path = save(tmp_path / "file", b"begin")
        os.truncate(path, 10 * (1 << 30))
        with path.open("r+b") as file:
            file.seek(5 * (1 << 30))
            file.write(b"middle")
        with Source(path) as source:
            assert source.read(5 * (1 << 30), 6) == b"middle"
            assert next(source.pieces())[:5] == b"begin"

    def test_a_file_cut_off_while_it_is_open_is_a_short_read(self, tmp_path: Path) -> None:
        path = save(tmp_path / "file", bytes(3 * PIECE_BYTES))
        with Source(path) as source:
            pieces = source.pieces()
            next(pieces)
            os.truncate(path, PIECE_BYTES + 1)
            with pytest.raises(FileError, match="cut off or changed"):
                list(pieces)

    def test_a_file_deleted_while_it_is_open_can_be_read_on(self, tmp_path: Path) -> None:
        path = save(tmp_path / "file", b"still here")
        with Source(path) as source:
            path.unlink()
            assert source.read(6, 4) == b"here"

    def test_a_missing_file_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match=r"no file .*gone\.onnx"):
            Source(tmp_path / "gone.onnx")

    def test_a_link_to_nothing_is_missing(self, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(tmp_path / "gone")
        with pytest.raises(FileError, match="no file"):
            Source(tmp_path / "link")

    def test_a_folder_is_called_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match="is a folder"):
            Source(tmp_path)

    def test_a_file_below_a_file_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(FileError):
            Source(save(tmp_path / "file", b"x") / "below")

    def test_a_pipe_is_refused_instead_of_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(FileError, match="not a regular file"):
            Source(tmp_path / "pipe")

    def test_a_device_is_refused(self) -> None:
        with pytest.raises(FileError, match="not a regular file"):
            Source("/dev/zero")

    @pytest.mark.parametrize("path", ["nul\0byte", "x" * 300, "y/" * 3000], ids=["nul", "long name", "long path"])
    def test_a_path_that_no_system_takes_is_an_error(self, path: str) -> None:
        with pytest.raises(FileError):
            Source(path)

    def test_a_link_to_itself_is_an_error(self, tmp_path: Path) -> None:
        (tmp_path / "loop").symlink_to(tmp_path / "loop")
        with pytest.raises(FileError):
            Source(tmp_path / "loop")

    def test_no_permission_says_so(self, as_nobody: Path) -> None:
        path = save(as_nobody / "file", b"secret")
        path.chmod(0)
        with pytest.raises(FileError, match="may not be read"):
            Source(path)

    def test_no_permission_for_the_folder_says_so(self, as_nobody: Path) -> None:
        inner = as_nobody / "inner"
        inner.mkdir()
        save(inner / "file", b"secret")
        inner.chmod(0)
        with pytest.raises(FileError, match="may not be read"):
            Source(inner / "file")
        inner.chmod(0o700)

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has a file whose reading fails")
    def test_an_error_of_the_disk_is_a_sentence_and_leaves_nothing_open(self) -> None:
        before = inside(Path("/proc/self/fd"))
        with pytest.raises(FileError, match="could not be read"), Source("/proc/self/mem") as source:
            source._pread(0, 10)  # the file says that it is empty, so the checked way does not get there
        assert inside(Path("/proc/self/fd")) == before

    def test_closing_twice_is_fine_and_reading_then_is_an_error(self, tmp_path: Path) -> None:
        source = Source(save(tmp_path / "file", b"x"))
        source.close()
        source.close()
        with pytest.raises(FileError):
            source.read(0, 1)


class TestWriteAtomic:
    @given(data=st.one_of(st.binary(), st.text()))
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_what_was_written_is_there_and_nothing_else(self, tmp_path: Path, data: bytes | str) -> None:
        write_atomic(tmp_path / "out", data)
        assert (tmp_path / "out").read_bytes() == (data.encode() if isinstance(data, str) else data)
        assert inside(tmp_path) == ["out"]

    def test_a_missing_folder_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match="could not be written"):
            write_atomic(tmp_path / "gone" / "out", b"x")

    def test_a_folder_of_that_name_stays(self, tmp_path: Path) -> None:
        save(tmp_path / "other", b"")
        (tmp_path / "out").mkdir()
        with pytest.raises(FileError):
            write_atomic(tmp_path / "out", b"x")
        assert inside(tmp_path) == ["other", "out"]

    def test_a_full_disk_keeps_the_old_file_and_leaves_no_other(self, tmp_path: Path) -> None:
        path = save(tmp_path / "out", b"old")
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limit[1]))
        try:
            with pytest.raises(FileError, match="could not be written"):
                write_atomic(path, bytes(1_000_000))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        assert path.read_bytes() == b"old"
        assert inside(tmp_path) == ["out"]

    def test_a_folder_that_may_not_be_written_to_is_an_error(self, as_nobody: Path) -> None:
        as_nobody.joinpath("inner").mkdir(mode=0o500)
        with pytest.raises(FileError, match="permission denied"):
            write_atomic(as_nobody / "inner" / "out", b"x")
        assert inside(as_nobody / "inner") == []

    def test_who_reads_the_old_file_keeps_the_old_file(self, tmp_path: Path) -> None:
        path = save(tmp_path / "out", b"old content")
        with Source(path) as source:
            write_atomic(path, b"new")
            assert source.read(0, 11) == b"old content"
        assert path.read_bytes() == b"new"

    def test_a_private_file_stays_private(self, tmp_path: Path) -> None:
        path = save(tmp_path / "out", b"old")
        path.chmod(0o600)
        write_atomic(path, b"new")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_a_new_file_has_the_permissions_of_any_new_file(self, tmp_path: Path) -> None:
        write_atomic(tmp_path / "out", b"x")
        plain = save(tmp_path / "plain", b"x")
        assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)

    def test_where_links_are_not_followed_the_link_itself_is_replaced(self, tmp_path: Path) -> None:
        path = tmp_path / "precious"
        path.write_bytes(b"old")
        (tmp_path / "link").symlink_to(path)
        write_atomic(tmp_path / "link", b"new", follow=False)
        assert path.read_bytes() == b"old"
        assert (tmp_path / "link").read_bytes() == b"new"
        assert not (tmp_path / "link").is_symlink()

    def test_what_utf8_cannot_hold_is_written_as_an_escape(self, tmp_path: Path) -> None:
        write_atomic(tmp_path / "text", "a\udcffb")
        assert (tmp_path / "text").read_bytes() == b"a\\udcffb"

    def test_through_a_link_the_file_it_points_to_is_replaced(self, tmp_path: Path) -> None:
        path = save(tmp_path / "file", b"old")
        (tmp_path / "link").symlink_to(path)
        write_atomic(tmp_path / "link", b"new")
        assert path.read_bytes() == b"new"
        assert (tmp_path / "link").is_symlink()

    def test_the_longest_name_that_the_system_takes_can_be_written(self, tmp_path: Path) -> None:
        write_atomic(tmp_path / ("名" * 85), b"x")
        assert inside(tmp_path) == ["名" * 85]


class TestWritePieces:
    def test_the_file_is_all_pieces_one_after_the_other(self, tmp_path: Path) -> None:
        write_pieces(tmp_path / "out", ("a", b"b", "名"))

        assert (tmp_path / "out").read_text("utf-8") == "ab名"

    def test_pieces_that_fail_keep_the_old_file_and_leave_no_other(self, tmp_path: Path) -> None:
        def pieces() -> Iterator[str]:
            yield "new"
            raise KeyError("a bug")

        (tmp_path / "out").write_text("old")
        with pytest.raises(KeyError):
            write_pieces(tmp_path / "out", pieces())

        assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out", "old")]


class TestReplacing:
    def test_what_others_wrote_takes_the_place(self, tmp_path: Path) -> None:
        (tmp_path / "out").write_text("old")
        with replacing(tmp_path / "out") as beside:
            beside.write_text("new")
            assert (tmp_path / "out").read_text() == "old"

        assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out", "new")]

    def test_one_of_thousands_is_replaced_whole_too(self, tmp_path: Path) -> None:
        (tmp_path / "out").write_text("old")
        with replacing(tmp_path / "out", lasting=False) as beside:
            beside.write_text("new")

        assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out", "new")]

    def test_nothing_written_is_an_error_and_keeps_the_old_file(self, tmp_path: Path) -> None:
        (tmp_path / "out").write_text("old")
        with pytest.raises(FileError, match="could not be written"), replacing(tmp_path / "out"):
            pass

        assert (tmp_path / "out").read_text() == "old"


class TestSnapshot:
    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        path = tmp_path / "file"
        path.write_bytes(b"0123456789")
        return path

    @pytest.fixture
    def snapshot(self, path: Path) -> Snapshot:
        with Source(path) as source:
            return Snapshot.of(source)

    def test_gives_the_bytes_again(self, snapshot: Snapshot) -> None:
        assert snapshot.read(2, 5) == b"234"

    def test_many_threads_may_come_back_at_a_time(self, snapshot: Snapshot) -> None:
        with ThreadPoolExecutor(8) as threads:
            found = threads.map(lambda at: snapshot.read(at, at + 1), list(range(10)) * 50)

            assert b"".join(found) == b"0123456789" * 50

    def test_another_size_is_a_sentence(self, path: Path, snapshot: Snapshot) -> None:
        path.write_bytes(b"0123456789x")

        with pytest.raises(FileError, match="has changed since it was opened"):
            snapshot.read(0, 1)

    def test_another_time_is_a_sentence(self, path: Path, snapshot: Snapshot) -> None:
        os.utime(path, ns=(1, 1))

        with pytest.raises(FileError, match="has changed since it was opened"):
            snapshot.open()

    def test_a_file_that_is_gone_is_a_sentence(self, path: Path, snapshot: Snapshot) -> None:
        path.unlink()

        with pytest.raises(FileError, match="There is no file"):
            snapshot.open()


class TestArriving:
    def test_new_files_move_in_together(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_text("old")
        with arriving(tmp_path) as folder:
            (folder / "a").write_text("new")
            (folder / "b").write_text("new")
            assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["a"]

        assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "new", "b": "new"}

    def test_if_something_fails_none_of_them_does(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_text("old")
        with pytest.raises(KeyError), arriving(tmp_path) as folder:
            (folder / "a").write_text("new")
            raise KeyError("a bug")

        assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "old")]

    def test_old_files_keep_their_permissions(self, tmp_path: Path) -> None:
        (tmp_path / "a").touch(0o600)
        with arriving(tmp_path) as folder:
            (folder / "a").write_text("new")

        assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600

    def test_a_missing_folder_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match="Nothing could be written"), arriving(tmp_path / "gone"):
            pass
