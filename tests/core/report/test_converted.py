"""What is written of one dump, and of many."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from errorflow.base.errors import ErrorflowError, FileError
from errorflow.base.progress import Cancelled
from errorflow.compare.match import codes
from errorflow.compare.match.codes import RefusedError
from errorflow.formats.convert import ConvertError, Converters
from errorflow.report.convert_all import FAILED, MAPPING, convert_dumps, dumps_in
from errorflow.report.converted import ConversionRequest, WrittenDump, write_dump
from npu_writer import NpuArray, npu_bytes, write_npu

NAME = "Conv2D.conv1.3.7.1700000000003000"


def counted(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float16]]:
    return np.arange(np.prod(shape), dtype=np.float16).reshape(shape)


def feature_map() -> NpuArray:
    return NpuArray(counted(1, 1, 2, 2, 16), "NC1HWC0", original_shape=(1, 3, 2, 2))


def quiet() -> None:
    pass


def written(dump: Path, tmp_path: Path, **wish: object) -> WrittenDump:
    out = tmp_path / "out"
    out.mkdir(exist_ok=True)
    return write_dump(dump, ConversionRequest(out, **wish), quiet)  # type: ignore[arg-type] # whatever the test wishes for


PIECES = '{"threadMode": 1, "input_tensor_slice": [[], []], "output_tensor_slice": [[], [[%s]]]}'


class TestOneDump:
    @pytest.mark.parametrize(
        "told",
        [
            pytest.param("[" * 100_000, id="no end of depth"),
            pytest.param(PIECES % '{"lower": 0, "higher": Infinity}', id="no number"),
            pytest.param(PIECES % '{"lower": 0, "higher": 5}', id="too many"),
            pytest.param(PIECES % '{"lower": 0, "higher": -1}, {"lower": 4, "higher": 0}', id="less than none"),
        ],
    )
    def test_what_a_piece_says_of_itself_need_not_be_true(self, tmp_path: Path, told: str) -> None:
        dump = write_npu(tmp_path / f"{NAME}.4.7.1.0", [], [NpuArray(np.arange(4, dtype=np.float32))])
        write_npu(dump, [], [NpuArray(np.arange(4, dtype=np.float32))], attributes={"a": told})

        made = written(dump, tmp_path)

        assert bool(made.failures) != bool(made.files)

    def test_tensors_are_written_as_they_are_stored(self, tmp_path: Path) -> None:
        dump = write_npu(tmp_path / NAME, [feature_map()], [feature_map()], buffers=[b"abc"], spaces=[b"xy"])
        made = written(dump, tmp_path)
        assert made.files == [
            f"{NAME}.input.0.npy",
            f"{NAME}.output.0.npy",
            f"{NAME}.l1buffer.0.bin",
            f"{NAME}.space.0.bin",
        ]
        assert np.load(tmp_path / "out" / made.files[0]).shape == (1, 1, 2, 2, 16)
        assert (tmp_path / "out" / made.files[2]).read_bytes() == b"abc"

    def test_a_single_value_has_an_axis(self, tmp_path: Path) -> None:
        dump = write_npu(tmp_path / NAME, [], [NpuArray(np.array(5, np.float32))])
        made = written(dump, tmp_path)
        assert np.load(tmp_path / "out" / made.files[0]).shape == (1,)

    @pytest.mark.parametrize(
        ("kind", "name"),
        [
            ("bin", f"{NAME}.output.0.64.float16.NC1HWC0.bin"),
            ("msnpy", "Conv2D.b.3.7.1700000000003000.output.0.NC1HWC0.npy"),
            ("pt", f"{NAME}.output.0.pt"),
        ],
    )
    def test_each_kind_has_its_name(self, tmp_path: Path, kind: str, name: str) -> None:
        dump = write_npu(tmp_path / NAME, [], [feature_map()], op_name="scope/b")
        assert written(dump, tmp_path, kind=kind).files == [name]

    def test_bfloat16_is_named_so_and_written_as_float32(self, tmp_path: Path) -> None:
        dump = write_npu(tmp_path / NAME, [], [NpuArray(np.array([1.0, 2.0], np.float32), dtype="bfloat16")])
        made = written(dump, tmp_path, kind="bin")
        assert made.files == [f"{NAME}.output.0.2.bfloat16.ND.bin"]
        assert np.fromfile(tmp_path / "out" / made.files[0], np.float32).tolist() == [1.0, 2.0]

    def test_a_layout_is_changed_and_padding_cut(self, tmp_path: Path) -> None:
        dump = write_npu(tmp_path / NAME, [], [feature_map()])
        made = written(dump, tmp_path, layout="NCHW")
        assert made.files == [f"{NAME}.output.0.1x3x2x2.npy"]
        expected = counted(1, 2, 2, 16).transpose(0, 3, 1, 2)[:, :3]
        assert np.array_equal(np.load(tmp_path / "out" / made.files[0]), expected)

    def test_a_layout_that_the_tool_lacks_has_the_right_shape_too(self, tmp_path: Path) -> None:
        dump = write_npu(tmp_path / NAME, [], [feature_map()])
        assert written(dump, tmp_path, layout="CHWN").files == [f"{NAME}.output.0.3x2x2x1.npy"]
        assert written(dump, tmp_path, layout="FRACTAL_Z").files == [f"{NAME}.output.0.4x1x16x16.npy"]

    def test_a_tensor_that_cannot_be_converted_does_not_keep_the_others(self, tmp_path: Path) -> None:
        dump = write_npu(tmp_path / NAME, [], [NpuArray(counted(3), "BN_WEIGHT"), feature_map()])
        made = written(dump, tmp_path, layout="NCHW")
        assert made.files == [f"{NAME}.output.1.1x3x2x2.npy"]
        assert made.code == codes.UNKNOWN_LAYOUT
        assert [what for what, _ in made.failures] == ["output:0"]

    def test_three_axes_are_converted_as_nd(self, tmp_path: Path) -> None:
        dump = write_npu(tmp_path / NAME, [], [NpuArray(counted(2, 3, 4), "NCHW")])
        assert written(dump, tmp_path, layout="ND").files == [f"{NAME}.output.0.2x3x4.npy"]
        assert written(dump, tmp_path, layout="FRACTAL_Z").code == codes.UNKNOWN_LAYOUT

    def test_for_mindspore_it_is_written_as_it_is_stored(self, tmp_path: Path) -> None:
        dump = write_npu(tmp_path / NAME, [], [NpuArray(counted(3), "BN_WEIGHT")])
        made = written(dump, tmp_path, kind="msnpy", layout="NCHW")
        assert made.files == [f"{NAME}.output.0.BN_WEIGHT.npy"]
        assert made.code == codes.UNKNOWN_LAYOUT

    def test_a_matrix_in_fractals_needs_its_shape(self, tmp_path: Path) -> None:
        matrix = NpuArray(counted(1, 1, 16, 16), "FRACTAL_NZ", original_shape=())
        dump = write_npu(tmp_path / NAME, [], [matrix])
        made = written(dump, tmp_path, layout="ND")
        assert isinstance(made.failures[0][1], ConvertError)
        assert made.code == codes.WRONG_OPTIONS
        assert written(dump, tmp_path, layout="ND", shape=(3, 4)).files == [f"{NAME}.output.0.3x4.npy"]

    def test_a_shape_that_does_not_fit_leaves_the_padding(self, tmp_path: Path) -> None:
        dump = write_npu(tmp_path / NAME, [], [feature_map()])
        made = written(dump, tmp_path, layout="NCHW", shape=(1, 20, 2, 2))
        assert made.files == [f"{NAME}.output.0.1x16x2x2.npy"]

    def test_an_index_beyond_the_last_is_a_sentence(self, tmp_path: Path) -> None:
        dump = write_npu(tmp_path / NAME, [], [feature_map()])
        made = written(dump, tmp_path, layout="NCHW", side="output", index=1)
        assert made.code == codes.OUT_OF_RANGE

    def test_a_converter_of_the_user_is_used(self, tmp_path: Path) -> None:
        place = tmp_path / "own" / "format_convert"
        place.mkdir(parents=True)
        code = "def convert(shape_from, shape_to, array):\n    return array.reshape(-1)[:2]\n"
        (place / "convert_BN_WEIGHT_to_ND.py").write_text(code)
        dump = write_npu(tmp_path / NAME, [], [NpuArray(counted(3), "BN_WEIGHT", original_shape=(2,))])
        made = written(dump, tmp_path, layout="ND", custom=Converters.of(tmp_path / "own"))
        assert made.files == [f"{NAME}.output.0.2.npy"]

    def test_a_broken_dump_is_a_sentence(self, tmp_path: Path) -> None:
        dump = tmp_path / NAME
        dump.write_bytes(b"x" * 100)
        made = written(dump, tmp_path)
        assert made.code == codes.BROKEN_DUMP
        assert made.files == []

    def test_a_piece_of_a_threaded_operator_has_the_shape_of_its_slice(self, tmp_path: Path) -> None:
        slices = {"output_tensor_slice": [[], [[{"lower": 2, "higher": 4}, {"lower": 0, "higher": 3}]]]}
        told = json.dumps({"threadMode": 1, "input_tensor_slice": [[], []], **slices})
        dump = tmp_path / "Add.a.1.2.1700000000000000.4.0.1.0"
        write_npu(dump, [], [NpuArray(counted(6), "ND")], attributes={"ffts": told})
        made = written(dump, tmp_path)
        assert np.load(tmp_path / "out" / made.files[0]).shape == (2, 3)

    @pytest.mark.parametrize("told", ['{"threadMode": 1}', '{"threadMode": 1, "input_tensor_slice": [[], []]}'])
    def test_a_piece_that_does_not_say_its_slice_is_a_sentence(self, tmp_path: Path, told: str) -> None:
        dump = tmp_path / "Add.a.1.2.1700000000000000.4.0.1.0"
        write_npu(dump, [], [NpuArray(counted(6), "ND")], attributes={"ffts": told})
        assert "piece" in str(written(dump, tmp_path).failures[0][1])


class Mistaken(Converters):
    """Fails as only a mistake of ours does, at one dump of several."""

    def has(self, source: str, target: str) -> bool:
        if source == "NHWC":
            raise ZeroDivisionError
        return super().has(source, target)


class TestManyDumps:
    def test_a_mistake_of_ours_costs_one_dump(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        dumps = [
            write_npu(tmp_path / f"{NAME[:-1]}{at}", [], [NpuArray(counted(1, 2, 2, 2), layout)])
            for at, layout in enumerate(("HWCN", "NHWC", "HWCN"))
        ]
        outcome = convert_dumps(
            dumps, ConversionRequest(tmp_path / "out", layout="NCHW", custom=Mistaken(str(tmp_path))), one=False
        )
        assert outcome.files == 2
        assert [made.dump for made in outcome.failed] == [dumps[1]]
        assert "failed inside Errorflow (ZeroDivisionError" in str(outcome.failed[0].failures[0][1])
        assert "Traceback" in caplog.text

    def test_one_broken_dump_does_not_keep_the_others(self, tmp_path: Path) -> None:
        place = tmp_path / "dumps"
        place.mkdir()
        names = [f"Add.a{at}.{at}.0.17000000000000{at:02d}" for at in range(20)]
        for name in names:
            write_npu(place / name, [], [NpuArray(counted(3))])
        (place / names[7]).write_bytes(b"broken")
        dumps, one = dumps_in(str(place))
        outcome = convert_dumps(dumps, ConversionRequest(tmp_path / "out"), one=one, workers=3)
        assert (outcome.files, outcome.code) == (19, codes.BROKEN_DUMP)
        assert [made.dump.name for made in outcome.failed] == [names[7]]
        assert (tmp_path / "out" / FAILED).read_text() == f"{place / names[7]}\n"

    def test_the_list_of_failures_names_tensors_where_layouts_are_changed(self, tmp_path: Path) -> None:
        dumps = [
            write_npu(tmp_path / f"Add.{name}.1.0.1", [NpuArray(counted(3))], [NpuArray(counted(3), "BN_WEIGHT")])
            for name in ("a", "b")
        ]
        convert_dumps(dumps, ConversionRequest(tmp_path / "out", layout="ND"), one=False)
        assert (tmp_path / "out" / FAILED).read_text() == "".join(f"{dump},output:0\n" for dump in dumps)

    def test_long_names_are_hashed_and_listed(self, tmp_path: Path) -> None:
        dump = write_npu(tmp_path / f"Add.{'x' * 225}.1.0.1700000000000000", [], [NpuArray(counted(3))])
        convert_dumps([dump], ConversionRequest(tmp_path / "out"), one=True)
        short, name = (tmp_path / "out" / MAPPING).read_text().strip().split(",")
        assert name == f"{dump.name}.output.0.npy"
        assert (tmp_path / "out" / short).is_file()

    def test_a_cancel_stops_all(self, tmp_path: Path) -> None:
        dumps = [write_npu(tmp_path / f"Add.a{at}.1.0.1", [], [NpuArray(counted(3))]) for at in range(50)]

        class Impatient:
            def step(self, done: int, total: int, text: str) -> None:
                raise Cancelled

        with pytest.raises(Cancelled):
            convert_dumps(dumps, ConversionRequest(tmp_path / "out"), one=False, workers=1, progress=Impatient())
        assert not list((tmp_path / "out").glob("*.part"))

    def test_files_are_listed_by_commas(self, tmp_path: Path) -> None:
        first, second = tmp_path / "a", tmp_path / "b"
        first.touch()
        second.touch()
        assert dumps_in(f"{first}, {second},{tmp_path / 'missing'}") == ([first, second], False)
        assert dumps_in(f"{first},{tmp_path / 'missing'}") == ([first], True)

    def test_the_mapping_in_a_folder_is_no_dump(self, tmp_path: Path) -> None:
        (tmp_path / MAPPING).touch()
        (tmp_path / "inside").mkdir()
        with pytest.raises(RefusedError, match="no files"):
            dumps_in(str(tmp_path))

    @pytest.mark.parametrize("text", ["missing", "missing,gone"])
    def test_what_is_not_there_is_a_sentence(self, tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(FileError):
            dumps_in(text)


class TestUntrusted:
    @given(
        at=st.integers(0, 400),
        value=st.integers(0, 255),
        cut=st.integers(0, 400),
        layout=st.sampled_from(["", "NCHW", "ND"]),
    )
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_a_dump_that_was_tampered_with_is_a_sentence(
        self, tmp_path: Path, at: int, value: int, cut: int, layout: str
    ) -> None:
        matrix = NpuArray(counted(1, 1, 16, 16), "FRACTAL_NZ", original_shape=(3, 4))
        data = bytearray(npu_bytes([feature_map()], [matrix], op_name="a/b", buffers=[b"abc"]))
        data[at % len(data)] = value
        dump = tmp_path / NAME
        dump.write_bytes(bytes(data[: len(data) - cut % len(data)] if cut % 3 == 0 else data))
        for kind in ("npy", "bin", "msnpy", "pt"):
            made = written(dump, tmp_path, kind=kind, layout=layout)
            assert all(isinstance(error, ErrorflowError) for _, error in made.failures)
            assert all((tmp_path / "out" / name).is_file() for name in made.files)

    def test_a_name_from_inside_leads_nowhere_else(self, tmp_path: Path) -> None:
        dump = write_npu(tmp_path / NAME, [], [NpuArray(counted(3))], op_name="a/..\\..\0\n")
        (name,) = written(dump, tmp_path, kind="msnpy").files
        assert name == "Conv2D..._..__.3.7.1700000000003000.output.0.ND.npy"

    def test_a_folder_that_cannot_be_made_is_a_sentence(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        dump = write_npu(tmp_path / NAME, [], [NpuArray(counted(3))])
        with pytest.raises(FileError, match="cannot be written to"):
            convert_dumps([dump], ConversionRequest(tmp_path / "file" / "out"), one=True)
