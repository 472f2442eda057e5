"""A dump file of the NPU whose head lies."""

from pathlib import Path

import numpy as np
import pytest

from core.formats.npu.test_file import alone, of_bytes, opened
from errorflow.base.errors import FormatError
from errorflow.base.files import Source
from errorflow.formats.npu import file as npu_file
from errorflow.formats.npu.file import NpuFile
from npu_writer import NpuArray, nano_bytes, npu_bytes, write_npu


class TestBroken:
    """The other tensors of the file stay readable, and the broken one is a sentence."""

    def problem(self, path: Path, tensor: NpuArray) -> str:
        dump = opened(write_npu(path, outputs=[tensor, NpuArray(np.arange(3.0))]))
        assert dump.read("output:1").tolist() == [0, 1, 2]
        assert dump.info("output:0").name == "output:0"
        with pytest.raises(FormatError) as caught:
            dump.read("output:0")
        assert caught.value.hint
        [problem] = dump.problems
        assert (problem.where, problem.text) == ("output:0", caught.value.message)
        return problem.text

    @pytest.mark.parametrize("dims", [(2**63,), (2**40, 2**40), (1,) * 100, (2**64 - 1, 1)])
    def test_dimensions_beyond_all_measure(self, dims: tuple[int, ...], tmp_path: Path) -> None:
        assert "no memory can hold" in self.problem(tmp_path / "x", NpuArray(np.ones(3), shape=dims))

    def test_a_shape_that_needs_more_than_there_is(self, tmp_path: Path) -> None:
        assert "its shape needs 32" in self.problem(tmp_path / "x", NpuArray(np.ones(3), shape=(4,)))

    @pytest.mark.parametrize("dtype", [13, 24, 26, 41, 99, 2**31])
    def test_a_type_that_holds_no_numbers(self, dtype: int, tmp_path: Path) -> None:
        assert "no numbers that are known" in self.problem(tmp_path / "x", NpuArray(np.ones(3), dtype=dtype))

    def test_more_than_is_read_at_once(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(npu_file, "MAX_TENSOR", 100)
        tensor = NpuArray(np.ones(30, np.int8), dtype="float8e5m2")

        assert "too large" in self.problem(tmp_path / "x", tensor)

    def test_a_layout_that_is_not_known_is_named_by_its_number(self, tmp_path: Path) -> None:
        data = npu_bytes(outputs=[NpuArray(np.ones(3), "YUV")]).replace(b"\x10\x2d", b"\x10\x7d", 1)

        assert of_bytes(tmp_path / "x", data).info("output:0").layout == "format 125"


class TestRefused:
    def test_sizes_beyond_the_file(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match="is cut off: 1,000 bytes"):
            alone(tmp_path / "x", NpuArray(np.ones(3), size=1024))

    @pytest.mark.parametrize("size", [2**63, 2**64 - 1])
    def test_sizes_beyond_all_measure(self, size: int, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match="is cut off"):
            alone(tmp_path / "x", NpuArray(np.ones(3), size=size))

    @pytest.mark.parametrize("length", [0, 3, 8])
    def test_a_file_that_is_too_short(self, length: int, tmp_path: Path) -> None:
        (tmp_path / "x").write_bytes(bytes(length))
        with Source(tmp_path / "x") as source, pytest.raises(FormatError, match="too few"):
            NpuFile.of(source)

    def test_a_length_beyond_the_file(self, tmp_path: Path) -> None:
        (tmp_path / "x").write_bytes(b"\xff" * 8 + bytes(100))
        with Source(tmp_path / "x") as source, pytest.raises(FormatError, match="cut off within its head"):
            NpuFile.of(source)

    def test_a_head_that_is_no_message(self, tmp_path: Path) -> None:
        (tmp_path / "x").write_bytes((4).to_bytes(8, "little") + b"\x1a\xff\xff\xff")
        with Source(tmp_path / "x") as source, pytest.raises(FormatError, match="is broken"):
            NpuFile.of(source)

    def test_a_head_over_the_limit(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(npu_file, "MAX_HEAD", 10)
        with pytest.raises(FormatError, match="10 is the limit"):
            alone(tmp_path / "x", NpuArray(np.ones(3)))

    def test_a_shape_without_end(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match="dimensions without end"):
            alone(tmp_path / "x", NpuArray(np.ones(3), shape=(1,) * 5000))

    def test_a_shape_without_end_in_a_nano_dump(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match="describes itself without end"):
            of_bytes(tmp_path / "x", nano_bytes([NpuArray(np.ones(3), shape=(1,) * 9000)]))
